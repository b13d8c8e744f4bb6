//! A place at a machine: an account, a state directory and an environment from which `baton` is run.

use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use serde_json::Value;
use tokio::process::Command;

use crate::claims::waiting::SOON;

/// How long a hold lasts where nobody waits for its end.
pub(crate) const TTL_S: i64 = 60;
/// How long a hold lasts that is renewed, or whose end is waited for.
pub(crate) const SHORT_TTL_S: i64 = 10;
/// How long a bid lasts.
pub(crate) const BID_TTL_S: i64 = 20;
/// How far beyond its ttl others honour a claim: twice the time to settle, which is more than the margin.
pub(crate) const GRACE_S: i64 = 2;
/// How long before its ttl a holder stops.
pub(crate) const MARGIN_S: i64 = 1;

#[derive(Debug, Clone)]
pub(crate) struct Seat {
    pub(crate) login: String,
    pub(crate) token: String,
    pub(crate) url: String,
    pub(crate) state: PathBuf,
    variables: Vec<(String, String)>,
}

/// What a run of `baton` came to.
#[derive(Debug, Clone)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    fn of(output: Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        Self {
            code: output.status.code().unwrap_or(-1),
            out: text(&output.stdout),
            err: text(&output.stderr),
        }
    }

    /// What it printed, as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Insists on an exit code.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:?}");
        self
    }

    /// Insists on words in what it printed, for people or in its complaint.
    #[track_caller]
    pub(crate) fn says(self, words: &str) -> Self {
        assert!(self.out.contains(words) || self.err.contains(words), "`{words}` is not in {self:?}");
        self
    }
}

impl Seat {
    pub(crate) fn new(login: &str, token: &str, url: &str, state: &Path) -> Self {
        let variables = [
            ("BATON_CLAIMS_TTL", format!("{TTL_S}s")),
            ("BATON_CLAIMS_BID_TTL", format!("{BID_TTL_S}s")),
            ("BATON_CLAIMS_MARGIN", format!("{MARGIN_S}s")),
            ("BATON_CLAIMS_SETTLE", "1s".to_owned()),
            ("BATON_REQUEST_TIMEOUT", "3s".to_owned()),
            ("BATON_CODENAME", login.to_owned()),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value)).to_vec();
        let (login, token, url) = (login.to_owned(), token.to_owned(), url.to_owned());
        std::fs::create_dir_all(state).unwrap();
        Self { login, token, url, state: state.to_owned(), variables }
    }

    /// The same seat with one more variable.
    pub(crate) fn with(&self, name: &str, value: &str) -> Self {
        let mut seat = self.clone();
        seat.variables.push((name.to_owned(), value.to_owned()));
        seat
    }

    /// The same seat with holds that are over soon.
    pub(crate) fn with_short_holds(&self) -> Self {
        self.with("BATON_CLAIMS_TTL", &format!("{SHORT_TTL_S}s")).with("BATON_REQUEST_TIMEOUT", "1s")
    }

    /// The same account at another machine, which reaches the tracker at another address.
    pub(crate) fn elsewhere(&self, name: &str, url: &str) -> Self {
        let state = self.state.with_file_name(name);
        std::fs::create_dir_all(&state).unwrap();
        Self { state, url: url.to_owned(), ..self.clone() }
    }

    /// A run that has not been started. Nothing of the test's own environment or checkout reaches it.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_baton"));
        command
            .args(arguments)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", &self.state)
            .env("BATON_GITHUB_API_URL", &self.url)
            .env("BATON_TOKEN", &self.token)
            .env("BATON_STATE_DIR", &self.state)
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .current_dir(&self.state)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }

    pub(crate) async fn run(&self, arguments: &[&str]) -> Ran {
        let output = tokio::time::timeout(SOON, self.command(arguments).output()).await;
        Ran::of(output.unwrap_or_else(|_| panic!("`baton {}` hangs", arguments.join(" "))).unwrap())
    }

    /// Waits for a run that was started.
    pub(crate) async fn end(child: tokio::process::Child) -> Ran {
        Ran::of(tokio::time::timeout(SOON, child.wait_with_output()).await.expect("it hangs").unwrap())
    }

    /// The deadline of this machine's hold, by the boot clock.
    pub(crate) fn deadline_ms(&self) -> Option<u64> {
        let files = std::fs::read_dir(self.state.join("leases")).ok()?;
        let texts = files.filter_map(|file| std::fs::read_to_string(file.ok()?.path()).ok());
        let mut leases = texts.filter_map(|text| serde_json::from_str::<Value>(&text).ok());
        leases.find_map(|lease| find(&lease, "deadline_ms"))
    }
}

/// Finds a number under a key, however deep.
fn find(value: &Value, key: &str) -> Option<u64> {
    match value {
        Value::Object(map) => {
            map.get(key).and_then(Value::as_u64).or_else(|| map.values().find_map(|inner| find(inner, key)))
        }
        _ => None,
    }
}
