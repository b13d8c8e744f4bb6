//! Where the tests happen: a forge of their own with a repository, accounts, issues, and a clock that can be moved.

use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::claims::seat::{GRACE_S, Ran, Seat, TTL_S};
use crate::claims::waiting::{AT_ONCE, in_parallel};
use crate::support::{self, Client, ForgeProcess, TOKEN};

pub(crate) const REPO: &str = "admin/web";

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

pub(crate) struct World {
    pub(crate) protocol: Protocol,
    pub(crate) admin: Client,
    pub(crate) url: String,
    directory: PathBuf,
    seats: AtomicU32,
    ahead_s: AtomicI64,
    forge: ForgeProcess,
    _temporary: tempfile::TempDir,
}

impl World {
    /// A world in which nobody has done anything but choose the protocol.
    pub(crate) async fn new(protocol: Protocol) -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let forge = ForgeProcess::start(&temporary.path().join("data"), &[]);
        let admin = Client::new(&forge.url, Some(TOKEN));
        admin.must("POST", "/user/repos", &json!({ "name": "web", "auto_init": true }), 201).await;
        let (url, directory) = (forge.url.clone(), temporary.path().to_owned());
        let (seats, ahead_s) = (AtomicU32::new(0), AtomicI64::new(0));
        let world = Self { protocol, admin, url, directory, seats, ahead_s, forge, _temporary: temporary };
        if protocol == Protocol::Ref {
            world.operator().run(&["protocol", "set", "ref", "--repo", REPO]).await.exits(0);
        }
        world
    }

    /// The repository's owner, at a machine of its own.
    pub(crate) fn operator(&self) -> Seat {
        self.at("admin", TOKEN)
    }

    fn at(&self, login: &str, token: &str) -> Seat {
        let number = self.seats.fetch_add(1, Ordering::Relaxed);
        Seat::new(login, token, &self.url, &self.directory.join(format!("seat-{number}-{login}")))
    }

    /// An account with a permission (`pull`, `push`, …) on the repository, or none; its token may write anywhere.
    pub(crate) async fn account(&self, login: &str, permission: Option<&str>) -> Seat {
        let data = self.forge.data.to_str().unwrap();
        let run = |arguments: &[&str]| {
            let (code, printed, complaint) = support::baton(&[arguments, &["--data", data]].concat());
            assert_eq!(code, 0, "{complaint}");
            printed
        };
        run(&["forge", "user", "add", login]);
        let token = run(&["forge", "token", "create", "--user", login, "--role", "write"]);
        if let Some(permission) = permission {
            let path = format!("/repos/{REPO}/collaborators/{login}");
            self.admin.must("PUT", &path, &json!({ "permission": permission }), 204).await;
        }
        self.at(login, &token)
    }

    /// An account that may write.
    pub(crate) async fn worker(&self, login: &str) -> Seat {
        self.account(login, Some("push")).await
    }

    /// Opens an issue with labels, and returns its number.
    pub(crate) async fn issue_with(&self, labels: &[&str]) -> u64 {
        let body = json!({ "title": "something to do", "labels": labels });
        self.post("/issues", body).await["number"].as_u64().unwrap()
    }

    /// Opens an issue that may be claimed.
    pub(crate) async fn issue(&self) -> u64 {
        self.issue_with(&["agent:implement"]).await
    }

    /// Opens many issues that may be claimed.
    pub(crate) async fn issues(&self, count: usize) -> Vec<u64> {
        let mut issues = Vec::new();
        for _ in 0..count {
            issues.push(self.issue().await);
        }
        issues
    }

    /// Opens many issues with a past.
    pub(crate) async fn issues_with_past(&self, past: Past, ghost: &Seat, count: usize) -> Vec<u64> {
        let issues = self.issues(count).await;
        if past == Past::None {
            return issues;
        }
        let lives = issues.iter().map(|issue| {
            let (ghost, name) = (ghost.clone(), reference(*issue));
            async move {
                ghost.run(&["claim", &name]).await.exits(0);
                if past == Past::HandedBack {
                    ghost.run(&["release", &name, "--outcome", "cancelled"]).await.exits(0);
                }
            }
        });
        in_parallel(AT_ONCE, lives.collect::<Vec<_>>()).await;
        self.run_clock_from(self.now_s() + TTL_S + GRACE_S + 1).await;
        issues
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        self.admin.must("GET", &format!("/repos/{REPO}{path}"), &Value::Null, 200).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Value {
        self.admin.must("POST", &format!("/repos/{REPO}{path}"), &body, 201).await
    }

    pub(crate) async fn put_label(&self, issue: u64, label: &str) {
        let path = format!("/repos/{REPO}/issues/{issue}/labels");
        self.admin.must("POST", &path, &json!({ "labels": [label] }), 200).await;
    }

    pub(crate) async fn take_label(&self, issue: u64, label: &str) {
        let path = format!("/repos/{REPO}/issues/{issue}/labels/{label}");
        self.admin.must("DELETE", &path, &Value::Null, 200).await;
    }

    /// The names of an issue's labels, in order of the alphabet.
    pub(crate) async fn labels(&self, issue: u64) -> Vec<String> {
        let labels = self.get(&format!("/issues/{issue}/labels")).await;
        let names = labels.as_array().unwrap().iter().map(|label| label["name"].as_str().unwrap().to_owned());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }

    /// The bodies of an issue's comments.
    pub(crate) async fn bodies(&self, issue: u64) -> Vec<String> {
        let comments = self.get(&format!("/issues/{issue}/comments?per_page=100")).await;
        comments.as_array().unwrap().iter().map(|it| it["body"].as_str().unwrap().to_owned()).collect()
    }

    /// The commit at an issue's claim ref, if there is one.
    pub(crate) async fn tip(&self, issue: u64) -> Option<Value> {
        let path = format!("/repos/{REPO}/git/ref/baton/claims/{issue}");
        let answer = self.admin.ask("GET", &path, &Value::Null).await;
        let sha = answer.json()["object"]["sha"].as_str()?.to_owned();
        Some(self.get(&format!("/git/commits/{sha}")).await)
    }

    /// All that can be seen of an issue.
    pub(crate) async fn dump(&self, issue: u64) -> Value {
        json!({
            "issue": self.get(&format!("/issues/{issue}")).await,
            "comments": self.get(&format!("/issues/{issue}/comments?per_page=100")).await,
            "events": self.get(&format!("/issues/{issue}/events?per_page=100")).await,
            "tip": self.tip(issue).await,
        })
    }

    /// All that can be seen of the repository.
    pub(crate) async fn dump_all(&self) -> Value {
        let issues = self.get("/issues?state=all&per_page=100").await;
        let mut dumps = Vec::new();
        for issue in issues.as_array().unwrap() {
            dumps.push(self.dump(issue["number"].as_u64().unwrap()).await);
        }
        json!({
            "issues": dumps,
            "labels": self.get("/labels?per_page=100").await,
            "branches": self.get("/git/matching-refs/heads").await,
            "claims": self.get("/git/matching-refs/baton").await,
        })
    }

    /// Makes the forge's clock run, so many seconds ahead of this machine's.
    pub(crate) async fn run_clock(&self, ahead_s: i64) {
        self.admin.must("PUT", "/_forge/clock", &json!({ "offset_s": ahead_s }), 200).await;
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

    /// Stops the forge's clock.
    pub(crate) async fn freeze_clock(&self, at_s: i64) {
        self.admin.must("PUT", "/_forge/clock", &json!({ "frozen_at": at_s }), 200).await;
    }

    /// Claims an issue once, and answers in JSON.
    pub(crate) async fn claim(&self, seat: &Seat, issue: u64) -> Ran {
        seat.run(&["claim", &reference(issue), "--json"]).await
    }

    /// Who holds an issue.
    pub(crate) async fn check(&self, seat: &Seat, issue: u64) -> Ran {
        seat.run(&["check", &reference(issue), "--json"]).await
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

/// This machine's wall clock, which the forge's follows unless it is moved.
pub(crate) fn wall_s() -> i64 {
    i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()).unwrap()
}
