//! Acts that cannot be undone, by holders that are none any more: the real binary, the real forge, real git.
//!
//! Every machine here is a state directory and a clone of its own. Takeovers are made by moving the forge's clock, so that
//! the first holder's own clock still says that it holds: what refuses it must be the server.

mod bad_input;
mod merges;
mod pushes;
mod stale_pushes;
mod writer_dated;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use baton_claims::{Fleet, FleetSettings};
use baton_core::claim::Lease;
use baton_core::tracker::IssueKey;
use baton_engine::claims::ClaimSettings;
use baton_git::{BranchMove, Checkout, FencedPush, Heartbeat, Oid, PushOutcome, Token};
use baton_github::{Auth, Settings};
use serde_json::{Value, json};

use crate::support::{Client, ForgeProcess, TOKEN};

const REPO: &str = "/repos/admin/web";
const REF: &str = "admin/web#1";
const TOPIC: &str = "refs/heads/topic";

/// A lease that no slow test machine lets run out.
const LONG_TTL_S: u64 = 600;

/// A forge of its own, with one repository under protocol `ref` and one open issue.
struct World {
    forge: ForgeProcess,
    client: Client,
    directory: tempfile::TempDir,
}

impl World {
    async fn new() -> Self {
        let world = Self::without_protocol().await;
        let (code, _, complaint) =
            world.machine("operator", LONG_TTL_S).baton(&["protocol", "set", "ref", "--repo", "admin/web"]);
        assert_eq!(code, 0, "{complaint}");
        world
    }

    async fn without_protocol() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let forge = ForgeProcess::start(&directory.path().join("data"), &[]);
        let client = Client::new(&forge.url, Some(TOKEN));
        client.must("POST", "/user/repos", &json!({ "name": "web", "auto_init": true }), 201).await;
        let issue = json!({ "title": "to be done", "labels": ["agent:implement"] });
        client.must("POST", &format!("{REPO}/issues"), &issue, 201).await;
        Self { forge, client, directory }
    }

    /// A machine of its own: a state directory and a clone.
    fn machine(&self, name: &str, ttl_s: u64) -> Machine<'_> {
        let directory = self.directory.path().join(name);
        std::fs::create_dir(&directory).unwrap();
        let clone = directory.join("web");
        let address = format!("{}/admin/web.git", self.forge.url);
        git(&directory, &["clone", "-q", &address, "web"]);
        Machine { world: self, name: name.to_owned(), ttl_s, state: directory.join("state"), clone }
    }

    /// Moves the server's clock, and no other.
    async fn turn_clock_to(&self, offset_s: u64) {
        self.client.must("PUT", "/_forge/clock", &json!({ "offset_s": offset_s }), 200).await;
    }

    /// Where a ref is, by its full name.
    async fn tip(&self, name: &str) -> Option<String> {
        let path = format!("{REPO}/git/ref/{}", name.strip_prefix("refs/").unwrap());
        let answer = self.client.ask("GET", &path, &Value::Null).await;
        answer.json()["object"]["sha"].as_str().map(str::to_owned)
    }

    /// Both refs that a push for the issue is about: its claim and the branch.
    async fn tips(&self) -> (Option<String>, Option<String>) {
        (self.tip("refs/baton/claims/1").await, self.tip(TOPIC).await)
    }
}

/// A worker's machine.
struct Machine<'a> {
    world: &'a World,
    name: String,
    ttl_s: u64,
    state: PathBuf,
    clone: PathBuf,
}

impl Machine<'_> {
    /// Runs `baton` in the clone, with nothing of the tester's own configuration.
    fn baton(&self, arguments: &[&str]) -> (i32, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_baton"));
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", &self.state);
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        command.env("BATON_GITHUB_API_URL", &self.world.forge.url).env("BATON_TOKEN", TOKEN);
        command.env("BATON_STATE_DIR", &self.state).env("BATON_USER", &self.name);
        command.env("BATON_CLAIMS_TTL", format!("{}s", self.ttl_s)).env("BATON_CLAIMS_MARGIN", "1s");
        command.env("BATON_CLAIMS_SETTLE", "100ms").env("BATON_REQUEST_TIMEOUT", "1s");
        let output = command.current_dir(&self.clone).args(arguments).output().expect("the binary runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
    }

    /// Claims the issue, and returns its fencing token.
    fn claim(&self) -> u64 {
        let (code, answer, complaint) = self.baton(&["claim", REF, "--json"]);
        assert_eq!(code, 0, "{answer} {complaint}");
        let answer: Value = serde_json::from_str(&answer).unwrap();
        answer["lease"]["epoch"].as_u64().unwrap_or_default()
    }

    /// Commits a file to the branch `topic` of the clone.
    fn commit(&self, file: &str) -> Oid {
        let branch = git(&self.clone, &["branch", "--show-current"]);
        if branch != "topic" {
            git(&self.clone, &["checkout", "-q", "-B", "topic"]);
        }
        std::fs::write(self.clone.join(file), file).unwrap();
        git(&self.clone, &["add", "."]);
        git(&self.clone, &["commit", "-q", "-m", file]);
        git(&self.clone, &["rev-parse", "HEAD"]).parse().unwrap()
    }

    /// Takes up the branch as it is on the server.
    fn follow_topic(&self) {
        git(&self.clone, &["fetch", "-q", "origin"]);
        git(&self.clone, &["checkout", "-q", "-B", "topic", "origin/topic"]);
    }

    fn push(&self, more: &[&str]) -> (i32, String, String) {
        self.baton(&[&["push", REF][..], more].concat())
    }

    fn must_push(&self) {
        let (code, answer, complaint) = self.push(&[]);
        assert_eq!(code, 0, "{answer} {complaint}");
    }

    /// The library's view of this machine.
    fn fleet(&self) -> Fleet {
        let github = Settings {
            api_url: self.world.forge.url.clone(),
            auth: Auth::token(TOKEN),
            timeout: Duration::from_secs(1),
            ..Settings::default()
        };
        let claims = ClaimSettings::new(&self.name);
        Fleet::new(FleetSettings { github, claims, state_dir: self.state.clone() }).unwrap()
    }

    fn lease(&self) -> Lease {
        self.fleet().leases.find(&issue()).unwrap().expect("the machine has a lease").lease
    }

    /// Pushes as a holder does whose own clock stands still: nothing but the server can refuse it.
    fn push_whatever_the_clock_says(&self, lease: &Lease, branch: BranchMove<'_>) -> PushOutcome {
        let token = Token::new(TOKEN, &self.world.forge.url).unwrap();
        let checkout = Checkout { token: Some(&token), ..Checkout::new(&self.clone) };
        let heartbeat = Heartbeat {
            claim_ref: "refs/baton/claims/1",
            claim_tip: lease.tip.as_deref().unwrap().parse().unwrap(),
            message: &self.fleet().claims.push_heartbeat(lease),
        };
        FencedPush { checkout, remote: "origin", heartbeat, branch, skips_hooks: false }.send().unwrap()
    }
}

fn issue() -> IssueKey {
    IssueKey { repo: "admin/web".parse().unwrap(), number: 1 }
}

fn topic(new: &Oid, expected: Option<&Oid>) -> BranchMove<'static> {
    BranchMove { name: TOPIC, new: new.clone(), expected: expected.cloned(), allows_rewrite: false }
}

/// Runs git with a token for the forge, and without any configuration of this machine.
fn try_git(directory: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new("git");
    command.current_dir(directory).args(["-c", &format!("http.extraHeader=Authorization: Bearer {TOKEN}")]);
    command.args(arguments).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), "Ada").env(format!("GIT_{role}_EMAIL"), "ada@example.org");
    }
    command.env("GIT_TERMINAL_PROMPT", "0").output().expect("git runs")
}

fn git(directory: &Path, arguments: &[&str]) -> String {
    let output = try_git(directory, arguments);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    assert!(output.status.success(), "git {arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}
