//! The GitHub client against the real forge, with real connections that fail in every way a server can make them; and
//! against a server that says what a test wants, where the forge is too well behaved.

mod app;
mod boards;
mod faults;
mod graph;
mod limits;
mod odd_servers;
mod pages;
mod pulls;
mod reads;
mod refs;
mod relay;
mod scripted;
mod setup;
mod sight;
mod writes;

use std::time::Duration;

use baton_core::RepoSlug;
use baton_core::tracker::IssueKey;
use baton_github::{Auth, GitHub, RetrySettings, Settings};
use baton_ports::{TrackerError, TrackerErrorKind};
use serde_json::{Value, json};

use crate::support::{Client, ForgeProcess, TOKEN};

pub(crate) const COMMENTS: &str = "/repos/admin/web/issues/1/comments";

/// A forge of its own with one repository, `admin/web`, that has a first commit and issue 1.
pub(crate) struct World {
    pub(crate) forge: ForgeProcess,
    pub(crate) client: Client,
    pub(crate) github: GitHub,
    _directory: tempfile::TempDir,
}

/// Settings whose pauses are short, because tests wait for them.
pub(crate) fn settings(url: &str, auth: Auth) -> Settings {
    let pause_first = Duration::from_millis(2);
    let retry = RetrySettings { pause_first, ..RetrySettings::default() };
    Settings { api_url: url.to_owned(), auth, retry, ..Settings::default() }
}

pub(crate) fn github(url: &str, token: &str) -> GitHub {
    GitHub::new(settings(url, Auth::token(token))).unwrap()
}

pub(crate) fn repo() -> RepoSlug {
    "admin/web".parse().unwrap()
}

pub(crate) fn issue(number: u64) -> IssueKey {
    IssueKey { repo: repo(), number }
}

impl World {
    pub(crate) async fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let forge = ForgeProcess::start(&directory.path().join("data"), &[]);
        // Made first, because it sets up TLS for the plain client too, which would not build without.
        let github = github(&forge.url, TOKEN);
        let client = Client::new(&forge.url, Some(TOKEN));
        client.must("POST", "/user/repos", &json!({ "name": "web", "auto_init": true }), 201).await;
        client.must("POST", "/repos/admin/web/issues", &json!({ "title": "first" }), 201).await;
        Self { forge, client, github, _directory: directory }
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        self.client.must("GET", &format!("/repos/admin/web{path}"), &Value::Null, 200).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Value {
        self.client.must("POST", &format!("/repos/admin/web{path}"), &body, 201).await
    }

    pub(crate) async fn turn(&self, knobs: Value) {
        self.client.must("PATCH", "/_forge/knobs", &knobs, 200).await;
    }

    /// Makes the next requests fail.
    pub(crate) async fn fault(&self, method: &str, path: &str, when: &str, kind: Value, times: u64) {
        let matching = json!({ "method": method, "path_contains": path });
        let fault = json!({ "matching": matching, "when": when, "kind": kind, "times": times });
        self.turn(json!({ "faults": [fault] })).await;
    }

    pub(crate) async fn comments(&self) -> usize {
        self.get("/issues/1/comments").await.as_array().unwrap().len()
    }

    /// Returns how often an endpoint was answered with a status since the meter was cleared.
    pub(crate) async fn metered(&self, endpoint: &str, status: u64) -> u64 {
        let rows = self.client.must("GET", "/_forge/meter", &Value::Null, 200).await;
        let rows = rows.as_array().unwrap().iter();
        let same = rows.filter(|row| row["endpoint"] == endpoint && row["status"] == status);
        same.map(|row| row["count"].as_u64().unwrap()).sum()
    }

    pub(crate) async fn clear_meter(&self) {
        self.client.must("DELETE", "/_forge/meter", &Value::Null, 204).await;
    }

    /// A client for another account.
    pub(crate) fn second(&self, login: &str, role: &str) -> GitHub {
        github(&self.forge.url, &self.account(login, role))
    }

    /// Makes another account, and returns a token of it.
    pub(crate) fn account(&self, login: &str, role: &str) -> String {
        let data = self.forge.data.to_str().unwrap();
        let (code, _, complaint) = crate::support::baton(&["forge", "user", "add", login, "--data", data]);
        assert_eq!(code, 0, "{complaint}");
        let create = ["forge", "token", "create", "--data", data, "--user", login, "--role", role];
        let (code, token, complaint) = crate::support::baton(&create);
        assert_eq!(code, 0, "{complaint}");
        token.trim().to_owned()
    }
}

/// Insists on a kind of error, and that nothing secret is in it.
#[track_caller]
pub(crate) fn refused<T: std::fmt::Debug>(
    answer: Result<T, TrackerError>,
    kind: TrackerErrorKind,
) -> TrackerError {
    let error = answer.expect_err("it should be refused");
    assert_eq!(error.kind, kind, "{error}");
    assert!(!format!("{error} {error:?}").contains(TOKEN), "{error:?}");
    error
}
