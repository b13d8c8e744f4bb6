//! One client: who it is, which holds it has taken, and what must not be seen.
//!
//! The configuration is read anew for each call, so that edits and fresh tokens count; who claims stays the same. Holds are
//! remembered here by their tokens and kept on disk by the fleet, so that another session goes on with one if it is told its
//! token, and no other way: two agents on one machine must not renew or end each other's claims by mistake.
//!
//! Deliberately absent: ending holds when the client goes away. Nobody knows then whether its work is over, and until the
//! ttl nobody else begins.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use baton_agent::Redactor;
use baton_claims::FoundLease;
use baton_core::claim::{Holder, Nonce};
use baton_core::config::FlagValue;
use baton_core::tracker::IssueKey;
use baton_engine::claims::ClaimError;
use baton_ports::{TrackerError, TrackerErrorKind};
use serde_json::Value;

use super::tool::Trouble;
use crate::claims::context::{Context, IdentityArguments, TrackerArguments};
use crate::claims::naming::IssueArgument;
use crate::command_error::CommandError;
use crate::config::{ConfigArgument, Surroundings};
use crate::flow::context::Desk;
use crate::flow::secrets;

/// The forms in which an issue may be named.
pub(super) const FORMS: &str = "name an issue as OWNER/REPO#7, or by its address";

/// One client.
pub(super) struct Session {
    tracker: TrackerArguments,
    /// Who claims.
    pub(super) holder: Holder,
    held: Mutex<BTreeMap<String, Nonce>>,
    redactor: Redactor,
}

impl Session {
    /// Reads the configuration, so that what is wrong with it is told when the server starts.
    pub(super) fn open(
        tracker: TrackerArguments,
        identity: &IdentityArguments,
    ) -> Result<Self, CommandError> {
        let surroundings = Surroundings::of_this_process()?;
        let loaded = tracker.config.load(Vec::new(), &surroundings)?;
        loaded.print_warnings();
        let redactor = Redactor::new(&secrets::of_this_process(&loaded, &surroundings)?);
        let holder = tracker.open_loaded(&loaded, surroundings)?.holder(identity);
        Ok(Self { tracker, holder, held: Mutex::default(), redactor })
    }

    /// The fleet, as it is configured now.
    pub(super) fn context(&self, flags: Vec<FlagValue>) -> Result<Context, CommandError> {
        let surroundings = Surroundings::of_this_process()?;
        let loaded = self.tracker.config.load(flags, &surroundings)?;
        self.tracker.open_loaded(&loaded, surroundings)
    }

    /// The configuration, as it is now.
    pub(super) fn desk(&self) -> Result<Desk, CommandError> {
        Desk::read(self.config())
    }

    pub(super) fn config(&self) -> &ConfigArgument {
        &self.tracker.config
    }

    /// Remembers a hold.
    pub(super) fn remember(&self, issue: &IssueKey, nonce: Nonce) {
        self.held().insert(key(issue), nonce);
    }

    /// Forgets a hold.
    pub(super) fn forget(&self, issue: &IssueKey) {
        self.held().remove(&key(issue));
    }

    /// The issues that are held, and by what tokens.
    pub(super) fn holds(&self) -> Vec<(String, Nonce)> {
        self.held().iter().map(|(issue, nonce)| (issue.clone(), *nonce)).collect()
    }

    fn held(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Nonce>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Finds the hold that this session has taken, or that `token` tells of.
    pub(super) fn hold(
        &self,
        context: &Context,
        issue: &IssueKey,
        token: Option<&str>,
    ) -> Result<Option<FoundLease>, Trouble> {
        let given = token.map(str::parse::<Nonce>).transpose();
        let given = given.map_err(|error| Trouble::argument("token", error))?;
        let known = given.or_else(|| self.held().get(&key(issue)).copied());
        let Some(nonce) = known else { return Ok(None) };
        Ok(context.fleet.leases.find(issue)?.filter(|found| found.lease.nonce == nonce))
    }

    /// Returns a text without secrets.
    pub(super) fn redacted(&self, text: &str) -> String {
        self.redactor.redact_text(text).into_owned()
    }

    /// Returns a value without secrets.
    pub(super) fn redacted_value(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.redacted(&text)),
            Value::Array(values) => {
                Value::Array(values.into_iter().map(|value| self.redacted_value(value)).collect())
            }
            Value::Object(fields) => fields
                .into_iter()
                .map(|(name, value)| (name, self.redacted_value(value)))
                .collect::<serde_json::Map<_, _>>()
                .into(),
            plain => plain,
        }
    }
}

/// Trackers tell no names apart by case.
fn key(issue: &IssueKey) -> String {
    issue.to_string().to_ascii_lowercase()
}

/// Reads how an issue was named.
pub(super) fn named(text: &str) -> Result<IssueArgument, Trouble> {
    text.trim().parse().map_err(|error| Trouble::argument("issue", format!("{error}; {FORMS}")))
}

/// Finds the issue that was named.
pub(super) fn issue_of(context: &Context, text: &str) -> Result<IssueKey, Trouble> {
    as_argument("issue", context.issue(&named(text)?))
}

/// What cannot be meant is the fault of this argument.
pub(super) fn as_argument<T>(name: &str, result: Result<T, CommandError>) -> Result<T, Trouble> {
    result.map_err(|error| match error {
        CommandError::Usage(why) => Trouble::argument(name, why),
        other => Trouble::Command(other),
    })
}

/// An issue that is not there is an answer; other failures are trouble with the tracker.
pub(super) fn of_tracker(issue: &IssueKey, error: &TrackerError) -> Trouble {
    Trouble::Command(match error.kind {
        TrackerErrorKind::NotFound => no_such(issue),
        TrackerErrorKind::Forbidden | TrackerErrorKind::Unauthorized | TrackerErrorKind::Invalid => {
            CommandError::No(format!("the tracker refuses it: {error}"))
        }
        _ => CommandError::out_of_reach(error),
    })
}

/// The same of what claims have asked.
pub(super) fn of_claims(issue: &IssueKey, error: &ClaimError) -> Trouble {
    match error {
        ClaimError::Tracker(error) => of_tracker(issue, error),
        ClaimError::Machine(_) => Trouble::Command(CommandError::out_of_reach(error)),
    }
}

fn no_such(issue: &IssueKey) -> CommandError {
    CommandError::No(format!(
        "there is no issue {issue} that this account may see; check its name, and that the token may see the repository"
    ))
}
