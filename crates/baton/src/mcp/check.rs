//! The tool `check`: who holds an issue, and whether it could be claimed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::holding::Holding;
use super::session::{Session, issue_of, of_claims};
use super::tool::{Manner, Told, Tool, Trouble};
use crate::claims::check::reasons;

pub(super) struct Check;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The issue: OWNER/REPO#7, or its address; #7 in a checkout of its repository.
    issue: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    /// It can be claimed.
    Claimable,
    /// Somebody holds it.
    Held,
    /// Nobody holds it, and it may not be claimed.
    Refused,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    /// How it stands.
    outcome: Outcome,
    /// The issue.
    issue: String,
    /// Its title.
    title: String,
    /// Whether it is open.
    is_open: bool,
    /// Its labels.
    labels: Vec<String>,
    /// How the repository decides who holds an issue: comment or ref.
    protocol: String,
    /// Who holds it.
    held_by: Option<Holding>,
    /// Why it cannot be claimed; nothing when it can.
    reasons: Vec<String>,
}

impl Tool for Check {
    const NAME: &'static str = "check";
    const TITLE: &'static str = "Check an issue";
    const DESCRIPTION: &'static str = "Tells who holds an issue and whether you could claim it. It changes nothing. Outcomes: \
         claimable, held (see `held_by`, which also says whether that is this session), refused (see `reasons`).";
    const MANNER: Manner = Manner::READS;
    const WHEN_UNCLEAR: &'static str = "Nothing was changed; try again in a minute.";
    type Input = Input;
    type Output = Output;

    fn call(session: &Session, input: Input) -> Result<Told<Output>, Trouble> {
        let context = session.context(Vec::new())?;
        let issue = issue_of(&context, &input.issue)?;
        let standing = context.block_on(context.fleet.claims.standing(&issue));
        let standing = standing.map_err(|error| of_claims(&issue, &error))?;
        let reasons = reasons(&standing);
        let (outcome, words) = match (standing.is_claimable(), &standing.holder) {
            (true, _) => (Outcome::Claimable, format!("{issue} can be claimed.")),
            (false, Some(_)) => (Outcome::Held, format!("{issue} is {}.", reasons.join("; "))),
            (false, None) => {
                (Outcome::Refused, format!("{issue} cannot be claimed: {}.", reasons.join("; ")))
            }
        };
        let shape = Output {
            outcome,
            issue: issue.to_string(),
            held_by: Holding::of(session, &standing),
            title: standing.issue.title,
            is_open: standing.issue.is_open,
            labels: standing.issue.labels,
            protocol: standing.protocol.to_string(),
            reasons,
        };
        Ok(Told { shape, words })
    }
}
