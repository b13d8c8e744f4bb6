//! The tool `release`: hand an issue back, with how it went.

use baton_core::claim::handback::HandedBack;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::holding::Holding;
use super::renew::not_held;
use super::session::{Session, issue_of};
use super::tool::{Manner, Told, Tool, Trouble};
use crate::claims::release::{Ending, give_back};
use crate::command_error::CommandError;

pub(super) struct Release;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The issue that you hold: OWNER/REPO#7, or its address.
    issue: String,
    /// The token of the claim, when another session of this machine took it; yours are remembered.
    #[serde(default)]
    token: Option<String>,
    /// How it went: success, already-implemented, partial, no-commit, max-turns, rate-limit, cancelled, or failure-WHY such
    /// as failure-tests; by default success.
    #[serde(default)]
    outcome: Option<String>,
    /// The label that the issue goes to, such as agent:implement or agent:done; by default back to where it came from, or to
    /// agent:pr-open when `pr` is given.
    #[serde(default)]
    to: Option<String>,
    /// The address of the pull request that came of it.
    #[serde(default)]
    pr: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    /// It was handed back.
    Released,
    /// You did not hold it any more; nothing was changed.
    Lost,
    /// It may not go there; you still hold it.
    Refused,
    /// This session never held it, or has released it.
    NotHeld,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    /// What became of it.
    outcome: Outcome,
    /// The issue.
    issue: String,
    /// How it went, as it was told.
    went: Option<String>,
    /// The label that the issue went to.
    to: Option<String>,
    /// Who holds it now, when it is lost and somebody does.
    held_by: Option<Holding>,
    /// Why not, when it was not released.
    why: Option<String>,
}

impl Tool for Release {
    const NAME: &'static str = "release";
    const TITLE: &'static str = "Release a claim";
    const DESCRIPTION: &'static str = "Hands an issue back that you hold, when you are done or give up. Outcomes: released, lost \
         (it was not yours any more; nothing was changed), refused (it may not go to that label; you still hold it; choose \
         another `to`), not_held (there is nothing to release).";
    const MANNER: Manner = Manner::WRITES_ONCE;
    const WHEN_UNCLEAR: &'static str =
        "The issue may or may not have been handed back: try again, or let the claim expire.";
    type Input = Input;
    type Output = Output;

    fn call(session: &Session, input: Input) -> Result<Told<Output>, Trouble> {
        let ending = ending(&input)?;
        let context = session.context(Vec::new())?;
        let issue = issue_of(&context, &input.issue)?;
        let mut shape = Output {
            outcome: Outcome::NotHeld,
            issue: issue.to_string(),
            went: None,
            to: None,
            held_by: None,
            why: None,
        };
        let Some(found) = session.hold(&context, &issue, input.token.as_deref())? else {
            let why = not_held(&shape.issue);
            shape.why = Some(why.clone());
            return Ok(Told { shape, words: why });
        };
        let (dialect, handover) = ending.handover(&context, &issue, &found)?;
        let (went, to) = (handover.outcome.to_string(), handover.to.clone());
        let words = match give_back(&context, &issue, found, dialect, handover)? {
            HandedBack::Released => {
                session.forget(&issue);
                let place = to.as_deref().map(|to| format!(" to {to}")).unwrap_or_default();
                let words = format!("{issue} was handed back as {went}{place}.");
                (shape.outcome, shape.went, shape.to) = (Outcome::Released, Some(went), to);
                words
            }
            HandedBack::Lost { to, why } => {
                session.forget(&issue);
                shape.outcome = Outcome::Lost;
                shape.held_by = to.as_ref().map(|to| Holding::named(session, to));
                shape.why = Some(why.clone());
                format!("{issue} was not yours any more, so nothing was changed: {why}.")
            }
            HandedBack::Refused(refusal) => {
                (shape.outcome, shape.why) = (Outcome::Refused, Some(refusal.to_string()));
                format!("You still hold {issue}: {refusal}. Release it with another `to`, or without one.")
            }
            HandedBack::Failed(why) => {
                let failed = CommandError::OutOfReach(format!("{issue}: {why}"));
                return Err(failed.into());
            }
        };
        Ok(Told { shape, words })
    }
}

fn ending(input: &Input) -> Result<Ending, Trouble> {
    let outcome = input.outcome.as_deref().unwrap_or("success").parse();
    let outcome = outcome.map_err(|error| Trouble::argument("outcome", error))?;
    let ending = Ending { outcome, to: input.to.clone(), pr: input.pr.clone() };
    ending.check_values().map_err(|(name, why)| Trouble::argument(name, why))?;
    Ok(ending)
}
