//! `baton hook pre-push REMOTE URL`: what the hook runs, with git's list of refs on its input.
//!
//! Commits that close nothing cost no request, and not even a look at the configuration. The address is never printed:
//! it may carry a password.

use std::collections::BTreeMap;
use std::io::Read as _;

use baton_core::RepoSlug;
use baton_core::claim::Holder;
use baton_core::tracker::{IssueKey, Pull};
use baton_engine::claims::{ClaimError, closes};
use baton_ports::{Tracker as _, TrackerErrorKind};
use clap::Args;

use super::super::context::{Context, TrackerArguments};
use super::commits::{Closing, Destination, closed_by};
use super::git::has_commit;
use super::pushed::{Pushed, pushed};
use super::verdict::{self, Found, SKIP};
use crate::command_error::CommandError;
use crate::config::Surroundings;

/// How many issues one push may ask about. Nobody closes so many at once; it is the first push of an old history.
const ISSUES_MAX: usize = 100;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton hook pre-push origin https://github.com/acme/web < refs.txt  lines as git gives them

Exit codes:
  0  nothing stands against the push
  1  a commit closes an issue that somebody else holds")]
pub(crate) struct PrePush {
    /// The remote, as git names it to its hooks.
    #[arg(value_name = "REMOTE")]
    remote: String,
    /// The address that is pushed to.
    #[arg(value_name = "URL")]
    address: String,
    #[command(flatten)]
    tracker: TrackerArguments,
}

/// What a push would do.
#[derive(Debug, Default)]
struct Gathered {
    pushed: Vec<Pushed>,
    closing: Vec<Closing>,
    here: Option<RepoSlug>,
    /// What could not be found out.
    problems: Vec<String>,
}

impl PrePush {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let surroundings = Surroundings::of_this_process()?;
        if surroundings.variable(SKIP.0) == Some(SKIP.1) {
            eprintln!("{}", verdict::skipped());
            return Ok(());
        }
        let mut input = Vec::new();
        std::io::stdin()
            .read_to_end(&mut input)
            .map_err(|error| CommandError::OutOfReach(format!("cannot read what git says: {error}")))?;
        let gathered = self.gather(&surroundings, &String::from_utf8_lossy(&input));
        match gathered.closing.is_empty() && gathered.problems.is_empty() {
            true => Ok(()),
            false => self.judge(&surroundings, gathered),
        }
    }

    fn gather(&self, surroundings: &Surroundings, input: &str) -> Gathered {
        let directory = surroundings.directory();
        let destination = Destination { directory, remote: &self.remote, address: &self.address };
        let mut gathered = Gathered::default();
        gathered.pushed = pushed(input).unwrap_or_else(|problem| {
            gathered.problems.push(problem);
            Vec::new()
        });
        let mut messages = Vec::new();
        for (at, pushed) in gathered.pushed.iter().enumerate() {
            match destination.messages(pushed) {
                Ok(found) => messages.extend(found.into_iter().map(|message| (at, message))),
                Err(problem) => gathered.problems.push(format!("{}: {problem}", pushed.remote_ref)),
            }
        }
        gathered.here = destination.repository();
        let (closing, homeless) = closed_by(&messages, gathered.here.as_ref());
        for reference in homeless {
            eprintln!("{}", verdict::homeless(&reference));
        }
        gathered.closing = closing;
        gathered
    }

    fn judge(&self, surroundings: &Surroundings, gathered: Gathered) -> Result<(), CommandError> {
        let fail = match self.tracker.config.load(Vec::new(), surroundings) {
            Ok(loaded) => loaded.resolved.config.hook_fail,
            Err(error) => {
                eprintln!("{}", verdict::unreadable_configuration(&error.to_string()));
                return Err(CommandError::Said);
            }
        };
        let Gathered { pushed, closing, here, mut problems } = gathered;
        let refusals = match self.tracker.open(Vec::new()) {
            Ok(context) => Checker::new(&context, &pushed, here).check(&closing, &mut problems),
            Err(error) => {
                problems.push(error.to_string());
                Vec::new()
            }
        };
        if !problems.is_empty() {
            eprintln!("{}", verdict::unchecked(&problems, fail));
        }
        refusals.iter().for_each(|refusal| eprintln!("{refusal}"));
        if !refusals.is_empty() {
            eprintln!("{}", verdict::ways_on());
        }
        let is_closed = fail == baton_core::config::HookFail::Closed;
        match refusals.is_empty() && (problems.is_empty() || !is_closed) {
            true => Ok(()),
            false => Err(CommandError::Said),
        }
    }
}

/// Asks the tracker about one issue after the other.
struct Checker<'a> {
    context: &'a Context,
    pushed: &'a [Pushed],
    here: Option<RepoSlug>,
    us: Option<Holder>,
    /// Open pull requests, read once for each repository.
    pulls: BTreeMap<RepoSlug, Vec<Pull>>,
}

impl<'a> Checker<'a> {
    fn new(context: &'a Context, pushed: &'a [Pushed], here: Option<RepoSlug>) -> Self {
        let variable = |name| context.surroundings.variable(name);
        let us = variable("BATON_CODENAME")
            .zip(variable("BATON_FIRING_ID"))
            .and_then(|(codename, firing_id)| context.fleet.holder(codename, firing_id).ok());
        Self { context, pushed, here, us, pulls: BTreeMap::new() }
    }

    /// Returns the refusals, and adds what could not be found out to `problems`.
    fn check(mut self, closing: &[Closing], problems: &mut Vec<String>) -> Vec<String> {
        let mut refusals = Vec::new();
        for (at, it) in closing.iter().enumerate() {
            if at == ISSUES_MAX {
                problems.push(format!("{} more issues are not checked", closing.len() - at));
                break;
            }
            match self.find(&it.issue) {
                Ok(found) => refusals.extend(self.refusal(it, &found)),
                Err(error) => {
                    problems.push(format!("{} could not be checked: {error}", it.issue));
                    // Who does not answer now keeps the next question waiting just as long.
                    if is_out_of_reach(&error) && at + 1 < closing.len() {
                        problems.push(format!("{} more issues are not checked", closing.len() - at - 1));
                        break;
                    }
                }
            }
        }
        refusals
    }

    fn refusal(&self, closing: &Closing, found: &Found) -> Option<String> {
        let knows = |oid: &str| has_commit(self.context.surroundings.directory(), oid);
        let objection = closing.by.iter().filter_map(|by| self.pushed.get(*by)).find_map(|pushed| {
            verdict::objection(found, self.us.as_ref(), |pull| verdict::is_own(pull, pushed, knows))
        })?;
        Some(verdict::refused(&closing.issue, &objection))
    }

    fn find(&mut self, issue: &IssueKey) -> Result<Found, ClaimError> {
        let claims = &self.context.fleet.claims;
        let nobody = Found { is_open: false, holder: None, age_s: None, pulls: Vec::new() };
        // Most of what old commits close is closed, and then nothing else matters.
        if !self.context.block_on(claims.tracker.issue(issue))?.value.is_open {
            return Ok(nobody);
        }
        let standing = self.context.block_on(claims.standing(issue))?;
        let pulls = self.pulls_for(issue)?;
        let is_open = standing.issue.is_open;
        Ok(Found { is_open, holder: standing.holder, age_s: standing.age_s, pulls })
    }

    /// The open pull requests that would close an issue: those beside it, and those of the repository pushed to.
    fn pulls_for(&mut self, issue: &IssueKey) -> Result<Vec<Pull>, ClaimError> {
        let elsewhere = self.here.clone().filter(|here| !is_same(here, &issue.repo));
        let mut found = Vec::new();
        for repo in std::iter::once(issue.repo.clone()).chain(elsewhere) {
            if !self.pulls.contains_key(&repo) {
                let tracker = &self.context.fleet.claims.tracker;
                self.pulls.insert(repo.clone(), self.context.block_on(tracker.open_pulls(&repo))?);
            }
            let open = self.pulls.get(&repo).into_iter().flatten();
            found.extend(open.filter(|pull| closes(pull, &repo, issue)).cloned());
        }
        Ok(found)
    }
}

/// Trackers fold the case of names.
fn is_same(one: &RepoSlug, other: &RepoSlug) -> bool {
    one.to_string().eq_ignore_ascii_case(&other.to_string())
}

fn is_out_of_reach(error: &ClaimError) -> bool {
    match error {
        ClaimError::Tracker(error) => error.is_retryable() || error.kind == TrackerErrorKind::Unauthorized,
        ClaimError::Machine(_) => true,
    }
}
