//! Acts that cannot be undone, by holders that are none any more: the real binary, the real forge, real git.
//!
//! Every machine here is a state directory and a clone of its own. Takeovers are made by moving the forge's clock, so that
//! the first holder's own clock still says that it holds: what refuses it must be the server.

mod bad_input;
mod merges;
mod pushes;
mod stale_pushes;
mod writer_dated;

use std::time::Duration;

use baton_claims::{Fleet, FleetSettings};
use baton_core::claim::Lease;
use baton_core::tracker::IssueKey;
use baton_engine::claims::ClaimSettings;
use baton_fixtures::{CommandOutput, TOKEN, TestEnv, TestForge, TestRepo, git};
use baton_git::{BranchMove, Checkout, FencedPush, Heartbeat, Oid, PushOutcome, Token};
use baton_github::{Auth, Settings};

const REF: &str = "admin/web#1";
const TOPIC: &str = "refs/heads/topic";

/// A lease that no slow test machine lets run out.
const LONG_TTL_S: u64 = 600;
/// How far the server's clock is moved for that lease to be over.
const PAST_LEASE_S: i64 = 660;
const MARGIN_S: u64 = 1;
/// The longest that a request may take.
const REQUEST_TIMEOUT_S: u64 = 10;

/// A forge of its own, with one repository under protocol `ref` and one open issue.
struct Setup {
    forge: TestForge,
    repo: TestRepo,
}

impl Setup {
    async fn new() -> Self {
        let setup = Self::without_protocol().await;
        let operator = setup.machine("operator", LONG_TTL_S);
        operator.env.run(&["protocol", "set", "ref", "--repo", "admin/web"]).exits(0);
        setup
    }

    async fn without_protocol() -> Self {
        let (forge, repo) = TestForge::start_with_repo("web").await;
        repo.issue("to be done", &["agent:implement"]).await;
        Self { forge, repo }
    }

    /// A machine of its own: a state directory, and a clone as its working directory.
    fn machine(&self, name: &str, ttl_s: u64) -> Machine<'_> {
        let env = TestEnv::of(&self.forge, name);
        // A lease must have time for six requests and its margin.
        let request_timeout_s = REQUEST_TIMEOUT_S.min((ttl_s - MARGIN_S) / 6);
        let env = env.with_all(&git::VARIABLES).with_all(&[
            ("BATON_STATE_DIR", env.root().join("state").to_str().unwrap()),
            ("BATON_USER", name),
            ("BATON_CLAIMS_TTL", &format!("{ttl_s}s")),
            ("BATON_CLAIMS_MARGIN", &format!("{MARGIN_S}s")),
            ("BATON_CLAIMS_SETTLE", "100ms"),
            ("BATON_REQUEST_TIMEOUT", &format!("{request_timeout_s}s")),
        ]);
        self.repo.clone_to(&env.work());
        Machine { setup: self, name: name.to_owned(), env }
    }

    /// Both refs that a push for the issue is about: its claim and the branch.
    async fn tips(&self) -> (Option<String>, Option<String>) {
        (self.repo.tip("refs/baton/claims/1").await, self.repo.tip(TOPIC).await)
    }
}

/// A worker's machine.
struct Machine<'a> {
    setup: &'a Setup,
    name: String,
    env: TestEnv,
}

impl Machine<'_> {
    /// Claims the issue, and returns its fencing token.
    fn claim(&self) -> u64 {
        let claimed = self.env.run(&["claim", REF, "--json"]).exits(0);
        claimed.json()["lease"]["epoch"].as_u64().unwrap_or_default()
    }

    /// Runs git in the clone, with a token for the forge.
    fn try_git(&self, arguments: &[&str]) -> CommandOutput {
        let [option, login] = git::login(TOKEN);
        git::run(&self.env.work(), &[&[option.as_str(), &login], arguments].concat())
    }

    fn git(&self, arguments: &[&str]) -> String {
        self.try_git(arguments).exits(0).out
    }

    /// Commits a file to the branch `topic` of the clone.
    fn commit(&self, file: &str) -> Oid {
        if self.git(&["branch", "--show-current"]) != "topic" {
            self.git(&["checkout", "-q", "-B", "topic"]);
        }
        self.env.write(file, file);
        self.git(&["add", "."]);
        self.git(&["commit", "-q", "-m", file]);
        self.git(&["rev-parse", "HEAD"]).parse().unwrap()
    }

    /// Takes up the branch as it is on the server.
    fn follow_topic(&self) {
        self.git(&["fetch", "-q", "origin"]);
        self.git(&["checkout", "-q", "-B", "topic", "origin/topic"]);
    }

    fn push(&self, more: &[&str]) -> CommandOutput {
        self.env.run(&[&["push", REF][..], more].concat())
    }

    /// The library's view of this machine.
    fn fleet(&self) -> Fleet {
        let github = Settings {
            api_url: self.setup.forge.url.clone(),
            auth: Auth::token(TOKEN),
            timeout: Duration::from_secs(REQUEST_TIMEOUT_S),
            ..Settings::default()
        };
        let (claims, state_dir) = (ClaimSettings::new(&self.name), self.env.root().join("state"));
        Fleet::new(FleetSettings { github, claims, state_dir }).unwrap()
    }

    fn lease(&self) -> Lease {
        self.fleet().leases.find(&issue()).unwrap().expect("the machine has a lease").lease
    }

    /// Pushes as a holder does whose own clock stands still: nothing but the server can refuse it.
    fn push_whatever_the_clock_says(&self, lease: &Lease, branch: BranchMove<'_>) -> PushOutcome {
        let token = Token::new(TOKEN, &self.setup.forge.url).unwrap();
        let clone = self.env.work();
        let checkout = Checkout { token: Some(&token), ..Checkout::new(&clone) };
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
