//! What every claim command needs: the configuration, the fleet, and which repository is meant.

use std::path::Path;
use std::process::Command;
use std::str::FromStr;
use std::time::Duration;

use baton_claims::machine::PauseFileError;
use baton_claims::{Fleet, FleetError, FleetSettings};
use baton_core::claim::step::Foreign;
use baton_core::claim::{Codename, Eligibility, FiringId, Holder, Protocol, Timing};
use baton_core::config::{Config, FlagValue, PauseScope};
use baton_core::issue_ref::IssueRefError;
use baton_core::labels::dialect::Dialect;
use baton_core::tracker::IssueKey;
use baton_core::{IssueRef, RepoSlug};
use baton_engine::claims::{ClaimError, ClaimSettings};
use baton_github::{Auth, Settings};
use clap::Args;

use crate::command_error::CommandError;
use crate::config::{ConfigArgument, Credentials, Surroundings};

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

/// An issue as a person named it, with the host of its address when there was one.
#[derive(Debug, Clone)]
pub(crate) struct IssueArgument {
    pub(crate) reference: IssueRef,
    host: Option<String>,
}

impl FromStr for IssueArgument {
    type Err = IssueRefError;

    fn from_str(text: &str) -> Result<Self, IssueRefError> {
        let host =
            text.split_once("://").map(|(_, rest)| rest.split('/').next().unwrap_or_default().to_owned());
        Ok(Self { reference: text.parse()?, host })
    }
}

/// Returns whether an address for people is on the tracker with this API address.
fn is_on(host: &str, api_url: &str) -> bool {
    let api_host = api_url.split_once("://").map_or(api_url, |(_, rest)| rest);
    let api_host = api_host.split('/').next().unwrap_or_default();
    api_host.eq_ignore_ascii_case(host)
        || api_host.strip_prefix("api.").is_some_and(|rest| rest.eq_ignore_ascii_case(host))
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
        let config = loaded.resolved.config.clone();
        let credentials = loaded.credentials(&surroundings)?;
        let settings = FleetSettings {
            github: Settings {
                api_url: config.api_url.clone(),
                auth: auth(credentials)?,
                timeout: config.request_timeout,
                ..Settings::default()
            },
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

fn claim_settings(config: &Config, forced: Option<Protocol>, surroundings: &Surroundings) -> ClaimSettings {
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

    /// The repository of the checkout that the command runs in, by its remote.
    pub(crate) fn here(&self) -> Option<RepoSlug> {
        remote_slug(self.surroundings.directory(), "origin")
    }

    /// The issue that a person named.
    pub(crate) fn issue(&self, argument: &IssueArgument) -> Result<IssueKey, CommandError> {
        let api_url = &self.config.api_url;
        if let Some(host) = argument.host.as_deref().filter(|host| !is_on(host, api_url)) {
            return Err(CommandError::Usage(format!(
                "the address is on {host}, and the tracker is {api_url}; set BATON_GITHUB_API_URL, or write OWNER/REPO#N"
            )));
        }
        self.issue_named(&argument.reference)
    }

    /// The issue that a reference without a host names.
    pub(crate) fn issue_named(&self, reference: &IssueRef) -> Result<IssueKey, CommandError> {
        let repo = match (&reference.owner, &reference.repo) {
            (Some(owner), Some(repo)) => RepoSlug::new(owner, repo).map_err(usage)?,
            (_, Some(repo)) => self.in_organisation(repo)?,
            _ => self.here_or_error(&reference.to_string())?,
        };
        Ok(IssueKey { repo, number: reference.number })
    }

    /// The repository that a person named, or the one of the checkout.
    pub(crate) fn repo(&self, named: Option<&str>) -> Result<RepoSlug, CommandError> {
        match named {
            Some(text) if text.contains('/') => text.parse().map_err(usage),
            Some(name) => self.in_organisation(name),
            None => self.here_or_error("this"),
        }
    }

    /// A bare repository name means one of GH_ORG, or of the checkout's owner.
    fn in_organisation(&self, name: &str) -> Result<RepoSlug, CommandError> {
        let organisation = self.surroundings.variable("GH_ORG").map(str::to_owned);
        let owner =
            organisation.or_else(|| self.here().map(|here| here.owner().to_owned())).ok_or_else(|| {
                CommandError::Usage(format!(
                    "`{name}` names no owner: write OWNER/{name}, set GH_ORG, or run this in a checkout"
                ))
            })?;
        RepoSlug::new(&owner, name).map_err(usage)
    }

    fn here_or_error(&self, what: &str) -> Result<RepoSlug, CommandError> {
        self.here().ok_or_else(|| {
            CommandError::Usage(format!(
                "`{what}` needs a repository: name it as OWNER/REPO, or run this in a checkout whose remote `origin` is one"
            ))
        })
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

/// The repository behind a remote of a checkout.
pub(crate) fn remote_slug(directory: &Path, remote: &str) -> Option<RepoSlug> {
    let output =
        Command::new("git").arg("-C").arg(directory).args(["remote", "get-url", remote]).output().ok()?;
    let address = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| slug_of_address(address.trim())).flatten()
}

/// Reads `https://host/owner/name.git`, `git@host:owner/name` and what is like them, on any host.
pub(crate) fn slug_of_address(address: &str) -> Option<RepoSlug> {
    let path = match address.split_once("://") {
        Some(("file", _)) => return None,
        Some((_, rest)) => rest.split_once('/')?.1,
        // `user@host:path` has its colon before any slash; a directory of this machine has none.
        None => address.split_once(':').filter(|(host, _)| !host.contains('/'))?.1,
    };
    let path = path.trim_end_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    let (rest, name) = path.rsplit_once('/')?;
    let owner = rest.rsplit('/').next()?;
    RepoSlug::new(owner, name).ok()
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
    fn an_address_must_be_on_the_tracker_that_is_asked() {
        assert!(
            is_on("github.com", "https://api.github.com")
                && is_on("GHE.example", "https://ghe.example/api/v3")
        );
        assert!(is_on("127.0.0.1:7070", "http://127.0.0.1:7070"));
        assert!(
            !is_on("gitlab.example", "https://api.github.com")
                && !is_on("github.com", "http://127.0.0.1:7070")
        );
        let argument: IssueArgument = "https://github.com/acme/web/issues/1".parse().unwrap();
        assert_eq!(argument.host.as_deref(), Some("github.com"));
        assert_eq!("acme/web#1".parse::<IssueArgument>().unwrap().host, None);
    }

    #[test]
    fn times_are_said_in_two_units_at_most() {
        let said = |seconds| spoken(Duration::from_secs(seconds));
        assert_eq!([said(0), said(59), said(61), said(120)], ["0 s", "59 s", "1 min 1 s", "2 min"]);
        assert_eq!([said(12_959), said(7_200)], ["3 h 35 min", "2 h"]);
    }

    #[test]
    fn a_remote_of_any_host_and_form_names_its_repository() {
        for address in [
            "https://github.com/acme/web.git",
            "https://github.com/acme/web/",
            "git@github.com:acme/web.git",
            "ssh://git@ghe.example:22/acme/web",
            "http://127.0.0.1:7070/acme/web.git",
        ] {
            assert_eq!(
                slug_of_address(address).map(|slug| slug.to_string()).as_deref(),
                Some("acme/web"),
                "{address}"
            );
        }
        for address in
            ["", "web", "acme/web", "/", "/srv/git/web.git", "file:///srv/git/web.git", "../git/web"]
        {
            assert_eq!(slug_of_address(address), None, "{address}");
        }
    }
}
