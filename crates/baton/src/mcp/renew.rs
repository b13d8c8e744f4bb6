//! The tool `renew`: a heartbeat for a claim of this session, or of one whose token is known.

use baton_core::claim::renewal::Renewed;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::holding::{Hold, Holding};
use super::session::{Session, issue_of};
use super::tool::{Manner, Told, Tool, Trouble};
use crate::claims::renew::renew;
use crate::command_error::CommandError;

pub(super) struct Renew;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The issue that you hold: OWNER/REPO#7, or its address.
    issue: String,
    /// The token of the claim, when another session of this machine took it; yours are remembered.
    #[serde(default)]
    token: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    /// You hold it on.
    Renewed,
    /// You do not hold it any more. Stop working on it and push nothing.
    Lost,
    /// This session never held it, or has released it.
    NotHeld,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    /// What became of it.
    outcome: Outcome,
    /// The issue.
    issue: String,
    /// Your claim, when it was renewed.
    claim: Option<Hold>,
    /// Who holds it now, when it is lost and somebody does.
    held_by: Option<Holding>,
    /// Why not, when it was not renewed.
    why: Option<String>,
}

impl Tool for Renew {
    const NAME: &'static str = "renew";
    const TITLE: &'static str = "Renew a claim";
    const DESCRIPTION: &'static str = "Sends a heartbeat for an issue that you hold, so that it stays yours. Call it well \
         before `deadline_in_s` of your claim is over. Outcomes: renewed (there is a new deadline), lost (stop working on the \
         issue at once and push nothing), not_held (claim it first).";
    const MANNER: Manner = Manner::WRITES_ONCE;
    const WHEN_UNCLEAR: &'static str = "The deadline stands as it was told before: try again until then, and stop working \
         when it is over.";
    type Input = Input;
    type Output = Output;

    fn call(session: &Session, input: Input) -> Result<Told<Output>, Trouble> {
        let context = session.context(Vec::new())?;
        let issue = issue_of(&context, &input.issue)?;
        let mut shape = Output {
            outcome: Outcome::NotHeld,
            issue: issue.to_string(),
            claim: None,
            held_by: None,
            why: None,
        };
        let Some(found) = session.hold(&context, &issue, input.token.as_deref())? else {
            let why = not_held(&shape.issue);
            shape.why = Some(why.clone());
            return Ok(Told { shape, words: why });
        };
        let words = match renew(&context, &issue, found)? {
            Renewed::Held(lease) => {
                session.remember(&issue, lease.nonce);
                let hold = Hold::of(&context, &lease);
                let words = format!("You hold {issue} on. Renew it again within {} s.", hold.deadline_in_s);
                (shape.outcome, shape.claim) = (Outcome::Renewed, Some(hold));
                words
            }
            Renewed::Lost { to, why } => {
                session.forget(&issue);
                shape.outcome = Outcome::Lost;
                shape.held_by = to.as_ref().map(|to| Holding::named(session, to));
                shape.why = Some(why.clone());
                format!("{issue} is not yours any more: {why}. Stop working on it and push nothing.")
            }
            Renewed::Failed { why, .. } => {
                let failed = CommandError::OutOfReach(format!("{issue} was not renewed: {why}"));
                return Err(failed.into());
            }
        };
        Ok(Told { shape, words })
    }
}

/// Says that there is no hold to go on with, and what to do.
pub(super) fn not_held(issue: &str) -> String {
    format!(
        "this session holds no claim on {issue}: call `claim` first, or give the `token` of a claim that another session of \
         this machine took"
    )
}
