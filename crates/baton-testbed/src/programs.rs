//! Finding the programs of PostgreSQL, and starting them without the settings of the person who runs the tests.
//!
//! Debian keeps the server's programs off PATH, and Homebrew may do so too; the usual places are therefore tried first.
//! All programs come from one directory, so that a server never meets the tools of another version.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::error::TestbedError;

/// The programs that must be together in one directory.
const WANTED: [&str; 5] = ["initdb", "postgres", "pg_ctl", "psql", "pgbench"];

/// Directories that hold one directory per version, the prefix of those, and what follows the version.
const VERSIONED: [(&str, &str, &str); 4] = [
    ("/usr/lib/postgresql", "", "bin"),
    ("/usr", "pgsql-", "bin"),
    ("/opt/homebrew/opt", "postgresql@", "bin"),
    ("/usr/local/opt", "postgresql@", "bin"),
];

/// The directory with the programs of one version of PostgreSQL.
#[derive(Clone, Debug)]
pub struct Programs {
    directory: PathBuf,
}

impl Programs {
    /// Finds the first directory that has every program: where `pg_config` points, the usual places from the newest
    /// version down, and PATH.
    pub fn find() -> Result<Self, TestbedError> {
        Self::find_in(candidates())
    }

    fn find_in(candidates: Vec<PathBuf>) -> Result<Self, TestbedError> {
        let mut looked_in = Vec::new();
        for directory in candidates {
            let lacking = lacking(&directory);
            if lacking.is_empty() {
                return Ok(Self { directory });
            }
            looked_in.push(told(&directory, &lacking));
        }
        Err(TestbedError::ProgramsMissing { wanted: WANTED.to_vec(), looked_in })
    }

    /// Returns the path of one of the programs.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// Starts describing a call that neither the terminal nor any `PG…` variable of this process has a part in.
    pub(crate) fn command(&self, name: &str) -> Command {
        let mut command = Command::new(self.path(name));
        env::vars_os().filter(|(key, _)| key.to_string_lossy().starts_with("PG")).for_each(|(key, _)| {
            command.env_remove(key);
        });
        // English, because people search for messages, and because the locale of the caller may not exist here.
        command.env("LC_ALL", "C").stdin(Stdio::null());
        command
    }
}

/// Fails with what a program said unless it succeeded.
pub(crate) fn succeeded(tried: impl Into<String>, output: &Output) -> Result<(), TestbedError> {
    if output.status.success() {
        return Ok(());
    }
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let words = [stderr.trim(), stdout.trim()].into_iter().find(|text| !text.is_empty());
    let said = format!("{} ({})", words.unwrap_or("it gave no reason"), output.status);
    Err(TestbedError::Program { tried: tried.into(), said })
}

fn lacking(directory: &Path) -> Vec<&'static str> {
    WANTED.into_iter().filter(|name| !directory.join(name).is_file()).collect()
}

/// Most directories of PATH have none of the programs, and to name them all would hide the one that has some.
fn told(directory: &Path, lacking: &[&str]) -> String {
    let lacking =
        if lacking.len() == WANTED.len() { "any of them".to_owned() } else { lacking.join(" and ") };
    format!("`{}` (without {lacking})", directory.display())
}

fn candidates() -> Vec<PathBuf> {
    let versioned = VERSIONED.iter().flat_map(|(parent, prefix, rest)| {
        newest_first(names_in(Path::new(parent)), prefix)
            .into_iter()
            .map(move |name| Path::new(parent).join(name).join(rest))
    });
    let on_path = env::var_os("PATH").unwrap_or_default();
    let mut all: Vec<_> = pg_config()
        .into_iter()
        .chain(versioned)
        .chain([PathBuf::from("/usr/local/pgsql/bin")])
        .chain(env::split_paths(&on_path))
        .collect();
    let mut seen = std::collections::BTreeSet::new();
    all.retain(|directory| seen.insert(directory.clone()));
    all
}

fn pg_config() -> Option<PathBuf> {
    let output = Command::new("pg_config").arg("--bindir").stdin(Stdio::null()).output().ok()?;
    let printed = String::from_utf8(output.stdout).ok()?;
    Some(printed.trim()).filter(|path| output.status.success() && !path.is_empty()).map(PathBuf::from)
}

fn names_in(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// Keeps the names that are a prefix and a version, in falling order of the version.
fn newest_first(names: Vec<String>, prefix: &str) -> Vec<String> {
    let version = |name: &String| name.strip_prefix(prefix)?.parse::<u32>().ok();
    let mut versions: Vec<_> = names.into_iter().filter_map(|name| Some((version(&name)?, name))).collect();
    versions.sort_by(|left, right| right.cmp(left));
    versions.into_iter().map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directory_with(programs: &[&str]) -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        programs.iter().for_each(|name| fs::write(directory.path().join(name), "").unwrap());
        directory
    }

    #[test]
    fn versions_are_tried_from_the_newest_and_as_numbers() {
        let check = |names: &[&str], prefix, wanted: &[&str]| {
            assert_eq!(newest_first(names.iter().map(ToString::to_string).collect(), prefix), wanted);
        };
        check(&["9", "15", "16", "common"], "", &["16", "15", "9"]);
        check(
            &["postgresql@9", "postgresql@16", "node@20"],
            "postgresql@",
            &["postgresql@16", "postgresql@9"],
        );
        check(&[], "", &[]);
    }

    #[test]
    fn the_first_directory_that_has_every_program_is_taken() {
        let (tools, server) = (directory_with(&["psql"]), directory_with(&WANTED));
        let found = Programs::find_in(vec![tools.path().into(), server.path().into()]).unwrap();
        assert_eq!(found.path("psql"), server.path().join("psql"));
    }

    #[test]
    fn what_each_directory_lacks_is_told() {
        let (empty, tools) = (directory_with(&[]), directory_with(&["psql", "pgbench", "pg_ctl"]));
        let error = Programs::find_in(vec![empty.path().into(), tools.path().into()]).unwrap_err();
        let wanted = format!(
            "no directory has initdb, postgres, pg_ctl, psql, pgbench; looked in `{}` (without any of them), `{}` \
             (without initdb and postgres); install PostgreSQL's server (Debian: `postgresql`, Homebrew: \
             `postgresql@16`)",
            empty.path().display(),
            tools.path().display()
        );
        assert_eq!(error.to_string(), wanted);
    }
}
