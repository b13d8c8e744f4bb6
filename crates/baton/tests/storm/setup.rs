//! Where an engine is started, with settings, stages and a script for its agent, and how the issues of its board stand.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use baton_fixtures::clock::store_time;
use baton_fixtures::{TestEnv, TestForge, TestRepo};
use baton_store::SqlStore;
use baton_testbed::shared::TestDatabase;
use serde_json::json;

use crate::storm::journal::Journal;

/// How often the forge is asked whether something has come about.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Times that tests wait for are short.
const SETTINGS: &str = "poll: 1s
yolo: true
post_push_dwell: 0s
kill_grace: 500ms
workers: {heartbeat: 1s, ttl: 8s}
retry: {base: 100ms, cap: 1s}
claims: {settle: 100ms, visible_within: 1s, margin: 2s, sweep_every: 5s}
";
const AGENT: &str = "  coder: {adapter: script, script: coder.yaml}\n";

/// The stages: the shipped ones in short. Nobody reviews, since the tests have no reviewers.
const STAGES: [(&str, &str); 8] = [
    ("backlog", "order: -1\nholding_stage: true"),
    ("specify", "order: 0\nread_only: true"),
    ("research", "order: 1\nread_only: true"),
    ("plan", "order: 2\nread_only: true"),
    ("implement", "order: 3\npost_to_pr: true\ncreate_draft_pr: true\nmark_pr_ready_on_complete: true"),
    ("review", "order: 4\npost_to_pr: true\nwait_for_reviews: true\nexpected_reviewers: []"),
    ("validate", "order: 5\npost_to_pr: true\nwait_for_ci: true"),
    ("done", "order: 99\ncleanup_worktree: true"),
];

/// The store that an engine has to itself.
pub(crate) const SQLITE: &str = "sqlite:.baton/baton.db";

/// What is different from engine to engine.
pub(crate) struct Settings<'a> {
    /// The engine's name, which is also the operator's.
    pub(crate) name: &'a str,
    pub(crate) token: &'a str,
    pub(crate) api_url: &'a str,
    pub(crate) repo: &'a TestRepo,
    /// The value of `store`.
    pub(crate) store: &'a str,
    /// Further settings.
    pub(crate) more: &'a str,
}

/// Makes a place in which an engine can be started.
pub(crate) fn engine_env(root: &Path, settings: &Settings<'_>, journal: &Journal) -> TestEnv {
    let Settings { name, token, api_url, repo, store, more } = settings;
    let env = TestEnv::at(root).with("BATON_TOKEN", token);
    let own = format!(
        "user: {name}\ntracker: {{api_url: '{api_url}'}}\nrepos: [{}]\nstore: '{store}'\n{more}\n",
        repo.name
    );
    env.write("baton.yaml", &format!("{SETTINGS}agents:\n{AGENT}{own}"));
    for (stage, settings) in STAGES {
        let titled = format!("{}{}", stage[..1].to_uppercase(), &stage[1..]);
        let has_agent = stage != "done" && stage != "backlog";
        let prompt = if has_agent { "prompt: Do it.\n" } else { "" };
        let text = format!("name: {titled}\n{settings}\n{prompt}");
        env.write(&format!(".baton/stages/{stage}.yaml"), &text);
    }
    env.write("coder.yaml", &journal.script(name));
    env
}

/// Gives an engine another agent, as `baton.yaml` says it.
pub(crate) fn replace_agent(env: &TestEnv, agent: &str) {
    env.write("baton.yaml", &env.read("baton.yaml").replace(AGENT, agent));
}

/// Opens the database, or the store that an engine has to itself.
pub(crate) async fn open_store(env: &TestEnv, database: Option<&TestDatabase>) -> SqlStore {
    match database {
        Some(database) => SqlStore::postgres(&database.url()).await.unwrap(),
        None => SqlStore::sqlite(&env.path(".baton/baton.db"), Arc::new(store_time)).await.unwrap(),
    }
}

/// The last that the engines of a place have printed.
pub(crate) fn told(env: &TestEnv) -> String {
    let told = std::fs::read_to_string(env.root().join("engine.log")).unwrap_or_default();
    let lines: Vec<_> = told.lines().collect();
    let from = lines.len().saturating_sub(60);
    format!("\n-- {}\n{}", env.root().display(), lines[from..].join("\n"))
}

/// Makes a repository, and chooses how it decides who holds an issue.
pub(crate) async fn repo_with_protocol(forge: &TestForge, name: &str, protocol: &str) -> TestRepo {
    forge.admin.must("POST", "/user/repos", &json!({ "name": name }), 201).await;
    let repo = forge.at(name);
    // The same first commit everywhere, so that trees can be compared; `auto_init` would write the name into it.
    let file = json!({ "message": "Begin", "content": "QSBwbGFjZS4K" });
    repo.send("PUT", "/contents/README.md", file).await;
    let operator = TestEnv::of(forge, "operator");
    operator.run_async(&["protocol", "set", protocol, "--repo", &repo.name]).await.exits(0);
    repo
}

/// Makes an account that may write to a repository, and returns its token.
pub(crate) async fn writer(forge: &TestForge, login: &str, repo: &TestRepo) -> String {
    let token = forge.account(login, "write");
    repo.permit(login, "push").await;
    token
}

/// Opens an issue in the first column of the board, which is to go all the way by itself.
pub(crate) async fn wish(repo: &TestRepo, title: &str) -> u64 {
    repo.issue(title, &["stage:Specify", "baton:yolo"]).await
}

/// Returns whether an issue has come to its end: closed, in the last column, and with nothing left to do.
pub(crate) async fn is_done(repo: &TestRepo, number: u64) -> bool {
    let is_open = repo.is_open(number).await;
    let labels = repo.labels(number).await;
    let has = |label: &str| labels.iter().any(|it| it == label);
    // The last write of all says that the claim was handed back.
    !is_open && has("stage:Done:complete") && has("agent:done") && !labels.iter().any(|it| is_passing(it))
}

/// Whether a label says that somebody is at work, so that it must go in the end.
fn is_passing(label: &str) -> bool {
    label.starts_with("baton:locked") || label.ends_with(":in_progress") || label.ends_with(":editing")
}

/// Waits until all these issues are done. `show` is asked for what to print when they never are.
pub(crate) async fn until_done(repo: &TestRepo, issues: &[u64], within: Duration, show: impl Fn() -> String) {
    let started = Instant::now();
    let mut left = issues.to_vec();
    while !left.is_empty() {
        let mut still = Vec::new();
        for number in left {
            if !is_done(repo, number).await {
                still.push(number);
            }
        }
        left = still;
        if started.elapsed() >= within {
            panic!("not done within {within:?}: {}{}", described(repo, &left).await, show());
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// What stands on issues, for the reader of a failure.
pub(crate) async fn described(repo: &TestRepo, issues: &[u64]) -> String {
    let mut text = String::new();
    for number in issues {
        let labels = repo.labels(*number).await;
        text.push_str(&format!("\n{}#{number} {labels:?}", repo.name));
        for comment in repo.comments(*number).await {
            let body: String = comment["body"].as_str().unwrap().chars().take(300).collect();
            text.push_str(&format!("\n  {}: {body:?}", comment["user"]["login"]));
        }
    }
    text
}
