//! What is found without asking anybody: the repository, its remote and branch, programs of agents, and a token.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use baton_core::RepoSlug;
use baton_core::config::Source;
use baton_git::http_origin;
use baton_github::{DEFAULT_API_URL, GitHub};

use super::Init;
use super::answers::AgentChoice;
use crate::claims::context::{github_settings, slug_of_address};
use crate::command_error::CommandError;
use crate::config::{ConfigArgument, Credentials, FILE_NAME, Loaded, Surroundings};
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
        let token_command =
            init.token_command.clone().or_else(|| if token.is_none() { gh_token(here) } else { None });
        Ok(Self {
            repo: remote.as_deref().and_then(slug_of_address),
            branch: branch(here),
            user: user(here, loaded.as_ref(), surroundings, api_url.as_deref()),
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

fn gh_token(directory: &Path) -> Option<String> {
    let gh = resolve("gh", directory)?;
    let mut command = Command::new(gh);
    command.args(["auth", "token"]);
    let token = said(command, ANSWER_TIME_MAX).ok()?;
    (!token.trim().is_empty()).then(|| GH_TOKEN_COMMAND.to_owned())
}

/// The operator: whoever is configured, whom git knows, whom the token belongs to, or who is signed in here.
fn user(
    directory: &Path,
    loaded: Option<&Loaded>,
    surroundings: &Surroundings,
    api_url: Option<&str>,
) -> Option<String> {
    let configured = loaded.and_then(|it| it.resolved.config.user.clone());
    let of_git = || git(directory, &["config", "--get", "github.user"]).ok();
    let of_token = || loaded.and_then(|it| account(it, surroundings, api_url));
    let here = || surroundings.variable("USER").map(str::to_owned);
    configured.or_else(of_git).or_else(of_token).or_else(here)
}

fn account(loaded: &Loaded, surroundings: &Surroundings, api_url: Option<&str>) -> Option<String> {
    let mut settings = github_settings(loaded, surroundings).ok()?;
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
