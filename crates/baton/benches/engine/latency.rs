//! From a webhook to an agent's process, beside a bare fork and exec of the same program, and the calls to the tracker that
//! the step needs, timed in the same run.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use baton_fixtures::TestEnv;
use baton_fixtures::ports::free_port;
use serde_json::Value;

use crate::meter::Meter;
use crate::site::{Hooks, SECRET, Site, issues, labelled};
use crate::storm::setup::{replace_agent, told};
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
    let site = Site::new().await;
    let repo = &site.repo;
    let numbers = issues(repo, rounds, &[]).await;
    let meter = Meter::start(&site.forge.url).await;
    let port = free_port();
    let env = site
        .engine_env(&meter.url, &format!("webhooks: {{listen: '127.0.0.1:{port}'}}\n"))
        .with_all(&[("BATON_YOLO", "false"), ("BATON_POLL", "1h"), ("BATON_WEBHOOK_SECRET", SECRET)]);
    let mark = site.forge.dir().join("started");
    let agent =
        format!("{{adapter: command, command: [touch, '{}'], workspace: {workspace}}}", mark.display());
    replace_agent(&env, &format!("  coder: {agent}\n"));
    let engine = env.engine(&["engine", "--name", "ann"]);
    let hooks = Hooks::to(port);
    hooks.until_open().await;
    let (mut starts, mut bare) = (Vec::new(), Vec::new());
    for number in numbers {
        let issue = repo.get(&format!("/issues/{number}")).await;
        repo.label(number, "stage:Specify").await;
        let event = labelled(&repo.name, &issue, "stage:Specify");
        starts.push(start(&hooks, &meter, number, &event, &mark, &env).await);
        std::fs::remove_file(&mark).unwrap();
        bare.push(bare_start(&mark));
        std::fs::remove_file(&mark).unwrap();
    }
    engine.stop_async().await;
    // The first one opens connections and the mirror.
    (starts.split_off(1), bare)
}

async fn start(
    hooks: &Hooks,
    meter: &Meter,
    number: u64,
    event: &Value,
    mark: &Path,
    env: &TestEnv,
) -> Start {
    let began = Instant::now();
    hooks.deliver("issues", &format!("latency-{number}"), event).await.unwrap();
    until(mark, began, env);
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

fn until(mark: &Path, began: Instant, env: &TestEnv) {
    while !mark.exists() {
        assert!(began.elapsed() < LONG, "no agent was started{}", told(env));
        std::thread::sleep(LOOK_EVERY);
    }
}
