//! What every claim command needs: the configuration and the fleet.

use std::time::Duration;

use baton_claims::machine::PauseFileError;
use baton_claims::{Fleet, FleetError, FleetSettings};
use baton_core::claim::step::Foreign;
use baton_core::claim::{Codename, Eligibility, FiringId, Holder, Protocol, Timing};
use baton_core::config::{Config, FlagValue, PauseScope};
use baton_core::labels::dialect::Dialect;
use baton_core::tracker::IssueKey;
use baton_core::{IssueRef, RepoSlug};
use baton_engine::claims::{ClaimError, ClaimSettings};
use baton_github::{Auth, MergeMethod, Settings};
use clap::Args;

use super::naming::Naming;
pub(crate) use super::naming::{IssueArgument, slug_of_address};
use crate::command_error::CommandError;
use crate::config::{ConfigArgument, Credentials, Loaded, Surroundings};

/// How a worker names itself where nobody said.
const DEFAULT_CODENAME: &str = "baton";

/// Options of every command that talks to the tracker.
#[derive(Debug, Default, Args)]
pub(crate) struct TrackerArguments {
    #[command(flatten)]
    pub(crate) config: ConfigArgument,
    /// Follow this protocol whatever the repository says; for simulations and tests only.
    #[arg(long, value_name = "PROTOCOL", hide = true)]
    pub(crate) protocol: Option<Protocol>,
}

/// Who claims.
#[derive(Debug, Default, Args)]
pub(crate) struct IdentityArguments {
    /// The worker's name; by default the user's.
    #[arg(long, env = "BATON_CODENAME", value_name = "NAME")]
    codename: Option<Codename>,
    /// The worker's firing; by default a new one.
    #[arg(long, env = "BATON_FIRING_ID", value_name = "ID")]
    firing_id: Option<FiringId>,
}

/// The fleet, and where the command stands.
pub(crate) struct Context {
    pub(crate) fleet: Fleet,
    pub(crate) config: Config,
    pub(crate) surroundings: Surroundings,
    runtime: tokio::runtime::Runtime,
}

impl TrackerArguments {
    pub(crate) fn open(&self, flags: Vec<FlagValue>) -> Result<Context, CommandError> {
        let surroundings = Surroundings::of_this_process()?;
        let loaded = self.config.load(flags, &surroundings)?;
        loaded.print_warnings();
        self.open_loaded(&loaded, surroundings)
    }

    /// Puts the fleet together from a configuration that was read.
    pub(crate) fn open_loaded(
        &self,
        loaded: &Loaded,
        surroundings: Surroundings,
    ) -> Result<Context, CommandError> {
        let config = loaded.resolved.config.clone();
        let settings = FleetSettings {
            github: github_settings(loaded, &surroundings)?,
            claims: claim_settings(&config, self.protocol, &surroundings),
            state_dir: loaded.state_dir(),
        };
        let fleet = Fleet::new(settings).map_err(|error| CommandError::Usage(error.to_string()))?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| CommandError::OutOfReach(format!("no runtime: {error}")))?;
        Ok(Context { fleet, config, surroundings, runtime })
    }
}

/// How the tracker is reached, by the configuration. May run the command that prints a token.
pub(crate) fn github_settings(
    loaded: &Loaded,
    surroundings: &Surroundings,
) -> Result<Settings, CommandError> {
    let config = &loaded.resolved.config;
    Ok(Settings {
        api_url: config.api_url.clone(),
        auth: auth(loaded.credentials(surroundings)?)?,
        timeout: config.request_timeout,
        merge_method: merge_method(config.pipeline.merge_method),
        ..Settings::default()
    })
}

fn merge_method(method: baton_core::config::MergeMethod) -> MergeMethod {
    match method {
        baton_core::config::MergeMethod::Merge => MergeMethod::Merge,
        baton_core::config::MergeMethod::Squash => MergeMethod::Squash,
        baton_core::config::MergeMethod::Rebase => MergeMethod::Rebase,
    }
}

fn auth(credentials: Credentials) -> Result<Auth, CommandError> {
    Ok(match credentials {
        Credentials::Token(secret) => Auth::token(secret.reveal()),
        Credentials::App(app) => {
            let path = &app.private_key_file;
            let key = std::fs::read_to_string(path).map_err(|error| {
                CommandError::OutOfReach(format!("cannot read the app's key {}: {error}", path.display()))
            })?;
            Auth::app(app.id, key, app.installation_id)
        }
        Credentials::Anonymous => Auth::Anonymous,
    })
}

pub(crate) fn claim_settings(
    config: &Config,
    forced: Option<Protocol>,
    surroundings: &Surroundings,
) -> ClaimSettings {
    let claims = &config.claims;
    let has = |dialect: Dialect| claims.foreign.contains(&dialect);
    ClaimSettings {
        timing: Timing {
            ttl: claims.ttl,
            bid_ttl: claims.bid_ttl,
            settle: claims.settle,
            visible_within: claims.visible_within,
            max_ttl: claims.max_ttl,
            margin_floor: claims.margin,
            ..Timing::default()
        },
        eligibility: Eligibility {
            dialect: claims.dialect,
            is_label_required: claims.require_eligible,
            wanted: None,
            blocking: claims.blocking_labels.clone(),
            is_decided: false,
        },
        foreign: Foreign {
            alfred: has(Dialect::Alfred),
            labels_as_locks: has(Dialect::LabelsAsLocks),
            fabrik: has(Dialect::Fabrik),
        },
        user: config.user.clone().unwrap_or_else(|| user_name(surroundings)),
        ref_prefix: claims.ref_prefix.clone(),
        forced_protocol: forced,
        trusted_apps: config.app.iter().map(|app| app.id).collect(),
        attempts_max: usize::try_from(claims.attempts_max).unwrap_or(usize::MAX),
        missing_claim_grace: claims.missing_claim_grace,
        is_pause_on_tracker: claims.pause_scope == PauseScope::Tracker,
    }
}

/// The name of whoever runs this, as far as it can be a codename.
fn user_name(surroundings: &Surroundings) -> String {
    let name = surroundings.variable("USER").unwrap_or(DEFAULT_CODENAME).to_ascii_lowercase();
    let name = name.replace(|c: char| !c.is_ascii_alphanumeric() && !"._-".contains(c), "-");
    if name.parse::<Codename>().is_ok() { name } else { DEFAULT_CODENAME.to_owned() }
}

impl Context {
    /// Runs something to its end.
    pub(crate) fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }

    /// How people name repositories and issues here.
    pub(crate) fn naming(&self) -> Naming<'_> {
        Naming { api_url: &self.config.api_url, surroundings: &self.surroundings }
    }

    /// The repository of the checkout that the command runs in, by its remote.
    pub(crate) fn here(&self) -> Option<RepoSlug> {
        self.naming().here()
    }

    /// The issue that a person named.
    pub(crate) fn issue(&self, argument: &IssueArgument) -> Result<IssueKey, CommandError> {
        self.naming().issue(argument)
    }

    /// The issue that a reference without a host names.
    pub(crate) fn issue_named(&self, reference: &IssueRef) -> Result<IssueKey, CommandError> {
        self.naming().issue_named(reference)
    }

    /// The repository that a person named, or the one of the checkout.
    pub(crate) fn repo(&self, named: Option<&str>) -> Result<RepoSlug, CommandError> {
        self.naming().repo(named)
    }

    /// Who claims, when the arguments do not say.
    pub(crate) fn holder(&self, arguments: &IdentityArguments) -> Holder {
        let default = self.fleet.claims.settings.user.parse();
        let fallback =
            || DEFAULT_CODENAME.parse().unwrap_or_else(|_| unreachable!("the name keeps the rules"));
        Holder {
            codename: arguments.codename.clone().unwrap_or_else(|| default.unwrap_or_else(|_| fallback())),
            firing_id: arguments.firing_id.clone().unwrap_or_else(|| self.fleet.new_firing()),
        }
    }
}

impl IdentityArguments {
    /// Returns whether a holder is one that the arguments allow.
    pub(crate) fn allows(&self, holder: &Holder) -> bool {
        self.codename.as_ref().is_none_or(|codename| *codename == holder.codename)
            && self.firing_id.as_ref().is_none_or(|firing| *firing == holder.firing_id)
    }
}

pub(crate) fn usage(error: impl std::fmt::Display) -> CommandError {
    CommandError::Usage(error.to_string())
}

impl From<ClaimError> for CommandError {
    fn from(error: ClaimError) -> Self {
        Self::out_of_reach(&error)
    }
}

impl From<PauseFileError> for CommandError {
    fn from(error: PauseFileError) -> Self {
        Self::out_of_reach(&error)
    }
}

impl From<baton_claims::machine::StateFileError> for CommandError {
    fn from(error: baton_claims::machine::StateFileError) -> Self {
        Self::out_of_reach(&error)
    }
}

impl From<FleetError> for CommandError {
    fn from(error: FleetError) -> Self {
        match error {
            FleetError::Name(message) => Self::Usage(message),
            other => Self::out_of_reach(&other),
        }
    }
}

/// Prints a value as JSON on one line.
pub(crate) fn print_json(value: &impl serde::Serialize) -> Result<(), CommandError> {
    let text = serde_json::to_string(value)
        .map_err(|error| CommandError::OutOfReach(format!("cannot write JSON: {error}")))?;
    say!("{text}");
    Ok(())
}

/// A time as people say it: two units at most.
pub(crate) fn spoken(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match (seconds / 3600, seconds % 3600 / 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, 0) => format!("{minutes} min"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, 0, _) => format!("{hours} h"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

/// Gives an answer as JSON or as a sentence, and yes or no by the exit code.
pub(crate) fn answer(
    json: bool,
    is_yes: bool,
    said: String,
    shape: &serde_json::Value,
) -> Result<(), CommandError> {
    match (json, is_yes) {
        (true, _) => print_json(shape)?,
        (false, true) => say!("{said}"),
        (false, false) => return Err(CommandError::No(said)),
    }
    if is_yes { Ok(()) } else { Err(CommandError::Said) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_said_in_two_units_at_most() {
        let said = |seconds| spoken(Duration::from_secs(seconds));
        assert_eq!([said(0), said(59), said(61), said(120)], ["0 s", "59 s", "1 min 1 s", "2 min"]);
        assert_eq!([said(12_959), said(7_200)], ["3 h 35 min", "2 h"]);
    }
}
