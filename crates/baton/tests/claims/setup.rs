//! A forge with one repository, accounts that each have a machine of their own, and what can be seen of the issues.

use std::fmt;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

use baton_fixtures::clock::wall_s;
use baton_fixtures::wait::in_parallel;
use baton_fixtures::{CommandOutput, TOKEN, TestEnv, TestForge, TestRepo};
use serde_json::{Value, json};

pub(crate) const REPO: &str = "admin/web";

/// How many claimants are at work at a time. Most of what they do is waiting.
pub(crate) const AT_ONCE: usize = 8;

/// How long a hold lasts where nobody waits for its end.
pub(crate) const TTL_S: i64 = 60;
/// How long a hold lasts that is renewed, or whose end is waited for.
const SHORT_TTL_S: i64 = 24;
/// How long a bid lasts. A margin and a request with its repetitions come off it; the rest is for the decision.
pub(crate) const BID_TTL_S: i64 = 60;
/// How far beyond its ttl others honour a claim: twice the time to settle, which is more than the margin.
pub(crate) const GRACE_S: i64 = 2;
/// How long before its ttl a holder stops.
const MARGIN_S: i64 = 1;

/// How the repository decides who holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    Comment,
    Ref,
}

impl Protocol {
    pub(crate) const BOTH: [Self; 2] = [Self::Comment, Self::Ref];
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Comment => "comment",
            Self::Ref => "ref",
        })
    }
}

/// What has happened to an issue before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Past {
    /// Nothing.
    None,
    /// Someone has held it and handed it back.
    HandedBack,
    /// Someone holds it who is dead, and whose lease is over.
    Abandoned,
}

/// Where an account runs commands about claims. Its state is in its working directory.
pub(crate) fn claimant(forge: &TestForge, name: &str, login: &str, token: &str) -> TestEnv {
    TestEnv::of(forge, name).with_all(&[
        ("BATON_TOKEN", token),
        ("BATON_CODENAME", login),
        ("BATON_STATE_DIR", "."),
        ("BATON_CLAIMS_TTL", &format!("{TTL_S}s")),
        ("BATON_CLAIMS_BID_TTL", &format!("{BID_TTL_S}s")),
        ("BATON_CLAIMS_MARGIN", &format!("{MARGIN_S}s")),
        ("BATON_CLAIMS_SETTLE", "1s"),
        ("BATON_REQUEST_TIMEOUT", "5s"),
    ])
}

/// The same with holds that are over soon. A hold must have time for six requests and its margin.
pub(crate) fn with_short_holds(env: TestEnv) -> TestEnv {
    let request_timeout_s = (SHORT_TTL_S - MARGIN_S) / 6;
    env.with("BATON_CLAIMS_TTL", &format!("{SHORT_TTL_S}s"))
        .with("BATON_REQUEST_TIMEOUT", &format!("{request_timeout_s}s"))
}

/// The same account at another machine, which reaches the tracker at another address.
pub(crate) fn elsewhere(env: &TestEnv, name: &str, url: &str) -> TestEnv {
    env.beside(name).with("BATON_GITHUB_API_URL", url)
}

/// Claims an issue once, and answers in JSON.
pub(crate) async fn claim(env: &TestEnv, issue: u64) -> CommandOutput {
    env.run_async(&["claim", &reference(issue), "--json"]).await
}

/// Who holds an issue.
pub(crate) async fn check(env: &TestEnv, issue: u64) -> CommandOutput {
    env.run_async(&["check", &reference(issue), "--json"]).await
}

pub(crate) struct Setup {
    pub(crate) protocol: Protocol,
    pub(crate) forge: TestForge,
    pub(crate) repo: TestRepo,
    machines: AtomicU32,
    ahead_s: AtomicI64,
}

impl Setup {
    /// A repository in which nobody has done anything but choose the protocol.
    pub(crate) async fn new(protocol: Protocol) -> Self {
        let (forge, repo) = TestForge::start_with_repo("web").await;
        let setup = Self { protocol, forge, repo, machines: AtomicU32::new(0), ahead_s: AtomicI64::new(0) };
        if protocol == Protocol::Ref {
            setup.operator().run_async(&["protocol", "set", "ref", "--repo", REPO]).await.exits(0);
        }
        setup
    }

    /// The repository's owner, at a machine of its own.
    pub(crate) fn operator(&self) -> TestEnv {
        self.machine("admin", TOKEN)
    }

    fn machine(&self, login: &str, token: &str) -> TestEnv {
        let number = self.machines.fetch_add(1, Ordering::Relaxed);
        claimant(&self.forge, &format!("{number}-{login}"), login, token)
    }

    /// An account with a permission (`pull`, `push`, …) on the repository, or none; its token may write anywhere.
    pub(crate) async fn account(&self, login: &str, permission: Option<&str>) -> TestEnv {
        let token = self.forge.account(login, "write");
        if let Some(permission) = permission {
            self.repo.permit(login, permission).await;
        }
        self.machine(login, &token)
    }

    /// An account that may write.
    pub(crate) async fn worker(&self, login: &str) -> TestEnv {
        self.account(login, Some("push")).await
    }

    /// Opens an issue that may be claimed.
    pub(crate) async fn issue(&self) -> u64 {
        self.repo.issue("something to do", &["agent:implement"]).await
    }

    /// Opens many issues with a past.
    pub(crate) async fn issues_with_past(&self, past: Past, ghost: &TestEnv, count: usize) -> Vec<u64> {
        let mut issues = Vec::new();
        for _ in 0..count {
            issues.push(self.issue().await);
        }
        if past == Past::None {
            return issues;
        }
        let lives = issues.iter().map(|issue| {
            let (ghost, name) = (ghost.clone(), reference(*issue));
            async move {
                ghost.run_async(&["claim", &name]).await.exits(0);
                if past == Past::HandedBack {
                    ghost.run_async(&["release", &name, "--outcome", "cancelled"]).await.exits(0);
                }
            }
        });
        in_parallel(AT_ONCE, lives.collect::<Vec<_>>()).await;
        self.run_clock_from(self.now_s() + TTL_S + GRACE_S + 1).await;
        issues
    }

    /// The commit at an issue's claim ref, if there is one.
    pub(crate) async fn tip(&self, issue: u64) -> Option<Value> {
        let sha = self.repo.tip(&format!("refs/baton/claims/{issue}")).await?;
        Some(self.repo.get(&format!("/git/commits/{sha}")).await)
    }

    /// All that can be seen of an issue.
    pub(crate) async fn dump(&self, issue: u64) -> Value {
        let repo = &self.repo;
        json!({
            "issue": repo.get(&format!("/issues/{issue}")).await,
            "comments": repo.get(&format!("/issues/{issue}/comments?per_page=100")).await,
            "events": repo.get(&format!("/issues/{issue}/events?per_page=100")).await,
            "tip": self.tip(issue).await,
        })
    }

    /// All that can be seen of the repository.
    pub(crate) async fn dump_all(&self) -> Value {
        let repo = &self.repo;
        let mut dumps = Vec::new();
        for issue in repo.pages("/issues?state=all").await {
            dumps.push(self.dump(issue["number"].as_u64().unwrap()).await);
        }
        json!({
            "issues": dumps,
            "labels": repo.get("/labels?per_page=100").await,
            "branches": repo.get("/git/matching-refs/heads").await,
            "claims": repo.get("/git/matching-refs/baton").await,
        })
    }

    /// Makes the forge's clock run, so many seconds ahead of this machine's.
    pub(crate) async fn run_clock(&self, ahead_s: i64) {
        self.forge.shift_clock(ahead_s).await;
        self.ahead_s.store(ahead_s, Ordering::Relaxed);
    }

    /// Makes the forge's clock run on from a moment that it has not come to yet.
    pub(crate) async fn run_clock_from(&self, at_s: i64) {
        let ahead_s = self.ahead_s.load(Ordering::Relaxed);
        self.run_clock(ahead_s.max(at_s - wall_s())).await;
    }

    /// The forge's time, while its clock runs.
    pub(crate) fn now_s(&self) -> i64 {
        wall_s() + self.ahead_s.load(Ordering::Relaxed)
    }
}

/// Insists that two dumps are the same, and names the first place where they are not.
#[track_caller]
pub(crate) fn assert_same(before: &Value, after: &Value, what: &str) {
    if let Some((place, was, is)) = difference("", before, after) {
        panic!("{what}: {place} was {was} and is {is}");
    }
}

fn difference(place: &str, before: &Value, after: &Value) -> Option<(String, Value, Value)> {
    match (before, after) {
        (Value::Object(was), Value::Object(is)) if was.keys().eq(is.keys()) => {
            was.iter().find_map(|(key, value)| difference(&format!("{place}/{key}"), value, &is[key]))
        }
        (Value::Array(was), Value::Array(is)) if was.len() == is.len() => {
            let pairs = was.iter().zip(is).enumerate();
            pairs.into_iter().find_map(|(at, (was, is))| difference(&format!("{place}/{at}"), was, is))
        }
        _ => (before != after).then(|| (place.to_owned(), before.clone(), after.clone())),
    }
}

/// How an issue is named on the command line.
pub(crate) fn reference(issue: u64) -> String {
    format!("{REPO}#{issue}")
}
