//! From a webhook to an agent's process, beside a bare fork and exec of the same program, and the calls to the tracker that
//! the step needs, timed in the same run.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::desk::{Desk, Setup};
use crate::journal::Journal;
use crate::meter::Meter;
use crate::site::{Hooks, SECRET, free_port, issues, labelled};
use crate::world::World;
use crate::{Row, ms, quantile};

const LONG: Duration = Duration::from_secs(60);
const LOOK_EVERY: Duration = Duration::from_micros(200);
const AIM: Duration = Duration::from_millis(10);

/// One start of an agent.
struct Start {
    whole: Duration,
    calls: Duration,
    count: usize,
}

pub(crate) async fn measure(rounds: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    for workspace in ["directory", "worktree"] {
        let (mut starts, mut bare) = starts(rounds, workspace).await;
        let bare_half = quantile(&mut bare, 500);
        let own: fn(&Start) -> Duration = |start| start.whole.saturating_sub(start.calls);
        let mut whole: Vec<_> = starts.iter().map(|start| start.whole).collect();
        let mut rest: Vec<_> = starts.iter().map(own).collect();
        let (half, most) = (quantile(&mut whole, 500), quantile(&mut whole, 990));
        let over = quantile(&mut rest, 500).saturating_sub(bare_half);
        starts.sort_by_key(|start| start.whole);
        let median = &starts[starts.len() / 2];
        let figures = format!(
            "p50 {}, p99 {}; {} calls took {}; bare start {}; the rest is {}",
            ms(half),
            ms(most),
            median.count,
            ms(median.calls),
            ms(bare_half),
            ms(over)
        );
        rows.push(Row::new(
            format!("webhook to agent, in a {workspace}"),
            figures,
            "rest p50 under 10 ms",
            Some(over < AIM),
        ));
    }
    rows
}

async fn starts(rounds: usize, workspace: &str) -> (Vec<Start>, Vec<Duration>) {
    let world = World::new();
    let repo = world.repo("web").await;
    repo.set_protocol("ref");
    let token = world.account("ann", &repo).await;
    let numbers = issues(&world, &repo.name, rounds, &[]).await;
    let meter = Meter::start(&world.forge.url).await;
    let port = free_port();
    let setup = Setup {
        name: "ann",
        token: &token,
        api_url: &meter.url,
        repo: &repo.name,
        store: "sqlite:.baton/baton.db",
        more: &format!("webhooks: {{listen: '127.0.0.1:{port}'}}\n"),
    };
    let journal = Journal::new(world.path(), "agents");
    let desk = Desk::new(&world.path().join("ann"), &setup, &journal)
        .with("BATON_YOLO", "false")
        .with("BATON_POLL", "1h")
        .with("BATON_WEBHOOK_SECRET", SECRET);
    let mark = world.path().join("started");
    desk.replace_agent(&format!(
        "  coder: {{adapter: command, command: [touch, '{}'], workspace: {workspace}}}\n",
        mark.display()
    ));
    let engine = desk.engine();
    let hooks = Hooks::to(port);
    hooks.until_open().await;
    let (mut starts, mut bare) = (Vec::new(), Vec::new());
    for number in numbers {
        let issue = repo.get(&format!("/issues/{number}")).await;
        repo.label(number, "stage:Specify").await;
        let event = labelled(&repo.name, &issue, "stage:Specify");
        starts.push(start(&hooks, &meter, number, &event, &mark, &desk).await);
        std::fs::remove_file(&mark).unwrap();
        bare.push(bare_start(&mark));
        std::fs::remove_file(&mark).unwrap();
    }
    engine.stop().await;
    // The first one opens connections and the mirror.
    (starts.split_off(1), bare)
}

async fn start(hooks: &Hooks, meter: &Meter, number: u64, event: &Value, mark: &Path, desk: &Desk) -> Start {
    let began = Instant::now();
    hooks.deliver("issues", &format!("latency-{number}"), event).await.unwrap();
    until(mark, began, desk);
    let ended = Instant::now();
    let (calls, busy) = meter.within(began, ended);
    Start { whole: ended - began, calls: busy, count: calls.len() }
}

fn bare_start(mark: &Path) -> Duration {
    let began = Instant::now();
    let mut child = Command::new("touch").arg(mark).spawn().unwrap();
    while !mark.exists() {
        std::thread::sleep(LOOK_EVERY);
    }
    let took = began.elapsed();
    child.wait().unwrap();
    took
}

fn until(mark: &Path, began: Instant, desk: &Desk) {
    while !mark.exists() {
        assert!(began.elapsed() < LONG, "no agent was started{}", desk.told());
        std::thread::sleep(LOOK_EVERY);
    }
}
