//! Where the tests happen: a forge of their own with three repositories, a clone of each, and people who use the API.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};

use crate::chain::seat::Seat;
use crate::support::{Client, ForgeProcess, TOKEN};

pub(crate) const REPOS: [&str; 3] = ["api", "web", "docs"];

pub(crate) struct World {
    pub(crate) admin: Client,
    pub(crate) url: String,
    seats: AtomicU32,
    temporary: tempfile::TempDir,
    _forge: ForgeProcess,
}

impl World {
    /// Three repositories with a first commit each.
    pub(crate) async fn new() -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let forge = ForgeProcess::start(&temporary.path().join("data"), &[]);
        let admin = Client::new(&forge.url, Some(TOKEN));
        for repo in REPOS {
            admin.must("POST", "/user/repos", &json!({ "name": repo, "auto_init": true }), 201).await;
            git(temporary.path(), &["clone", "-q", &format!("{}/admin/{repo}.git", forge.url), repo]);
        }
        let url = forge.url.clone();
        Self { admin, url, seats: AtomicU32::new(0), temporary, _forge: forge }
    }

    /// The same, with a branch for a feature in every repository.
    pub(crate) async fn with_branches(feature: &str) -> Self {
        let world = Self::new().await;
        REPOS.iter().for_each(|repo| world.push(repo, &[&branch(feature)]));
        world
    }

    /// Commits in the clone of a repository, and pushes the commit as branches.
    pub(crate) fn push(&self, repo: &str, branches: &[&str]) {
        let clone = self.temporary.path().join(repo);
        let commit = ["commit", "-q", "--allow-empty", "-m", "work"];
        git(&clone, &commit);
        let basic = base64(&format!("admin:{TOKEN}"));
        let header = format!("http.extraHeader=Authorization: Basic {basic}");
        let specs = branches.iter().map(|branch| format!("HEAD:refs/heads/{branch}")).collect::<Vec<_>>();
        let mut arguments = vec!["-c", &header, "push", "-q", "origin"];
        arguments.extend(specs.iter().map(String::as_str));
        git(&clone, &arguments);
    }

    /// A machine of its own.
    pub(crate) fn seat(&self) -> Seat {
        self.seat_at(&self.url)
    }

    /// A machine of its own that reaches the tracker at another address.
    pub(crate) fn seat_at(&self, url: &str) -> Seat {
        let number = self.seats.fetch_add(1, Ordering::Relaxed);
        let state = self.temporary.path().join(format!("seat-{number}"));
        Seat::new("admin", TOKEN, url, &state).with("BATON_CLAIMS_VISIBLE_WITHIN", "1s")
    }

    /// The pull requests of a repository from a branch, in any state.
    pub(crate) async fn pulls_from(&self, repo: &str, branch: &str) -> Vec<Value> {
        let path = format!("/repos/admin/{repo}/pulls?state=all&per_page=100&head=admin:{branch}");
        let list = self.admin.must("GET", &path, &Value::Null, 200).await;
        list.as_array().unwrap().clone()
    }

    /// The one pull request of a repository from a feature's branch.
    pub(crate) async fn pull(&self, repo: &str, feature: &str) -> Value {
        let mut found = self.pulls_from(repo, &branch(feature)).await;
        assert_eq!(found.len(), 1, "{repo} {feature}: {found:#?}");
        found.remove(0)
    }

    pub(crate) async fn body(&self, repo: &str, feature: &str) -> String {
        self.pull(repo, feature).await["body"].as_str().unwrap_or_default().to_owned()
    }

    /// Opens a pull request by hand, and returns its number.
    pub(crate) async fn open_by_hand(&self, repo: &str, branch: &str, base: &str, body: &str) -> u64 {
        let fields = json!({ "head": branch, "base": base, "title": "by hand", "body": body });
        let path = format!("/repos/admin/{repo}/pulls");
        self.admin.must("POST", &path, &fields, 201).await["number"].as_u64().unwrap()
    }

    /// Changes a pull request by hand.
    pub(crate) async fn edit(&self, repo: &str, feature: &str, fields: Value) {
        let number = self.pull(repo, feature).await["number"].as_u64().unwrap();
        self.admin.must("PATCH", &format!("/repos/admin/{repo}/pulls/{number}"), &fields, 200).await;
    }

    pub(crate) async fn merge(&self, repo: &str, feature: &str) {
        let number = self.pull(repo, feature).await["number"].as_u64().unwrap();
        self.admin.must("PUT", &format!("/repos/admin/{repo}/pulls/{number}/merge"), &json!({}), 200).await;
    }

    pub(crate) async fn turn(&self, knobs: Value) {
        self.admin.must("PATCH", "/_forge/knobs", &knobs, 200).await;
    }

    /// Makes requests of one kind fail until it is told otherwise.
    pub(crate) async fn fault(&self, method: &str, path: &str, when: &str, kind: Value, times: Option<u64>) {
        let matching = json!({ "method": method, "path_contains": path });
        let fault = json!({ "matching": matching, "when": when, "kind": kind, "times": times });
        self.turn(json!({ "faults": [fault] })).await;
    }

    /// Returns how many writes were answered since the meter was cleared.
    pub(crate) async fn writes(&self) -> u64 {
        let rows = self.admin.must("GET", "/_forge/meter", &Value::Null, 200).await;
        let rows = rows.as_array().unwrap().iter();
        let writes = rows.filter(|row| {
            let endpoint = row["endpoint"].as_str().unwrap();
            endpoint.contains("/pulls") && !endpoint.starts_with("GET")
        });
        writes.map(|row| row["count"].as_u64().unwrap()).sum()
    }

    pub(crate) async fn clear_meter(&self) {
        self.admin.must("DELETE", "/_forge/meter", &Value::Null, 204).await;
    }
}

/// The branch of a feature where nobody says otherwise.
pub(crate) fn branch(feature: &str) -> String {
    format!("baton/feature-{feature}")
}

/// The command that carries a chain through all three repositories.
pub(crate) fn execute(feature: &str) -> Vec<&str> {
    let mut arguments = vec!["chain", "execute", feature, "--title", "Log in"];
    arguments.extend(["--part", "admin/api", "--part", "admin/web", "--part", "admin/docs"]);
    arguments
}

/// What a machine knows of a feature.
pub(crate) fn known(seat: &Seat, feature: &str) -> Value {
    let path = seat.state.join("pr-chains").join(format!("{feature}.json"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn git(directory: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    command.args(["-c", "user.name=ann", "-c", "user.email=ann@x.example"]);
    let output = command.current_dir(directory).args(arguments).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn base64(text: &str) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(text)
}
