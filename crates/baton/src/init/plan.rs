//! What would be written, compared with what is there, before anything is.

use std::path::Path;

use baton_core::config::{Layers, StoreAddress, TextFile, resolve};

use super::answers::{AgentChoice, Answers, BoardChoice};
use super::ask::Person;
use super::found::Found;
use super::texts;
use crate::command_error::CommandError;
use crate::config::FILE_NAME;

/// What becomes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deed {
    Create,
    Replace,
    /// It says so already.
    Leave,
    /// It says something else, and stays so.
    Keep,
}

/// A file that is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wanted {
    /// From the root of the work tree.
    pub(super) path: String,
    pub(super) text: String,
    pub(super) deed: Deed,
}

impl Wanted {
    pub(super) fn is_written(&self) -> bool {
        matches!(self.deed, Deed::Create | Deed::Replace)
    }
}

/// All of them.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) files: Vec<Wanted>,
}

impl Plan {
    pub(super) fn of(
        answers: &Answers,
        found: &Found,
        force: bool,
        person: Option<Person>,
    ) -> Result<Self, CommandError> {
        check_store(&answers.store)?;
        let text = texts::config(answers);
        check(&text)?;
        let mut files = vec![config(found, text, force, person)?];
        if answers.stages {
            let otherwise = if force { Deed::Replace } else { Deed::Keep };
            for (name, text) in texts::stages() {
                files.push(wanted(
                    &found.root,
                    &format!(".baton/stages/{name}"),
                    text,
                    otherwise,
                    found.has_stages,
                )?);
            }
        }
        let ignore = found.root.join(".gitignore");
        let there = read(&ignore)?.unwrap_or_default();
        files.push(wanted(&found.root, ".gitignore", texts::ignored(&there), Deed::Replace, false)?);
        Ok(Self { files })
    }

    /// Returns what is to be done, for a person who may still say no.
    pub(super) fn shown(&self, answers: &Answers, found: &Found) -> String {
        let user = answers.user.clone().unwrap_or_else(|| "– (say --user LOGIN to be mentioned)".to_owned());
        let branch = found.branch.as_ref().map_or_else(String::new, |branch| format!(" ({branch})"));
        let agent = |agent: &AgentChoice| match found.agents.contains(agent) {
            true => agent.as_str().to_owned(),
            false => format!("{} (not found in PATH)", agent.as_str()),
        };
        let agents: Vec<_> = answers.agents.iter().map(agent).collect();
        let token = match (&found.token, &answers.token_command) {
            (Some(origin), _) => origin.clone(),
            (None, Some(command)) => format!("what `{command}` prints"),
            (None, None) => "none yet: put BATON_TOKEN=… into .env".to_owned(),
        };
        let facts = [
            ("repository", format!("{}{branch}", answers.repo)),
            ("tracker", answers.api_url.clone().unwrap_or_else(|| baton_github::DEFAULT_API_URL.to_owned())),
            ("token", token),
            ("user", user),
            ("agents", agents.join(", ")),
            ("store", answers.store.to_string()),
            ("board", answers.board.to_string()),
        ];
        let facts = facts.map(|(name, value)| format!("  {name:11} {value}")).join("\n");
        let files: Vec<_> = self.files.iter().map(shown).collect();
        let mut further = Vec::new();
        if answers.labels {
            let columns =
                if answers.board == BoardChoice::Labels { ", and the columns of the board" } else { "" };
            further.push(format!("  make       the labels in {}{columns}", answers.repo));
        }
        if answers.hook {
            further.push("  install    the pre-push hook".to_owned());
        }
        format!("{facts}\n\n{}", [files, further].concat().join("\n"))
    }
}

fn shown(file: &Wanted) -> String {
    let (word, note) = match file.deed {
        Deed::Create => ("create", ""),
        Deed::Replace if file.path == ".gitignore" => ("add to", ""),
        Deed::Replace => ("replace", ""),
        Deed::Leave => ("leave", " (it is as it should be)"),
        Deed::Keep => ("keep", " (it is there, and stays as it is)"),
    };
    format!("  {word:10} {}{note}", file.path)
}

/// A file that everybody reads is no place for a password.
fn check_store(store: &StoreAddress) -> Result<(), CommandError> {
    match store {
        StoreAddress::Postgres(url) if *url != store.to_string() => Err(CommandError::Usage(
            "the address of the store has a password, which does not belong into a file: give the address without it, and put \
             BATON_STORE with it into .env, or use PGPASSWORD or ~/.pgpass"
                .to_owned(),
        )),
        _ => Ok(()),
    }
}

/// Nothing is written that could not be read again.
fn check(text: &str) -> Result<(), CommandError> {
    let file = TextFile { path: FILE_NAME.to_owned(), text: text.to_owned() };
    resolve(&Layers { file: Some(file), ..Layers::default() })
        .map(drop)
        .map_err(|errors| CommandError::Usage(format!("these answers make no configuration: {errors}")))
}

fn config(found: &Found, text: String, force: bool, person: Option<Person>) -> Result<Wanted, CommandError> {
    let there = read(&found.config_file())?;
    let differs = there.as_ref().is_some_and(|there| *there != text);
    let otherwise = match (differs, force, person) {
        (false, ..) | (_, true, _) => Deed::Replace,
        (true, false, Some(person)) => {
            match person
                .agrees(&format!("{FILE_NAME} is there already and says something else; replace it"), false)?
            {
                true => Deed::Replace,
                false => Deed::Keep,
            }
        }
        (true, false, None) => {
            return Err(CommandError::No(format!(
                "{FILE_NAME} is there already and says something else: nothing was written; --force replaces it, and without \
                 --yes you are asked"
            )));
        }
    };
    wanted(&found.root, FILE_NAME, text, otherwise, false)
}

/// Compares a file with what is there. Where a set of files was made already, one that is missing is missing on purpose.
fn wanted(
    root: &Path,
    path: &str,
    text: String,
    otherwise: Deed,
    is_set_there: bool,
) -> Result<Wanted, CommandError> {
    let deed = match read(&root.join(path))? {
        None if is_set_there && otherwise == Deed::Keep => Deed::Keep,
        None => Deed::Create,
        Some(there) if there == text => Deed::Leave,
        Some(_) => otherwise,
    };
    Ok(Wanted { path: path.to_owned(), text, deed })
}

fn read(path: &Path) -> Result<Option<String>, CommandError> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(CommandError::OutOfReach(format!("cannot read {}: {error}", path.display()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_made_left_or_handled_as_was_said() {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("same"), "x").unwrap();
        std::fs::write(root.path().join("other"), "y").unwrap();
        let deed = |path: &str, otherwise, is_set_there| {
            wanted(root.path(), path, "x".to_owned(), otherwise, is_set_there).unwrap().deed
        };
        assert_eq!(deed("none", Deed::Keep, false), Deed::Create);
        assert_eq!(deed("none", Deed::Keep, true), Deed::Keep);
        assert_eq!(deed("none", Deed::Replace, true), Deed::Create);
        assert_eq!(deed("same", Deed::Replace, false), Deed::Leave);
        assert_eq!(deed("other", Deed::Keep, true), Deed::Keep);
        assert_eq!(deed("other", Deed::Replace, false), Deed::Replace);
    }
}
