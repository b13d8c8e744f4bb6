//! Why there is no database to test with.
//!
//! Every variant is for the person who runs the tests: nothing here is decided upon by a program.

use std::io;
use std::time::Duration;

/// The server or its programs could not be used.
#[derive(Debug, thiserror::Error)]
pub enum TestbedError {
    /// No directory has all programs of PostgreSQL.
    #[error(
        "no directory has {}; looked in {}; install PostgreSQL's server (Debian: `postgresql`, Homebrew: `postgresql@16`)",
        wanted.join(", "),
        looked_in.join(", ")
    )]
    ProgramsMissing {
        /// The programs that must be together.
        wanted: Vec<&'static str>,
        /// Every directory that was tried, with what it lacks.
        looked_in: Vec<String>,
    },
    /// PostgreSQL refuses to run as root, and there is no other account to run it as.
    #[error("PostgreSQL does not run as root, and the account `nobody` cannot be used instead: {0}")]
    NoAccount(String),
    /// Something about the private directory or a process failed.
    #[error("{tried} failed")]
    Io {
        /// What was tried, with the path.
        tried: String,
        /// What came back.
        #[source]
        source: io::Error,
    },
    /// A program of PostgreSQL ended with a failure.
    #[error("{tried} failed: {said}")]
    Program {
        /// What was tried.
        tried: String,
        /// What the program said.
        said: String,
    },
    /// The server ended before it was ready, or did not become ready in time.
    #[error("the server {became} within {} s; its log ends with:\n{log}", waited.as_secs())]
    NotReady {
        /// What became of it instead.
        became: String,
        /// How long it was waited for.
        waited: Duration,
        /// The last lines of its log.
        log: String,
    },
    /// The server that the environment names does not answer.
    #[error(
        "{variable} names the server at `{place}`, which does not answer; unset it, and a server is started instead"
    )]
    NamedServer {
        /// The variable.
        variable: &'static str,
        /// Its value.
        place: String,
        /// What `psql` said.
        #[source]
        source: Box<TestbedError>,
    },
    /// PostgreSQL would cut the name of a database, or cannot have it.
    #[error("`{0}` cannot be the name of a database; it must have 1 to 63 bytes, none of them zero")]
    Name(String),
}

impl TestbedError {
    pub(crate) fn io(tried: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let tried = tried.into();
        |source| Self::Io { tried, source }
    }
}
