//! What is found without asking anybody: the repository, its remote and branch, programs of agents, and a token.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use baton_core::RepoSlug;
use baton_core::config::Source;
use baton_git::http_origin;
use baton_github::{Auth, DEFAULT_API_URL, GitHub, Settings};

use super::Init;
use super::answers::AgentChoice;
use crate::claims::context::{github_settings, slug_of_address};
use crate::command_error::CommandError;
use crate::config::{ConfigArgument, Credentials, FILE_NAME, Loaded, Surroundings, printed_token};
use crate::doctor::local::{resolve, said};

/// How long git and gh may take to answer, and the tracker.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(10);
/// What prints a token where people have signed in already.
const GH_TOKEN_COMMAND: &str = "gh auth token";
const STAGES: &str = ".baton/stages";

/// What is there.
#[derive(Debug)]
pub(super) struct Found {
    /// The root of the work tree.
    pub(super) root: PathBuf,
    pub(super) repo: Option<RepoSlug>,
    /// Where the tracker is, unless it is the usual one.
    pub(super) api_url: Option<String>,
    pub(super) branch: Option<String>,
    pub(super) user: Option<String>,
    pub(super) agents: Vec<AgentChoice>,
    /// Where a token is from, in words.
    pub(super) token: Option<String>,
    /// The command that prints a token, when nothing else has one.
    pub(super) token_command: Option<String>,
    pub(super) has_stages: bool,
}

impl Found {
    pub(super) fn look(surroundings: &Surroundings, init: &Init) -> Result<Self, CommandError> {
        let here = surroundings.directory();
        let root = git(here, &["rev-parse", "--show-toplevel"]).map(PathBuf::from).map_err(|why| {
            CommandError::Usage(format!(
                "{} is in no work tree of git: run this in a checkout, or begin one with `git init` ({why})",
                here.display()
            ))
        })?;
        let remote = git(here, &["remote", "get-url", "origin"]).ok();
        // A file that cannot be read is told by the plan, which would replace it.
        let loaded = ConfigArgument::default().load(Vec::new(), surroundings).ok();
        let api_url = init.api_url.clone().or_else(|| api_url(loaded.as_ref(), remote.as_deref()));
        let token = loaded.as_ref().and_then(|loaded| token_origin(loaded, surroundings));
        let printed = match (&token, &init.token_command) {
            (Some(_), _) => None,
            (None, Some(command)) => printed(command, &root),
            (None, None) if resolve("gh", &root).is_none() => None,
            (None, None) => gh_command(api_url.as_deref()).and_then(|command| printed(&command, &root)),
        };
        let token_command =
            init.token_command.clone().or_else(|| printed.as_ref().map(|it| it.command.clone()));
        let account = || match &printed {
            Some(printed) => {
                viewer(Settings { auth: printed.auth.clone(), ..Settings::default() }, api_url.as_deref())
            }
            None => viewer(github_settings(loaded.as_ref()?, surroundings).ok()?, api_url.as_deref()),
        };
        Ok(Self {
            repo: remote.as_deref().and_then(slug_of_address),
            branch: branch(here),
            user: user(here, loaded.as_ref(), account),
            agents: AgentChoice::ALL.into_iter().filter(|it| resolve(it.as_str(), &root).is_some()).collect(),
            has_stages: root.join(STAGES).is_dir(),
            api_url,
            token,
            token_command,
            root,
        })
    }

    /// Returns the file of the configuration.
    pub(super) fn config_file(&self) -> PathBuf {
        self.root.join(FILE_NAME)
    }
}

fn git(directory: &Path, arguments: &[&str]) -> Result<String, String> {
    let mut command = Command::new("git");
    command.current_dir(directory).args(arguments);
    let text = said(command, ANSWER_TIME_MAX)?.trim().to_owned();
    if text.is_empty() { Err("it said nothing".to_owned()) } else { Ok(text) }
}

/// The branch that the remote merges to, as far as this checkout knows, or the one that is checked out.
fn branch(directory: &Path) -> Option<String> {
    let of_remote = git(directory, &["symbolic-ref", "--short", "refs/remotes/origin/HEAD"]).ok();
    let of_remote = of_remote.and_then(|name| name.strip_prefix("origin/").map(str::to_owned));
    of_remote.or_else(|| git(directory, &["symbolic-ref", "--short", "HEAD"]).ok())
}

fn api_url(loaded: Option<&Loaded>, remote: Option<&str>) -> Option<String> {
    let said = loaded.filter(|it| *it.resolved.source("tracker.api_url") != Source::Default);
    let said = said.map(|it| it.resolved.config.api_url.clone());
    said.or_else(|| remote.and_then(api_url_of)).filter(|url| url != DEFAULT_API_URL)
}

/// Returns where the API of a remote is; nothing for GitHub's own, and for what is on this machine's disk.
fn api_url_of(remote: &str) -> Option<String> {
    slug_of_address(remote)?;
    let host = match (http_origin(remote), remote.split_once("://")) {
        (Some(origin), _) if is_loopback(&origin) => return Some(origin),
        (_, Some((_, rest))) => rest.split('/').next()?.rsplit('@').next()?.split(':').next()?,
        (_, None) => remote.split(':').next()?.rsplit('@').next()?,
    };
    (!host.eq_ignore_ascii_case("github.com")).then(|| format!("https://{host}/api/v3"))
}

fn is_loopback(origin: &str) -> bool {
    let host = origin.split_once("://").map_or(origin, |(_, host)| host);
    ["127.0.0.1", "localhost", "[::1]"].iter().any(|it| host == *it || host.starts_with(&format!("{it}:")))
}

fn token_origin(loaded: &Loaded, surroundings: &Surroundings) -> Option<String> {
    let credentials = loaded.credentials(surroundings).ok()?;
    (credentials != Credentials::Anonymous).then(|| loaded.credentials_origin(surroundings))
}

/// A token that a command has printed.
struct Printed {
    command: String,
    auth: Auth,
}

/// Returns what a command prints; one that fails is told by the doctor in the end.
fn printed(command: &str, directory: &Path) -> Option<Printed> {
    let secret = printed_token(command, directory).ok()?;
    Some(Printed { command: command.to_owned(), auth: Auth::token(secret.reveal()) })
}

/// Returns the command that prints the token of whoever is signed in. A token of GitHub is for nobody else, so another host
/// is named; what is no plain name would be a command of its own in a shell.
fn gh_command(api_url: Option<&str>) -> Option<String> {
    let Some(url) = api_url else { return Some(GH_TOKEN_COMMAND.to_owned()) };
    let host = url.split_once("://").map_or(url, |(_, rest)| rest).split(['/', ':']).next()?;
    let is_name = !host.is_empty()
        && !host.starts_with('-')
        && host.chars().all(|c| c.is_ascii_alphanumeric() || c == '.' || c == '-');
    is_name.then(|| format!("{GH_TOKEN_COMMAND} --hostname {host}"))
}

/// The operator: whoever is configured, whom git knows, or whom the token belongs to. Who is signed in on this machine may be
/// somebody else on the tracker, and then a stranger would be mentioned.
fn user(
    directory: &Path,
    loaded: Option<&Loaded>,
    account: impl FnOnce() -> Option<String>,
) -> Option<String> {
    let configured = loaded.and_then(|it| it.resolved.config.user.clone());
    let of_git = || git(directory, &["config", "--get", "github.user"]).ok();
    configured.or_else(of_git).or_else(account)
}

/// Asks the tracker whose token it is.
fn viewer(mut settings: Settings, api_url: Option<&str>) -> Option<String> {
    settings.api_url = api_url.unwrap_or(DEFAULT_API_URL).to_owned();
    settings.timeout = settings.timeout.min(ANSWER_TIME_MAX);
    settings.retry.retries_max = 0;
    let github = GitHub::new(settings).ok()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
    let asked = async { tokio::time::timeout(ANSWER_TIME_MAX, github.viewer_with_scopes()).await };
    runtime.block_on(asked).ok()?.ok().map(|viewer| viewer.login)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_of_a_host_is_asked_for_by_its_name_and_a_name_is_no_command() {
        for (url, expected) in [
            (None, Some("gh auth token")),
            (Some("https://ghe.example/api/v3"), Some("gh auth token --hostname ghe.example")),
            (Some("http://127.0.0.1:7070"), Some("gh auth token --hostname 127.0.0.1")),
            (Some("https://$(id)/api/v3"), None),
            (Some("https://-x/api/v3"), None),
            (Some("https://"), None),
        ] {
            assert_eq!(gh_command(url).as_deref(), expected, "{url:?}");
        }
    }

    #[test]
    fn the_api_is_where_the_remote_is() {
        for (remote, expected) in [
            ("https://github.com/acme/web.git", None),
            ("git@github.com:acme/web.git", None),
            ("/srv/git/web.git", None),
            ("http://127.0.0.1:7070/acme/web.git", Some("http://127.0.0.1:7070")),
            ("http://localhost:7070/acme/web", Some("http://localhost:7070")),
            ("https://ghe.example/acme/web.git", Some("https://ghe.example/api/v3")),
            ("git@ghe.example:acme/web.git", Some("https://ghe.example/api/v3")),
            ("ssh://git@ghe.example:22/acme/web", Some("https://ghe.example/api/v3")),
        ] {
            assert_eq!(api_url_of(remote).as_deref(), expected, "{remote}");
        }
    }
}
