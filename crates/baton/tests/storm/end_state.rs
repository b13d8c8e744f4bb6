//! How an issue stands in the end, without what may differ between two courses of the same events: claims, runs and times.

use std::collections::BTreeSet;

use baton_fixtures::{TestRepo, texts};
use serde_json::Value;

/// Stands in every comment that the outbox made, once.
const MARK: &str = "<!-- baton:effect=";

/// What people find in the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EndState {
    issue: String,
    labels: Vec<String>,
    comments: Vec<String>,
    pulls: Vec<Pull>,
    /// The messages and trees of the commits of the default branch, newest first.
    commits: Vec<(String, String)>,
    branches: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Pull {
    number: u64,
    text: String,
    state: String,
    comments: Vec<String>,
}

impl EndState {
    pub(crate) async fn of(repo: &TestRepo, number: u64) -> Self {
        let issue = repo.get(&format!("/issues/{number}")).await;
        let mut pulls = Vec::new();
        for pull in repo.pulls().await {
            pulls.push(read_pull(repo, &pull).await);
        }
        let commits = repo.get("/commits?per_page=100").await;
        let branches = repo.get("/branches?per_page=100").await;
        Self {
            issue: format!("{} {} {}", issue["state"], issue["title"], issue["body"]),
            labels: repo.labels(number).await,
            comments: said(repo, number).await,
            pulls,
            commits: commits.as_array().unwrap().iter().map(commit).collect(),
            branches: texts(&branches, "name"),
        }
    }
}

async fn read_pull(repo: &TestRepo, pull: &Value) -> Pull {
    let number = pull["number"].as_u64().unwrap();
    let is_merged = !pull["merged_at"].is_null();
    Pull {
        number,
        text: plain(&format!("{} {}", pull["title"], pull["body"]), &repo.name),
        state: format!(
            "{} draft {} merged {is_merged} {}",
            pull["state"], pull["draft"], pull["head"]["ref"]
        ),
        comments: said(repo, number).await,
    }
}

fn commit(commit: &Value) -> (String, String) {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    (text(&commit["commit"]["message"]), text(&commit["commit"]["tree"]["sha"]))
}

/// What was said on an issue or pull request, in order, without claims.
async fn said(repo: &TestRepo, number: u64) -> Vec<String> {
    let comments = repo.comments(number).await;
    let bodies = comments.iter().map(|comment| comment["body"].as_str().unwrap());
    bodies.filter(|body| !is_claim(body)).map(|body| plain(body, &repo.name)).collect()
}

fn is_claim(body: &str) -> bool {
    body.starts_with("<!-- agent-claim:") || body.starts_with("<!-- agent-release:")
}

/// Returns a text without marks and times, and without the names of commits, which differ from repository to repository.
fn plain(body: &str, repo: &str) -> String {
    let text = body.split(MARK).next().unwrap().trim().replace(repo, "REPO");
    let words = text.split_inclusive([' ', '\n', '*']);
    words.map(|word| if differs(word.trim_end_matches([' ', '\n', '*'])) { "… " } else { word }).collect()
}

fn differs(word: &str) -> bool {
    let is_commit = word.len() == 40 && word.chars().all(|c| c.is_ascii_hexdigit());
    let is_time = word.len() == 20 && word.ends_with('Z') && word.starts_with("20");
    is_commit || is_time
}

/// Insists that no effect has left two comments, that there is one pull request of an issue, and that it was merged once.
pub(crate) async fn nothing_is_there_twice(repo: &TestRepo, number: u64) {
    let branch = format!("baton/issue-{number}");
    let pulls: Vec<_> = repo.pulls().await.into_iter().filter(|pull| pull["head"]["ref"] == branch).collect();
    assert_eq!(pulls.len(), 1, "#{number} has {} pull requests: {pulls:#?}", pulls.len());
    assert!(!pulls[0]["merged_at"].is_null(), "#{number} was not merged");
    let pull = pulls[0]["number"].as_u64().unwrap();
    no_comment_is_there_twice(repo, number).await;
    no_comment_is_there_twice(repo, pull).await;
    let commits = repo.get("/commits?per_page=100").await;
    let is_merge = |commit: &&Value| {
        let message = commit["commit"]["message"].as_str().unwrap();
        message.contains(&format!("#{pull} "))
            || message.contains(&format!("#{pull}\n"))
            || message.ends_with(&format!("#{pull}"))
    };
    let merges = commits.as_array().unwrap().iter().filter(is_merge).count();
    assert_eq!(merges, 1, "#{pull} was merged {merges} times");
}

/// Insists that nothing was said twice in one place.
pub(crate) async fn no_comment_is_there_twice(repo: &TestRepo, place: u64) {
    let (mut marks, mut texts) = (BTreeSet::new(), BTreeSet::new());
    for comment in repo.comments(place).await {
        let body = comment["body"].as_str().unwrap();
        if let Some((text, mark)) = body.split_once(MARK) {
            assert!(marks.insert(mark.to_owned()), "twice on #{place}: {body}");
            assert!(texts.insert(text.to_owned()), "twice on #{place}: {body}");
        }
    }
}
