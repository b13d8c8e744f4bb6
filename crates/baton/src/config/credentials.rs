//! Whom to act as: a token from the environment, from `.env` or from a command, or an app.
//!
//! Secrets never come from `baton.yaml`, and are never printed: [`Secret`] shows itself as a row of stars. Deliberately
//! absent: asking the tracker whether a token is any good.

use std::fmt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use baton_core::config::{AppConfig, Source, dotenv};

use super::{Loaded, Surroundings};
use crate::bounded::{self, Ran};
use crate::command_error::CommandError;

/// The variables that may hold a token, the strongest first.
const VARIABLES: [&str; 3] = ["BATON_TOKEN", "GITHUB_TOKEN", "GH_TOKEN"];

/// How long the command that prints a token may take.
const COMMAND_TIME_MAX: Duration = Duration::from_secs(30);

/// A text that is not to be printed.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(String);

impl Secret {
    /// Returns the text, for the one who sends it.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("****")
    }
}

/// Whom to act as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Credentials {
    /// The owner of a token.
    Token(Secret),
    /// An app. The path of its key begins at the root.
    App(AppConfig),
    /// Nobody in particular.
    Anonymous,
}

/// Where credentials come from, before anything is run or opened.
#[derive(Debug)]
pub(super) enum Origin {
    Variable { secret: Secret, at: Source },
    Command(String),
    App(AppConfig),
    Nowhere,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable { at, .. } => write!(f, "{at}"),
            Self::Command(command) => write!(f, "what `{command}` prints"),
            Self::App(app) => write!(f, "the app {}", app.id),
            Self::Nowhere => f.write_str("nowhere: set BATON_TOKEN, or `token_command`"),
        }
    }
}

impl Loaded {
    /// Returns whom to act as. May run the command that prints a token.
    pub(crate) fn credentials(&self, surroundings: &Surroundings) -> Result<Credentials, CommandError> {
        match self.origin(surroundings) {
            Origin::Variable { secret, .. } => Ok(Credentials::Token(secret)),
            Origin::Command(command) => {
                let at = self.resolved.source("token_command");
                printed_token(&command, &self.directory).map(Credentials::Token).map_err(|problem| {
                    CommandError::OutOfReach(format!(
                        "`token_command` ({command}, {at}) {problem}; run it by hand, or set BATON_TOKEN"
                    ))
                })
            }
            Origin::App(app) => Ok(Credentials::App(app)),
            Origin::Nowhere => Ok(Credentials::Anonymous),
        }
    }

    /// Says where credentials come from, without a look at them.
    pub(crate) fn credentials_origin(&self, surroundings: &Surroundings) -> String {
        self.origin(surroundings).to_string()
    }

    pub(super) fn origin(&self, surroundings: &Surroundings) -> Origin {
        let variable = in_environment(surroundings).or_else(|| self.in_dotenv());
        if let Some((secret, at)) = variable {
            return Origin::Variable { secret, at };
        }
        let config = &self.resolved.config;
        match (&config.token_command, &config.app) {
            (Some(command), _) => Origin::Command(command.clone()),
            (None, Some(app)) => {
                let private_key_file = self.directory.join(&app.private_key_file);
                Origin::App(AppConfig { private_key_file, ..app.clone() })
            }
            (None, None) => Origin::Nowhere,
        }
    }

    fn in_dotenv(&self) -> Option<(Secret, Source)> {
        let (path, variables) = self.dotenv.as_ref()?;
        let found = VARIABLES.iter().filter_map(|name| dotenv::find(variables, name));
        found.into_iter().find_map(|it| {
            let at = Source::DotEnv { path: path.clone(), line: it.line, variable: it.name.clone() };
            Some((secret(&it.value)?, at))
        })
    }
}

fn in_environment(surroundings: &Surroundings) -> Option<(Secret, Source)> {
    VARIABLES.iter().find_map(|name| {
        let at = Source::Environment { variable: (*name).to_owned() };
        Some((secret(surroundings.variable(name)?)?, at))
    })
}

/// White space around a token is an accident; nothing but white space is no token.
fn secret(text: &str) -> Option<Secret> {
    Some(text.trim()).filter(|text| !text.is_empty()).map(|text| Secret(text.to_owned()))
}

/// Runs the command that prints a token. It may not ask questions, since nobody may be there to answer.
pub(crate) fn printed_token(command: &str, directory: &Path) -> Result<Secret, String> {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(directory);
    let (status, out, err) = match bounded::run(shell, COMMAND_TIME_MAX) {
        Ran::Ended { status, out, err } => (status, out, err),
        Ran::TooLong => return Err(format!("did not end within {} s", COMMAND_TIME_MAX.as_secs())),
        Ran::NotStarted(error) => return Err(format!("cannot be run: {error}")),
    };
    if !status.success() {
        return Err(format!("failed with {status}: {}", String::from_utf8_lossy(&err).trim()));
    }
    let printed = String::from_utf8(out).map_err(|_| "printed what is no text".to_owned())?;
    let secret = secret(&printed).ok_or("printed nothing")?;
    match secret.0.contains(char::is_whitespace) {
        true => Err("printed more than one word, and a token is one".to_owned()),
        false => Ok(secret),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{load, surroundings};
    use super::*;

    #[track_caller]
    fn check(files: &[(&str, &str)], variables: &[(&str, &str)], token: &str, origin: &str) {
        let directory = directory(files);
        let loaded = load(directory.path(), variables).unwrap();
        let around = surroundings(directory.path(), variables);
        let Credentials::Token(secret) = loaded.credentials(&around).unwrap() else { panic!("no token") };
        assert_eq!((secret.reveal(), loaded.origin(&around).to_string().as_str()), (token, origin));
    }

    fn directory(files: &[(&str, &str)]) -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        files.iter().for_each(|(name, text)| std::fs::write(directory.path().join(name), text).unwrap());
        directory
    }

    const DOTENV: (&str, &str) = (".env", "GH_TOKEN=d3\nGITHUB_TOKEN=d2\n");
    const COMMAND: (&str, &str) = ("baton.yaml", "token_command: echo ' c1 '\n");

    #[test]
    fn the_first_that_has_a_token_wins() {
        let all = [("BATON_TOKEN", " e1\n"), ("GITHUB_TOKEN", "e2"), ("GH_TOKEN", "e3")];
        check(&[DOTENV, COMMAND], &all, "e1", "BATON_TOKEN in the environment");
        check(&[DOTENV, COMMAND], &all[1..], "e2", "GITHUB_TOKEN in the environment");
        check(&[DOTENV, COMMAND], &all[2..], "e3", "GH_TOKEN in the environment");
        check(&[DOTENV, COMMAND], &[("BATON_TOKEN", " ")], "d2", "GITHUB_TOKEN in .env:2");
        check(&[COMMAND], &[], "c1", "what `echo ' c1 '` prints");
    }

    #[test]
    fn the_command_runs_beside_the_file() {
        let files = [("baton.yaml", "token_command: cat secret\n"), ("secret", "s1\n")];
        check(&files, &[], "s1", "what `cat secret` prints");
    }

    #[test]
    fn a_command_that_prints_no_token_is_an_error_that_says_why() {
        for (command, problem) in [
            ("echo locked >&2; exit 4", "failed with exit status: 4: locked"),
            ("'true'", "printed nothing"),
            ("echo log in first", "printed more than one word"),
        ] {
            let directory = directory(&[("baton.yaml", &format!("token_command: \"{command}\"\n"))]);
            let loaded = load(directory.path(), &[]).unwrap();
            let error = loaded.credentials(&surroundings(directory.path(), &[])).unwrap_err();
            let CommandError::OutOfReach(message) = error else { panic!("{error:?}") };
            assert!(message.contains(problem) && message.contains("baton.yaml:1:16"), "{message}");
        }
    }

    #[test]
    fn an_app_is_the_last_resort_and_its_key_is_beside_the_file() {
        let directory = directory(&[("baton.yaml", "app: {id: 7, private_key_file: key.pem}\n")]);
        let loaded = load(directory.path(), &[]).unwrap();
        let around = surroundings(directory.path(), &[]);
        let Credentials::App(app) = loaded.credentials(&around).unwrap() else { panic!("no app") };
        assert_eq!((app.id, app.private_key_file), (7, directory.path().join("key.pem")));
    }

    #[test]
    fn without_anything_nobody_acts() {
        let directory = directory(&[]);
        let loaded = load(directory.path(), &[]).unwrap();
        let credentials = loaded.credentials(&surroundings(directory.path(), &[])).unwrap();
        assert_eq!(credentials, Credentials::Anonymous);
    }

    #[test]
    fn a_secret_does_not_show_itself() {
        assert_eq!(format!("{:?}", Credentials::Token(Secret("ghp_1".to_owned()))), "Token(****)");
    }
}
