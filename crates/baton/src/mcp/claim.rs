//! The tool `claim`: take an issue, or the oldest eligible one.

use baton_core::claim::step::Acquired;
use baton_core::config::FlagValue;
use baton_core::tracker::IssueKey;
use baton_engine::claims::ClaimReport;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::holding::{Hold, Holding};
use super::session::{FORMS, Session, as_argument, issue_of, named, of_claims};
use super::tool::{Manner, Told, Tool, Trouble};
use crate::claims::context::Context;
use crate::claims::taking::{Found, Search, Taking, check_ttl};
use crate::command_error::CommandError;
use crate::flow::own_claim::{OwnRun, own_run};

pub(super) struct Claim;

/// Give `issue`, or `next: true`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The issue to take: OWNER/REPO#7, or its address; #7 in a checkout of its repository.
    #[serde(default)]
    issue: Option<String>,
    /// Take the oldest eligible issue instead of a certain one.
    #[serde(default)]
    next: bool,
    /// With `next`: labels that make an issue eligible, tried in this order; by default the configured one
    /// (agent:implement). With `issue`: at most one label, which the issue must carry.
    #[serde(default)]
    labels: Vec<String>,
    /// With `next`: where to look, each as OWNER/NAME; by default in the repository of the checkout.
    #[serde(default)]
    repos: Vec<String>,
    /// How long the claim lasts without a renewal, such as 30min or 4h; by default claims.ttl of the configuration.
    #[serde(default)]
    ttl: Option<String>,
}

/// What became of a claim.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    /// You hold the issue.
    Won,
    /// Somebody else holds it: see `held_by`. Choose another issue.
    Lost,
    /// It may not be claimed: see `why`.
    Refused,
    /// No eligible issue is free (only with `next`).
    None,
    /// The run that started you holds it already; its worker renews it and hands it back.
    OwnRun,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    /// What became of it.
    outcome: Outcome,
    /// The issue that was tried.
    issue: Option<String>,
    /// Your claim, when you won.
    claim: Option<Hold>,
    /// Who holds it, when you lost.
    held_by: Option<Holding>,
    /// Why not, when you did not win.
    why: Option<String>,
}

impl Tool for Claim {
    const NAME: &'static str = "claim";
    const TITLE: &'static str = "Claim an issue";
    const DESCRIPTION: &'static str = "Takes an issue for you, so that nobody else works on it. Call it before you begin. \
         Outcomes: won (you hold it; renew it within `claim.deadline_in_s`), lost (somebody else holds it; do not work on it), \
         refused (it may not be claimed; `why` tells the reason), none (with `next`: nothing eligible is free), own_run (the \
         run that started you holds it; just work).";
    const MANNER: Manner = Manner::WRITES;
    const WHEN_UNCLEAR: &'static str = "You do not hold the issue as far as is known: do not work on it. Trying again is \
         safe; `check` tells who holds it.";
    type Input = Input;
    type Output = Output;

    fn call(session: &Session, input: Input) -> Result<Told<Output>, Trouble> {
        match (&input.issue, input.next) {
            (Some(_), true) => Err(Trouble::argument("next", "give either `issue` or `next`, not both")),
            (None, false) => {
                Err(Trouble::argument("issue", format!("it is missing: {FORMS}, or set `next` to true")))
            }
            (Some(issue), false) => input.one(session, issue),
            (None, true) => input.any(session),
        }
    }
}

impl Input {
    fn one(&self, session: &Session, issue: &str) -> Result<Told<Output>, Trouble> {
        if self.labels.len() > 1 {
            return Err(Trouble::argument("labels", "an issue is claimed for one label at most"));
        }
        if !self.repos.is_empty() {
            return Err(Trouble::argument("repos", "only with `next`; an issue says itself where it is"));
        }
        if let Some(own) = as_argument("issue", own_run(session.config(), &named(issue)?))? {
            return Ok(of_own_run(&own));
        }
        let context = self.open(session)?;
        let issue = issue_of(&context, issue)?;
        let report = self.taking(session, self.labels.first()).take(&context, &issue)?;
        self.told(session, &context, &issue, &report)
    }

    fn any(&self, session: &Session) -> Result<Told<Output>, Trouble> {
        let context = self.open(session)?;
        let repos = self.repositories(&context)?;
        let labels = match self.labels.as_slice() {
            [] => vec![(context.config.claims.dialect.eligible().to_owned(), None)],
            given => given.iter().map(|label| (label.clone(), Some(label))).collect(),
        };
        let (mut tried, mut paused) = (0, Vec::new());
        for (label, wanted) in labels {
            let search = Search { repos: repos.clone(), label };
            match self.taking(session, wanted).take_next(&context, &search)? {
                Found::Tried(issue, report) => return self.told(session, &context, &issue, &report),
                Found::Nothing(nothing) => {
                    tried += nothing.tried;
                    paused = nothing.paused;
                }
            }
        }
        let mut why = format!("no eligible issue is free ({tried} looked so and were taken)");
        for (repo, by) in paused {
            why.push_str(&format!("; {repo} is paused: {by}"));
        }
        let shape = Output {
            outcome: Outcome::None,
            issue: None,
            claim: None,
            held_by: None,
            why: Some(why.clone()),
        };
        Ok(Told { shape, words: format!("{why}. Try again later, or with other labels or repositories.") })
    }

    fn open(&self, session: &Session) -> Result<Context, Trouble> {
        let flags: Vec<_> = self.ttl.iter().map(|ttl| FlagValue::new("claims.ttl", "ttl", ttl)).collect();
        let context = match self.ttl {
            Some(_) => as_argument("ttl", session.context(flags))?,
            None => session.context(flags)?,
        };
        as_argument("ttl", check_ttl(&context))?;
        context.fleet.leases.prepare()?;
        Ok(context)
    }

    fn taking(&self, session: &Session, label: Option<&String>) -> Taking {
        Taking { holder: session.holder.clone(), label: label.cloned() }
    }

    fn repositories(&self, context: &Context) -> Result<Vec<baton_core::RepoSlug>, Trouble> {
        let named = match self.repos.as_slice() {
            [] => context.repo(None).map(|repo| vec![repo]),
            named => named.iter().map(|repo| context.repo(Some(repo))).collect(),
        };
        as_argument("repos", named)
    }

    fn told(
        &self,
        session: &Session,
        context: &Context,
        issue: &IssueKey,
        report: &ClaimReport,
    ) -> Result<Told<Output>, Trouble> {
        let mut shape = Output {
            outcome: Outcome::Won,
            issue: Some(issue.to_string()),
            claim: None,
            held_by: None,
            why: None,
        };
        let words = match &report.acquired {
            Acquired::Won(lease) => {
                session.remember(issue, lease.nonce);
                let hold = Hold::of(context, lease);
                let words = format!(
                    "You hold {issue} as {}. Renew it within {} s; release it when you are done.",
                    hold.holder, hold.deadline_in_s
                );
                shape.claim = Some(hold);
                words
            }
            Acquired::Lost { to } => {
                let rival = to.as_ref().map(|to| Holding::rival(session, context, issue, to));
                let by = rival.as_ref().map_or_else(|| "somebody else".to_owned(), Holding::words);
                let why = format!("{issue} is held by {by}");
                (shape.outcome, shape.held_by, shape.why) = (Outcome::Lost, rival, Some(why.clone()));
                format!("{why}. Do not work on it; choose another issue, for example with `next`.")
            }
            Acquired::Refused(refusal) => {
                (shape.outcome, shape.why) = (Outcome::Refused, Some(refusal.to_string()));
                format!("{issue} cannot be claimed: {refusal}. `explain` tells what it waits for.")
            }
            Acquired::Failed(why) => return Err(failed(context, issue, why)),
        };
        Ok(Told { shape, words })
    }
}

/// A claim says only in words why it failed; an issue that is not there is worth telling apart.
fn failed(context: &Context, issue: &IssueKey, why: &str) -> Trouble {
    use baton_ports::Tracker as _;
    match context.block_on(context.fleet.claims.tracker.issue(issue)) {
        Err(error) => of_claims(issue, &error.into()),
        Ok(_) => Trouble::Command(CommandError::OutOfReach(format!("{issue} is not held: {why}"))),
    }
}

fn of_own_run(own: &OwnRun) -> Told<Output> {
    let why = format!("run {}, which you belong to, holds {} already", own.run, own.item);
    let shape = Output {
        outcome: Outcome::OwnRun,
        issue: Some(own.item.to_string()),
        claim: None,
        held_by: None,
        why: Some(why.clone()),
    };
    Told { shape, words: format!("{why}; its worker renews it and hands it back. Just work.") }
}
