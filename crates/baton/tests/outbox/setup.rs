//! A forge with one repository, and what its issues show.

use std::time::Duration;

use baton_core::tracker::IssueKey;
use baton_fixtures::{TestForge, TestRepo};
use baton_github::{Auth, GitHub, RetrySettings, Settings};
use serde_json::Value;

pub(crate) const REPO: &str = "admin/web";

const CREATION: &str = "POST /repos/{owner}/{repo}/issues/{issue_number}/comments";
const DELETION: &str = "DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}";

/// A forge with the repository `admin/web`.
pub(crate) struct Setup {
    pub(crate) forge: TestForge,
    pub(crate) repo: TestRepo,
}

/// What people see of a comment: its author and what it says, without the hidden mark.
pub(crate) type Said = (String, String);

impl Setup {
    pub(crate) async fn new() -> Self {
        let (forge, repo) = TestForge::start_with_repo("web").await;
        Self { forge, repo }
    }

    /// Opens an issue that may be claimed.
    pub(crate) async fn issue(&self) -> IssueKey {
        let number = self.repo.issue("something to do", &["agent:implement"]).await;
        IssueKey { repo: REPO.parse().unwrap(), number }
    }

    /// Reads what was said on an issue, in order; the mark is taken off, and must be there at most once.
    pub(crate) async fn said(&self, issue: &IssueKey) -> Vec<Said> {
        self.repo.comments(issue.number).await.iter().map(said).collect()
    }

    /// Reads what was said on an issue by comments with a mark.
    pub(crate) async fn marked(&self, issue: &IssueKey) -> Vec<String> {
        let comments = self.repo.comments(issue.number).await;
        let is_marked = |comment: &&Value| comment["body"].as_str().unwrap().contains("<!-- baton:effect=");
        comments.iter().filter(is_marked).map(|comment| said(comment).1).collect()
    }

    /// Insists that no copy had to be removed: what must not be there twice was never sent twice.
    pub(crate) async fn nothing_was_deleted(&self) {
        let rows = self.forge.meter().await;
        let has = |words: &str| rows.iter().any(|row| row["endpoint"].as_str().unwrap().contains(words));
        assert!(!has(DELETION), "{rows:?}");
        assert!(has(CREATION), "the meter has other words: {rows:?}");
    }

    /// Makes an account, and returns its token. One that may write can push as well.
    pub(crate) async fn account(&self, login: &str, role: &str) -> String {
        let token = self.forge.account(login, role);
        if role == "write" {
            self.repo.permit(login, "push").await;
        }
        token
    }

    pub(crate) fn github(&self, token: &str) -> GitHub {
        github(&self.forge.url, token)
    }
}

fn said(comment: &Value) -> Said {
    let body = comment["body"].as_str().unwrap();
    let (text, rest) = body.split_once("\n\n<!-- baton:effect=").unwrap_or((body, ""));
    assert!(!rest.contains("baton:effect"), "{body}");
    (comment["user"]["login"].as_str().unwrap().to_owned(), text.to_owned())
}

/// A client whose pauses are short, because tests wait for them.
pub(crate) fn github(url: &str, token: &str) -> GitHub {
    GitHub::new(settings(url, token)).unwrap()
}

pub(crate) fn settings(url: &str, token: &str) -> Settings {
    let retry = RetrySettings { pause_first: Duration::from_millis(2), ..RetrySettings::default() };
    Settings { api_url: url.to_owned(), auth: Auth::token(token), retry, ..Settings::default() }
}
