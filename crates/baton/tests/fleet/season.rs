//! A season of the fleet: workers are hired, wakeups come and trouble strikes; then all comes to rest, and is checked.

use std::path::Path;
use std::time::{Duration, Instant};

use baton_claims::machine::SystemEntropy;
use baton_core::slot::retry::RetryPolicy;
use baton_core::slot::{Policy, RunStatus, WakeupStatus};
use baton_engine::relay::Relay;
use baton_fixtures::{Dice, TestEnv, seed};
use baton_ports::Store as _;
use baton_ports::store::{RunFilter, WakeupFilter};
use baton_store::SqlStore;
use serde_json::json;
use tempfile::TempDir;

use crate::fleet::agent;
use crate::fleet::audit::Books;
use crate::fleet::crew::Crew;
use crate::fleet::diary::Diary;
use crate::fleet::figures::Figures;
use crate::fleet::ground::Ground;
use crate::fleet::trouble::Trouble;
use crate::fleet::wakers;

pub(crate) const TTL: Duration = Duration::from_secs(6);
pub(crate) const KILL_GRACE: Duration = Duration::from_secs(1);
const HEARTBEAT: Duration = Duration::from_secs(1);
const RETRY_BASE: Duration = Duration::from_millis(200);
const RETRY_CAP: Duration = Duration::from_secs(1);
/// More than workers, so that most of them have an agent at work when trouble strikes.
const MAX_CONCURRENT: u32 = 32;

/// How often is looked at the workers, and whether trouble is due.
const LOOK_EVERY: Duration = Duration::from_millis(25);
/// How long the wakeups take to come, if nothing keeps them.
const WAKE_OVER: Duration = Duration::from_secs(20);
/// Within this everything has come to rest: a scan of each worker and many retries.
const REST_WITHIN: Duration = Duration::from_secs(300);
const END_WITHIN: Duration = Duration::from_secs(90);

pub(crate) struct Season {
    /// A part of the test's name, by which it is repeated.
    pub(crate) name: &'static str,
    pub(crate) workers: usize,
    pub(crate) wakeups: u64,
    pub(crate) issues: u64,
}

impl Season {
    pub(crate) async fn play(&self, ground: Ground) {
        let (began, seed) = (Instant::now(), seed());
        let directory = SeasonDirectory::new(self.name, seed);
        let env = TestEnv::at(directory.path()).with(agent::SEED, &seed.to_string());
        let diaries = env.path("diaries");
        let env = env.with(agent::DIARIES, diaries.to_str().unwrap());
        std::fs::create_dir(&diaries).unwrap();
        env.write("baton.yaml", &config(&ground.address()));
        let store = ground.open(&env.work()).await;
        let relay = Relay { store, entropy: SystemEntropy, policy: policy() };
        let mut crew = Crew::hire(&env, self.workers);
        let mut trouble = Trouble::new(Dice::new(seed, 0), ground.server(), WAKE_OVER);
        let waking = wakers::wake(relay.clone(), seed, self.wakeups, self.issues, WAKE_OVER);
        let waking = tokio::spawn(waking);
        while !waking.is_finished() {
            crew.tend();
            trouble.strike(&mut crew);
            tokio::time::sleep(LOOK_EVERY).await;
        }
        let asked = waking.await.unwrap();
        let woken_after = began.elapsed();
        trouble.restore();
        crew.calm();
        come_to_rest(&mut crew, &relay.store).await;
        let rested_after = began.elapsed();
        crew.dismiss().await;
        nothing_is_left(&env.work()).await;

        let books = Books::read(&relay.store).await;
        let mut faults = Vec::new();
        let diaries = read_diaries(&diaries, &mut faults);
        faults.extend(books.faults(&asked, &diaries));
        let figures = Figures::of(&books, &diaries, trouble.done, crew.turned_away);
        let took = (woken_after.as_secs_f64(), rested_after.as_secs_f64(), began.elapsed().as_secs_f64());
        println!("{}: seed {seed}, {} workers, {} wakeups\n{figures}", self.name, self.workers, asked.len());
        println!(
            "all were asked after {:.1} s, at rest after {:.1} s, checked after {:.1} s",
            took.0, took.1, took.2
        );
        assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
        assert!(figures.interrupted > 0 && figures.cut_short > 0, "no trouble has struck anybody");
    }
}

/// The rules that wakers follow must be those of the workers.
fn policy() -> Policy {
    let retry = RetryPolicy { base: RETRY_BASE, cap: RETRY_CAP, ..RetryPolicy::default() };
    Policy { retry, stop_grace: KILL_GRACE, ..Policy::default() }
}

fn config(store: &str) -> String {
    let program = std::env::current_exe().unwrap();
    let agent = json!({
        "adapter": "command",
        "workspace": "directory",
        "command": [program.to_str().unwrap(), agent::ENTRY, "--exact", "--nocapture"],
        "env": [agent::DIARIES, agent::SEED],
    });
    let ms = |duration: Duration| format!("{}ms", duration.as_millis());
    // YAML has all of JSON in it.
    json!({
        "store": store,
        "max_concurrent": MAX_CONCURRENT,
        "kill_grace": ms(KILL_GRACE),
        "retry": { "base": ms(RETRY_BASE), "cap": ms(RETRY_CAP) },
        "workers": { "heartbeat": ms(HEARTBEAT), "ttl": ms(TTL) },
        "agents": { "dev": agent, "cto": agent, "qa": agent },
    })
    .to_string()
}

/// Waits until no run is active and no wakeup waits.
async fn come_to_rest(crew: &mut Crew, store: &SqlStore) {
    let runs = RunFilter {
        statuses: vec![RunStatus::Queued, RunStatus::ScheduledRetry, RunStatus::Running],
        limit: 100,
        ..RunFilter::default()
    };
    let wakeups = WakeupFilter {
        statuses: vec![WakeupStatus::Queued, WakeupStatus::Deferred],
        limit: 100,
        ..WakeupFilter::default()
    };
    let began = Instant::now();
    loop {
        crew.tend();
        let (runs, wakeups) = (store.runs(&runs).await.unwrap(), store.wakeups(&wakeups).await.unwrap());
        if runs.is_empty() && wakeups.is_empty() {
            return;
        }
        let waited = began.elapsed();
        assert!(waited < REST_WITHIN, "no rest after {waited:?}: {runs:#?} {wakeups:#?}");
        tokio::time::sleep(LOOK_EVERY * 10).await;
    }
}

/// Waits until no process works in the directory: no supervisor, no agent, and nothing that one left behind.
async fn nothing_is_left(directory: &Path) {
    let began = Instant::now();
    loop {
        let left = processes_in(directory);
        if left.is_empty() {
            return;
        }
        assert!(began.elapsed() < END_WITHIN, "processes are left: {left:?}");
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

fn processes_in(directory: &Path) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let is_there = |path: &Path| std::fs::read_link(path.join("cwd")).is_ok_and(|cwd| cwd == directory);
    let here = processes.map(|entry| entry.path()).filter(|path| is_there(path));
    here.map(|path| std::fs::read_to_string(path.join("cmdline")).unwrap_or_default().replace('\0', " "))
        .collect()
}

fn read_diaries(directory: &Path, faults: &mut Vec<String>) -> Vec<Diary> {
    let mut diaries = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        let issue = entry.file_name().to_str().unwrap().parse().unwrap();
        diaries.push(Diary::read(issue, &std::fs::read_to_string(entry.path()).unwrap(), faults));
    }
    diaries
}

/// The directory of a season. When a check fails it stays, and how to repeat the season is told.
struct SeasonDirectory {
    name: &'static str,
    seed: u64,
    directory: Option<TempDir>,
}

impl SeasonDirectory {
    fn new(name: &'static str, seed: u64) -> Self {
        Self { name, seed, directory: Some(tempfile::tempdir().unwrap()) }
    }

    fn path(&self) -> &Path {
        self.directory.as_ref().unwrap().path()
    }
}

impl Drop for SeasonDirectory {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            return;
        }
        let kept = self.directory.take().map(TempDir::keep).unwrap_or_default();
        eprintln!("configuration, diaries and logs of the workers are kept in {}", kept.display());
        eprintln!("repeat it with `PROPTEST_RNG_SEED={} cargo xtask test {}`", self.seed, self.name);
    }
}
