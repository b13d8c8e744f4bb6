//! What is to be set up: flags first, then what a person says, then what was found.

use std::fmt;
use std::str::FromStr;

use baton_core::RepoSlug;
use baton_core::config::{ProjectRef, StoreAddress};
use clap::ValueEnum;

use super::Init;
use super::ask::Person;
use super::found::Found;
use crate::command_error::CommandError;

/// Where runs are kept when nobody says otherwise.
const STORE: &str = "sqlite:.baton/baton.db";

const STAGES_QUESTION: &str = "write the stages to .baton/stages, where they can be edited";
const LABELS_QUESTION: &str = "make the labels of the relay in the repository";
const HOOK_QUESTION: &str = "install the hook that refuses pushes which close what someone else holds";

/// Programs that can be found and set up without a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AgentChoice {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Gemini.
    Gemini,
}

impl AgentChoice {
    pub(super) const ALL: [Self; 3] = [Self::Claude, Self::Codex, Self::Gemini];

    /// Returns its name, which is that of its adapter and of its program.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
        }
    }
}

/// What the board is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BoardChoice {
    /// Labels, `stage:NAME`.
    Labels,
    /// A project.
    Project(ProjectRef),
}

impl FromStr for BoardChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "labels" => Ok(Self::Labels),
            text => text
                .parse()
                .map(Self::Project)
                .map_err(|_| format!("`{text}` is no board: write `labels`, or a project as OWNER/NUMBER")),
        }
    }
}

impl fmt::Display for BoardChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Labels => f.write_str("labels"),
            Self::Project(project) => write!(f, "{project}"),
        }
    }
}

/// What is to be set up.
#[derive(Debug, Clone)]
pub(super) struct Answers {
    pub(super) repo: RepoSlug,
    /// Where the tracker is, unless that goes without saying.
    pub(super) api_url: Option<String>,
    pub(super) user: Option<String>,
    pub(super) agents: Vec<AgentChoice>,
    pub(super) store: StoreAddress,
    pub(super) board: BoardChoice,
    pub(super) token_command: Option<String>,
    pub(super) stages: bool,
    pub(super) labels: bool,
    pub(super) hook: bool,
}

impl Answers {
    pub(super) fn gather(init: &Init, found: &Found, person: Option<Person>) -> Result<Self, CommandError> {
        Ok(Self {
            repo: repo(init, found, person)?,
            user: user(init, found, person)?,
            agents: agents(init, found, person)?,
            store: store(init, person)?,
            board: board(init, person)?,
            api_url: init.api_url.clone().or_else(|| found.api_url.clone()),
            token_command: init.token_command.clone().or_else(|| found.token_command.clone()),
            // A flag that says no counts first: stages that are there are kept, and are not asked about otherwise.
            stages: choice(
                (found.has_stages && !init.no_stages, init.no_stages),
                person,
                STAGES_QUESTION,
                true,
            )?,
            labels: choice((init.labels, init.no_labels), person, LABELS_QUESTION, true)?,
            hook: choice((init.hook, init.no_hook), person, HOOK_QUESTION, false)?,
        })
    }
}

/// What was said by a flag or its opposite, or by a person, or what is usual.
fn choice(
    said: (bool, bool),
    person: Option<Person>,
    question: &str,
    otherwise: bool,
) -> Result<bool, CommandError> {
    match (said, person) {
        ((true, _), _) => Ok(true),
        ((_, true), _) => Ok(false),
        (_, Some(person)) => person.agrees(question, otherwise),
        (_, None) => Ok(otherwise),
    }
}

fn repo(init: &Init, found: &Found, person: Option<Person>) -> Result<RepoSlug, CommandError> {
    let shown = found.repo.as_ref().map(ToString::to_string);
    match (&init.repo, person, &found.repo) {
        (Some(repo), ..) => Ok(repo.clone()),
        (None, Some(person), _) => person
            .answer("repository (OWNER/NAME)", shown.as_deref(), |text| {
                text.parse().map_err(|error: baton_core::repo_slug::NameError| error.to_string())
            }),
        (None, None, Some(repo)) => Ok(repo.clone()),
        (None, None, None) => Err(CommandError::Usage(
            "there is no remote `origin` that names a repository: say --repo OWNER/NAME, or: git remote add origin URL".to_owned(),
        )),
    }
}

fn user(init: &Init, found: &Found, person: Option<Person>) -> Result<Option<String>, CommandError> {
    match (&init.user, person) {
        (Some(user), _) => login(user).map_err(CommandError::Usage),
        (None, Some(person)) => person.answer(
            "your login, which is mentioned when a person is needed",
            found.user.as_deref(),
            login,
        ),
        (None, None) => Ok(found.user.clone()),
    }
}

/// Reads a login, also as it is mentioned; nothing is nobody.
fn login(text: &str) -> Result<Option<String>, String> {
    let text = text.trim();
    let name = text.strip_prefix('@').unwrap_or(text);
    let is_login = name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.[]".contains(c));
    match (text.is_empty(), is_login) {
        (true, _) => Ok(None),
        (false, true) => Ok(Some(name.to_owned())),
        (false, false) => {
            Err(format!("`{text}` is no login: write it as the tracker shows it, such as octocat"))
        }
    }
}

fn agents(init: &Init, found: &Found, person: Option<Person>) -> Result<Vec<AgentChoice>, CommandError> {
    if !init.agents.is_empty() {
        return Ok(init.agents.clone());
    }
    let known = || AgentChoice::ALL.map(AgentChoice::as_str).join(", ");
    let read = |text: &str| {
        let choices: Result<Vec<_>, _> = text
            .split([',', ' '])
            .filter(|name| !name.is_empty())
            .map(|name| {
                AgentChoice::from_str(name, true).map_err(|_| format!("`{name}` is none of {}", known()))
            })
            .collect();
        choices.and_then(|it| {
            if it.is_empty() { Err(format!("name at least one of {}", known())) } else { Ok(it) }
        })
    };
    // Who has none installed yet sees in the end how to get it.
    let usual = match found.agents.as_slice() {
        [] => vec![AgentChoice::Claude],
        found => found.to_vec(),
    };
    let shown = usual.iter().map(|agent| agent.as_str()).collect::<Vec<_>>().join(",");
    match person {
        Some(person) => person.answer(&format!("agents ({})", known()), Some(&shown), read),
        None => Ok(usual),
    }
}

fn store(init: &Init, person: Option<Person>) -> Result<StoreAddress, CommandError> {
    let read = |text: &str| text.parse::<StoreAddress>().map_err(|error| error.to_string());
    match (&init.store, person) {
        (Some(store), _) => Ok(store.clone()),
        (None, Some(person)) => person.answer("store (sqlite:PATH or postgres://…)", Some(STORE), read),
        (None, None) => read(STORE).map_err(CommandError::Usage),
    }
}

fn board(init: &Init, person: Option<Person>) -> Result<BoardChoice, CommandError> {
    match (&init.board, person) {
        (Some(board), _) => Ok(board.clone()),
        (None, Some(person)) => {
            person.answer("board (`labels`, or a project as OWNER/NUMBER)", Some("labels"), str::parse)
        }
        (None, None) => Ok(BoardChoice::Labels),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_may_be_mentioned_and_must_be_one() {
        for (text, expected) in [
            ("ann", Some("ann")),
            (" @ann ", Some("ann")),
            ("renovate[bot]", Some("renovate[bot]")),
            ("ann_acme-1", Some("ann_acme-1")),
            (" ", None),
        ] {
            assert_eq!(login(text), Ok(expected.map(str::to_owned)), "{text}");
        }
        for text in ["-x", "a b", "@", "ann@example.com", "a/b", "Ånn"] {
            assert!(login(text).unwrap_err().contains("is no login"), "{text}");
        }
    }
}
