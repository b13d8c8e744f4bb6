//! A server as its administrator sees it: a directory with a socket, and `psql`.
//!
//! Whether the server belongs to this process or to another is not known here.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::{io, thread};

use crate::error::TestbedError;
use crate::programs::{Programs, succeeded};

/// The number in the name of the socket. It is spelled out in every address, because a variable could say otherwise.
pub(crate) const PORT: u16 = 5432;
/// The superuser that every cluster is made with.
pub(crate) const USER: &str = "baton";
/// The database that administrative statements are sent to.
const ADMINISTRATION: &str = "postgres";
/// Longer names are cut, and then two may be one.
const NAME_BYTES_MAX: usize = 63;

#[derive(Clone, Debug)]
pub(crate) struct Server {
    pub(crate) programs: Programs,
    pub(crate) socket_dir: PathBuf,
}

impl Server {
    pub(crate) fn url(&self, database: &str) -> String {
        let (database, socket_dir) = (escaped(database), escaped(&self.socket_dir.to_string_lossy()));
        format!("postgres://{USER}@localhost:{PORT}/{database}?host={socket_dir}")
    }

    /// Runs statements one by one, each in a transaction of its own, and returns what they print.
    pub(crate) fn sql(&self, database: &str, statements: &str) -> Result<String, TestbedError> {
        let tried = || format!("`{}` on database `{database}`", shortened(statements));
        let mut psql = self.programs.command("psql");
        psql.args(["-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-f", "-", "-d", &self.url(database)])
            .env("PGCLIENTENCODING", "UTF8")
            .env("PGCONNECT_TIMEOUT", "10");
        let output = fed(&mut psql, statements).map_err(TestbedError::io(tried()))?;
        succeeded(tried(), &output)?;
        Ok(String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_owned())
    }

    /// Makes an empty database.
    pub(crate) fn create_database(&self, name: &str) -> Result<(), TestbedError> {
        // Nobody can be connected to this template, and a template must have no connections.
        self.create_database_from(name, "template0")
    }

    pub(crate) fn create_database_from(&self, name: &str, template: &str) -> Result<(), TestbedError> {
        let statement = format!("CREATE DATABASE {} TEMPLATE {}", identifier(name)?, identifier(template)?);
        self.sql(ADMINISTRATION, &statement).map(drop)
    }

    pub(crate) fn drop_database(&self, name: &str) -> Result<(), TestbedError> {
        let statement = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", identifier(name)?);
        self.sql(ADMINISTRATION, &statement).map(drop)
    }

    /// Ends the sessions of a database, waits until they have ended, and returns how many there were.
    pub(crate) fn cut_connections(&self, database: &str) -> Result<usize, TestbedError> {
        let statement = format!(
            "SELECT count(*) FILTER (WHERE pg_terminate_backend(pid, 10000)) FROM pg_stat_activity \
             WHERE datname = {} AND backend_type = 'client backend' AND pid <> pg_backend_pid()",
            literal(database)
        );
        let printed = self.sql(ADMINISTRATION, &statement)?;
        let unreadable =
            |_| TestbedError::Program { tried: statement, said: format!("it printed {printed:?}") };
        printed.parse().map_err(unreadable)
    }

    pub(crate) fn answers(&self) -> Result<(), TestbedError> {
        self.sql(ADMINISTRATION, "SELECT 1").map(drop)
    }

    pub(crate) fn socket_dir(&self) -> &Path {
        &self.socket_dir
    }
}

/// Runs a program with a text as its input; a thread writes, because the program may answer before it has read all.
fn fed(command: &mut Command, input: &str) -> io::Result<Output> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let stdin = child.stdin.take();
    thread::scope(|scope| {
        // A program that ends early closes its input; what it says is then worth more than the broken pipe.
        scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(input.as_bytes())));
        child.wait_with_output()
    })
}

fn identifier(name: &str) -> Result<String, TestbedError> {
    if name.is_empty() || name.len() > NAME_BYTES_MAX || name.contains('\0') {
        return Err(TestbedError::Name(name.to_owned()));
    }
    Ok(format!("\"{}\"", name.replace('"', "\"\"")))
}

fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn escaped(text: &str) -> String {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-~".contains(byte);
    let escape =
        |byte: u8| if is_plain(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(escape).collect()
}

fn shortened(statements: &str) -> String {
    const CHARS_SHOWN: usize = 200;
    let shown: String = statements.trim().chars().take(CHARS_SHOWN).collect();
    if shown.len() < statements.trim().len() { format!("{shown}…") } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_and_bounded() {
        assert_eq!(identifier("a\"b").unwrap(), "\"a\"\"b\"");
        assert!(identifier(&"a".repeat(63)).is_ok());
        for name in ["", "a\0b", &"a".repeat(64)] {
            assert!(matches!(identifier(name), Err(TestbedError::Name(_))), "{name:?}");
        }
        assert_eq!(literal("it's"), "'it''s'");
    }

    #[test]
    fn an_address_has_nothing_that_an_address_cannot_have() {
        assert_eq!(escaped("/tmp/baton-pg-x1/a b?&é"), "/tmp/baton-pg-x1/a%20b%3F%26%C3%A9");
    }

    #[test]
    fn a_long_statement_is_shown_by_its_beginning() {
        assert_eq!(shortened(" SELECT 1\n"), "SELECT 1");
        assert!(shortened(&"é".repeat(201)).ends_with("é…"));
    }
}
