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
mod setup;
mod sight;
mod writes;

use std::time::Duration;

use baton_core::RepoSlug;
use baton_core::tracker::IssueKey;
use baton_fixtures::{TOKEN, TestForge, TestRepo};
use baton_github::{Auth, GitHub, RetrySettings, Settings};
use baton_ports::{TrackerError, TrackerErrorKind};
use serde_json::{Value, json};

pub(crate) const COMMENTS: &str = "/repos/admin/web/issues/1/comments";

/// A forge with one repository, `admin/web`, that has a first commit and issue 1, and the client that is tested.
pub(crate) struct Setup {
    pub(crate) forge: TestForge,
    pub(crate) repo: TestRepo,
    pub(crate) github: GitHub,
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

impl Setup {
    pub(crate) async fn new() -> Self {
        let (forge, repo) = TestForge::start_with_repo("web").await;
        repo.post("/issues", json!({ "title": "first" })).await;
        let github = github(&forge.url, TOKEN);
        Self { forge, repo, github }
    }

    /// Makes the next requests fail.
    pub(crate) async fn fault(&self, method: &str, path: &str, when: &str, kind: Value, times: u64) {
        let matching = json!({ "method": method, "path_contains": path });
        self.forge.fault(matching, when, kind, 0, Some(times)).await;
    }

    /// Returns how many comments issue 1 has.
    pub(crate) async fn comments(&self) -> usize {
        self.repo.get("/issues/1/comments").await.as_array().unwrap().len()
    }

    /// Returns how often an endpoint was answered with a status since the meter was cleared.
    pub(crate) async fn metered(&self, endpoint: &str, status: u64) -> u64 {
        let rows = self.forge.meter().await;
        let same = rows.iter().filter(|row| row["endpoint"] == endpoint && row["status"] == status);
        same.map(|row| row["count"].as_u64().unwrap()).sum()
    }

    /// Returns a client for another account.
    pub(crate) fn second(&self, login: &str, role: &str) -> GitHub {
        github(&self.forge.url, &self.forge.account(login, role))
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
