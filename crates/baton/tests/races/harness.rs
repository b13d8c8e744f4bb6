//! Races between separate processes, through a forge of their own.
//!
//! The program that runs a race starts itself again, once for each claimant, with [`WORKER`] in the environment. Such a
//! worker reads `claim ISSUE` from its standard input and answers with one line of JSON. The parent tells all of them the
//! same issue at the same moment, give or take a jitter that a seed repeats, and gathers what they say. What a protocol
//! does is in `rivals` and `ours`; what the figures mean is in `statistics`.

use std::io::BufRead as _;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use baton_core::claim::Protocol;
use baton_fixtures::Dice;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout};

use crate::races::ours::{self, OurOrders};
use crate::races::setup::Setup;
use crate::races::statistics::{Entry, Race};
use crate::rivals::api::now_ms;
use crate::rivals::{Api, Identity, Verdict, alfred, label_lock, label_verify};

/// Says in the environment that this process is a worker, and which.
const WORKER: &str = "BATON_RACE_WORKER";

/// Stands before what a worker says, because a test program prints lines of its own.
const MARK: &str = "@race@";

const READY_WITHIN: Duration = Duration::from_secs(90);

/// How a claimant claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Alfred,
    LabelVerify,
    Bash,
    Comment,
    Ref,
}

impl Kind {
    const ALL: [Self; 5] = [Self::Alfred, Self::LabelVerify, Self::Bash, Self::Comment, Self::Ref];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Alfred => "alfred",
            Self::LabelVerify => "label-verify",
            Self::Bash => "bash",
            Self::Comment => "comment",
            Self::Ref => "ref",
        }
    }
}

/// A range of milliseconds.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SpanMs(pub(crate) u64, pub(crate) u64);

impl SpanMs {
    fn to_json(self) -> Value {
        json!({ "min_ms": self.0, "max_ms": self.1 })
    }
}

/// A run of races: who, over how many issues, in which weather.
#[derive(Debug, Clone)]
pub(crate) struct Contest {
    /// One claimant for each.
    pub(crate) claimants: Vec<Kind>,
    pub(crate) issues: usize,
    pub(crate) read_lag: SpanMs,
    pub(crate) latency: SpanMs,
    pub(crate) jitter_max_ms: u64,
    /// How long `label-verify` waits before it looks again.
    pub(crate) verify_delay: Duration,
    /// How long ours wait for others' comments.
    pub(crate) settle: Duration,
    /// Whether every issue was claimed and handed back before.
    pub(crate) has_history: bool,
    /// Whether ours are told that the others are there.
    pub(crate) is_mixed: bool,
    /// After this a worker is given up, and ended.
    pub(crate) verdict_within: Duration,
    pub(crate) seed: u64,
}

impl Contest {
    /// Returns a run among equals, without lag or latency.
    pub(crate) fn among(kind: Kind, claimants: usize, issues: usize, seed: u64) -> Self {
        Self {
            claimants: vec![kind; claimants],
            issues,
            read_lag: SpanMs::default(),
            latency: SpanMs::default(),
            jitter_max_ms: 20,
            verify_delay: label_verify::VERIFY_DELAY,
            settle: Duration::from_secs(1),
            has_history: false,
            is_mixed: false,
            verdict_within: Duration::from_secs(90),
            seed,
        }
    }
}

/// How to start this program again as a worker.
#[derive(Debug, Clone)]
pub(crate) struct WorkerProgram {
    path: PathBuf,
    arguments: Vec<String>,
}

impl WorkerProgram {
    /// Returns this test program, of which `entry` is the test that calls [`serve_if_worker`].
    pub(crate) fn test(entry: &str) -> Self {
        let arguments = [entry, "--exact", "--nocapture", "--test-threads", "1"];
        Self::with(arguments.map(str::to_owned).to_vec())
    }

    /// Returns this program with other arguments, for one whose `main` calls [`serve_if_worker`] first.
    pub(crate) fn with(arguments: Vec<String>) -> Self {
        Self { path: std::env::current_exe().expect("this program has a path"), arguments }
    }
}

/// Runs all races of a contest with a forge of its own.
pub(crate) async fn run(contest: &Contest, program: &WorkerProgram) -> Vec<Race> {
    let setup = Setup::new().await;
    let workers = start_all(&setup, contest, program).await;
    let mut issues = Vec::new();
    for _ in 0..contest.issues {
        issues.push(setup.issue().await);
    }
    if contest.has_history {
        let api = setup.claimant("earlier").await;
        ours::leave_history(&api, &issues, setup.state_dir("earlier").into()).await;
    }
    run_in(&setup, contest, workers, &issues).await
}

/// Runs races over given issues with workers that have been started; they end with this call.
pub(crate) async fn run_in(
    setup: &Setup,
    contest: &Contest,
    mut workers: Vec<Worker>,
    issues: &[u64],
) -> Vec<Race> {
    let (lag, latency) = (contest.read_lag.to_json(), contest.latency.to_json());
    let mut dice = Dice::new(contest.seed, 0);
    setup.forge.turn(json!({ "read_lag": lag, "latency": latency, "seed": contest.seed.max(1) })).await;
    let mut races = Vec::new();
    for issue in issues {
        let entries = race(&mut workers, *issue, contest, &mut dice).await;
        races.push(Race { issue: *issue, entries, aftermath: Default::default() });
    }
    for worker in &mut workers {
        worker.end().await;
    }
    // The aftermath is read when nobody writes any more, and from what was written, not from a lagging copy.
    setup.forge.calm().await;
    for race in &mut races {
        race.aftermath = setup.aftermath(race.issue).await;
    }
    races
}

/// Starts one worker for each claimant, `worker-00` and so on, and waits until all can be told to claim.
pub(crate) async fn start_all(setup: &Setup, contest: &Contest, program: &WorkerProgram) -> Vec<Worker> {
    let mut workers = Vec::new();
    for (index, kind) in contest.claimants.iter().enumerate() {
        let login = format!("worker-{index:02}");
        let api = setup.claimant(&login).await;
        workers.push(Worker::start(program, setup, &api, &login, *kind, contest));
    }
    for worker in &mut workers {
        let said = timeout(READY_WITHIN, worker.said()).await;
        assert!(matches!(said, Ok(Some(_))), "{} does not start: {said:?}", worker.login);
    }
    workers
}

async fn race(workers: &mut Vec<Worker>, issue: u64, contest: &Contest, dice: &mut Dice) -> Vec<Entry> {
    let start = Instant::now();
    let mut running = JoinSet::new();
    for (index, mut worker) in workers.drain(..).enumerate() {
        let at = start + Duration::from_micros(dice.up_to(contest.jitter_max_ms * 1_000));
        let within = contest.verdict_within;
        running.spawn(async move {
            sleep_until(at).await;
            let verdict = worker.claim(issue, within).await;
            (index, worker, verdict)
        });
    }
    let mut ended = running.join_all().await;
    ended.sort_by_key(|(index, ..)| *index);
    let mut entries = Vec::new();
    for (_, worker, verdict) in ended {
        entries.push(Entry { login: worker.login.clone(), kind: worker.kind, verdict });
        workers.push(worker);
    }
    entries
}

/// A worker, seen from the parent. It is killed when dropped.
pub(crate) struct Worker {
    pub(crate) login: String,
    pub(crate) kind: Kind,
    child: Child,
    /// Nothing when it has been given up.
    stdin: Option<ChildStdin>,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Worker {
    fn start(
        program: &WorkerProgram,
        setup: &Setup,
        api: &Api,
        login: &str,
        kind: Kind,
        contest: &Contest,
    ) -> Self {
        let has = |kind| contest.is_mixed && contest.claimants.contains(&kind);
        let orders = json!({
            "kind": kind.name(),
            "url": api.url,
            "token": api.token,
            "repo": api.repo,
            "login": login,
            "verify_delay_ms": baton_core::time::millis(contest.verify_delay),
            "settle_ms": baton_core::time::millis(contest.settle),
            "state_dir": setup.state_dir(login),
            "beside_alfred": has(Kind::Alfred),
            "beside_scripts": has(Kind::Bash),
        });
        let mut child = Command::new(&program.path)
            .args(&program.arguments)
            .env(WORKER, orders.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("this program starts again");
        let stdin = child.stdin.take();
        let lines = BufReader::new(child.stdout.take().expect("stdout is piped")).lines();
        Self { login: login.to_owned(), kind, child, stdin, lines }
    }

    /// Returns the next thing it says, or nothing when it has ended.
    async fn said(&mut self) -> Option<Value> {
        while let Ok(Some(line)) = self.lines.next_line().await {
            if let Some((_, said)) = line.split_once(MARK) {
                return serde_json::from_str(said).ok();
            }
        }
        None
    }

    async fn claim(&mut self, issue: u64, within: Duration) -> Verdict {
        let asked_ms = now_ms();
        let Some(stdin) = &mut self.stdin else { return Verdict::error(asked_ms, "it was given up earlier") };
        if stdin.write_all(format!("claim {issue}\n").as_bytes()).await.is_err() {
            return self.give_up(asked_ms, "it has ended").await;
        }
        match timeout(within, self.said()).await {
            Ok(Some(said)) => match Verdict::from_json(&said, asked_ms) {
                Some(verdict) => verdict,
                None => self.give_up(asked_ms, "it said something else than a verdict").await,
            },
            Ok(None) => self.give_up(asked_ms, "it ended without a verdict").await,
            Err(_) => self.give_up(asked_ms, "it gave no verdict in time").await,
        }
    }

    /// Ends it, so that a late answer cannot be taken for the next one.
    async fn give_up(&mut self, asked_ms: u64, why: &str) -> Verdict {
        self.end().await;
        Verdict::error(asked_ms, why)
    }

    async fn end(&mut self) {
        self.stdin = None;
        let _ = self.child.kill().await;
    }
}

/// Serves as a worker until standard input ends, if that is what this process was started for; tells whether it was.
pub(crate) fn serve_if_worker() -> bool {
    let Ok(orders) = std::env::var(WORKER) else { return false };
    let orders: Value = serde_json::from_str(&orders).expect("orders in JSON");
    let text = |key: &str| orders[key].as_str().unwrap_or_default().to_owned();
    let kind = Kind::ALL.into_iter().find(|kind| kind.name() == text("kind")).expect("a kind that exists");
    let claimant = Claimant {
        kind,
        api: Api::new(&text("url"), &text("token"), &text("repo")),
        login: text("login"),
        verify_delay: Duration::from_millis(orders["verify_delay_ms"].as_u64().unwrap_or_default()),
        ours: OurOrders {
            state_dir: text("state_dir").into(),
            beside_alfred: orders["beside_alfred"] == true,
            beside_scripts: orders["beside_scripts"] == true,
            beside_fabrik: false,
            settle: Duration::from_millis(orders["settle_ms"].as_u64().unwrap_or_default()),
        },
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    println!("{MARK}{}", json!({ "ready": true }));
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("orders are text");
        let issue = line.strip_prefix("claim ").and_then(|issue| issue.parse().ok());
        let verdict = runtime.block_on(claimant.contend(issue.expect("`claim ISSUE`")));
        println!("{MARK}{}", verdict.to_json());
    }
    true
}

/// A worker, seen from inside.
struct Claimant {
    kind: Kind,
    api: Api,
    login: String,
    verify_delay: Duration,
    ours: OurOrders,
}

impl Claimant {
    async fn contend(&self, issue: u64) -> Verdict {
        let salt = u16::try_from(issue % 0xffff).unwrap_or_default();
        let who = Identity::fresh(&self.login, salt);
        match self.kind {
            Kind::Alfred => alfred::contend(&self.api, issue, &who).await,
            Kind::LabelVerify => label_verify::contend(&self.api, issue, &who, self.verify_delay).await,
            Kind::Bash => label_lock::contend(&self.api, issue, &who).await,
            Kind::Comment => ours::contend(Protocol::Comment, &self.api, issue, &who, &self.ours).await,
            Kind::Ref => ours::contend(Protocol::Ref, &self.api, issue, &who, &self.ours).await,
        }
    }
}
