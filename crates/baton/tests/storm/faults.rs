//! A tracker that fails before and after writes, lags, runs out of requests, and loses, doubles and reorders webhooks: each
//! issue still comes to its end, or to a pause that says why, and nothing is there twice.

use std::time::{Duration, Instant};

use baton_fixtures::ports::free_port;
use baton_fixtures::{TestEnv, TestForge, TestRepo, is_full, seed};
use serde_json::{Value, json};

use crate::storm::end_state::{no_comment_is_there_twice, nothing_is_there_twice};
use crate::storm::journal::Journal;
use crate::storm::setup::{
    SQLITE, Settings, described, engine_env, is_done, repo_with_protocol, told, wish, writer,
};

const LONG: Duration = Duration::from_secs(600);
const LOOK_EVERY: Duration = Duration::from_millis(500);
const SECRET: &str = "only we know";
/// How many requests an hour are many.
const PLENTY: u64 = 1_000_000;
/// How long after the start the budget of requests is new.
const RESET_S: i64 = 45;
/// When there are no requests left at the latest, and until when. In a new window the engine would be told to wait an hour.
const DRY_FROM: Duration = Duration::from_secs(25);
const DRY_UNTIL: Duration = Duration::from_secs(37);
const HOUR_S: i64 = 3_600;

/// How old the tracker's answers may be.
fn lag_ms() -> u64 {
    if is_full() { 5_000 } else { 1_500 }
}

/// How a tracker behaves that cannot be relied on.
fn foul(seed: u64) -> Value {
    let fault = |when: &str, kind: Value| json!({ "matching": { "login": "ann" }, "when": when, "kind": kind, "percent": 1 });
    let faults = [
        fault("before", json!({ "status": 502 })),
        fault("before", json!("drop")),
        fault("after", json!({ "status": 500 })),
        fault("after", json!("drop")),
        fault("before", json!({ "secondary_limit": { "retry_after_s": 1 } })),
    ];
    let webhooks = json!({ "duplicate_percent": 25, "reorder_percent": 25, "lose_percent": 25 });
    let read_lag = json!({ "min_ms": 0, "max_ms": lag_ms() });
    json!({ "faults": faults, "webhooks": webhooks, "read_lag": read_lag, "seed": seed })
}

/// Where an issue stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    Done,
    /// It waits for a person, and a comment says why.
    Paused,
    OnTheWay,
}

async fn standing(repo: &TestRepo, number: u64) -> Standing {
    if is_done(repo, number).await {
        return Standing::Done;
    }
    let is_paused = repo.labels(number).await.iter().any(|label| label == "baton:paused");
    let said = repo.comments(number).await;
    let says_why = |comment: &Value| {
        let body = comment["body"].as_str().unwrap();
        ["paused", "stage failed", "a question"]
            .iter()
            .any(|what| body.contains(&format!("**Baton — {what}")))
    };
    match is_paused && said.iter().any(says_why) {
        true => Standing::Paused,
        false => Standing::OnTheWay,
    }
}

/// Waits until no issue is on its way any more.
async fn until_settled(repo: &TestRepo, issues: &[u64], env: &TestEnv) -> Vec<Standing> {
    let started = Instant::now();
    loop {
        let mut standings = Vec::new();
        for number in issues {
            standings.push(standing(repo, *number).await);
        }
        if !standings.contains(&Standing::OnTheWay) {
            return standings;
        }
        if started.elapsed() >= LONG {
            panic!("{standings:?}{}{}", described(repo, issues).await, told(env));
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Has webhooks of a repository sent to an engine's endpoint.
async fn hook(repo: &TestRepo, port: u16) {
    let url = format!("http://127.0.0.1:{port}/webhooks/github");
    let config = json!({ "url": url, "content_type": "json", "secret": SECRET });
    let body = json!({ "name": "web", "active": true, "events": ["*"], "config": config });
    repo.post("/hooks", body).await;
}

/// Opens the window of an account's budget, and moves the clock so that it ends soon.
async fn open_window(forge: &TestForge, token: &str) {
    forge.client(token).must("GET", "/rate_limit", &Value::Null, 200).await;
    forge.shift_clock(HOUR_S - RESET_S).await;
}

/// Takes all requests away until shortly before the window ends. The engine was told then that there are none.
async fn run_dry(forge: &TestForge, started: Instant) {
    assert!(started.elapsed() < DRY_UNTIL, "the window is nearly over: {:?}", started.elapsed());
    forge.turn(json!({ "rate_limit": 1 })).await;
    while started.elapsed() < DRY_UNTIL {
        tokio::time::sleep(LOOK_EVERY).await;
    }
    forge.turn(json!({ "rate_limit": PLENTY })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn issues_come_to_an_end_or_to_a_pause_that_says_why_whatever_the_tracker_does() {
    let seed = seed();
    println!("PROPTEST_RNG_SEED={seed}");
    let forge = TestForge::start();
    let repo = repo_with_protocol(&forge, "web", "ref").await;
    let token = writer(&forge, "ann", &repo).await;
    let port = free_port();
    hook(&repo, port).await;
    let settings = Settings {
        name: "ann",
        token: &token,
        api_url: &forge.url,
        repo: &repo,
        store: SQLITE,
        more: &format!("request_timeout: 10s\nwebhooks: {{listen: '127.0.0.1:{port}'}}\n"),
    };
    let journal = Journal::new(forge.dir(), "agents");
    let visible_within = format!("{}ms", lag_ms() + 1_000);
    let env = engine_env(&forge.dir().join("ann"), &settings, &journal)
        .with("BATON_WEBHOOK_SECRET", SECRET)
        .with("BATON_CLAIMS_VISIBLE_WITHIN", &visible_within);
    let mut issues = Vec::new();
    for nth in 1..=4 {
        issues.push(wish(&repo, &format!("Wish {nth}")).await);
    }
    let started = Instant::now();
    open_window(&forge, &token).await;
    forge.turn(foul(seed)).await;
    let engine = env.engine(&["engine", "--name", "ann"]);
    // Midway, as soon as the first agents have worked.
    while journal.entries().len() < 3 && started.elapsed() < DRY_FROM {
        tokio::time::sleep(LOOK_EVERY).await;
    }
    run_dry(&forge, started).await;
    let standings = until_settled(&repo, &issues, &env).await;
    forge.turn(json!({ "read_lag": { "min_ms": 0, "max_ms": 0 } })).await;
    engine.stop_async().await;
    println!("{standings:?}");
    for (number, standing) in issues.iter().zip(standings) {
        match standing {
            Standing::Done => nothing_is_there_twice(&repo, *number).await,
            _ => no_comment_is_there_twice(&repo, *number).await,
        }
    }
}
