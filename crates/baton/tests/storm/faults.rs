//! A tracker that fails before and after writes, lags, runs out of requests, and loses, doubles and reorders webhooks: each
//! issue still comes to its end, or to a pause that says why, and nothing is there twice.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::storm::desk::{Desk, Setup};
use crate::storm::dice;
use crate::storm::end_state::{no_comment_is_there_twice, nothing_is_there_twice};
use crate::storm::journal::Journal;
use crate::storm::waiting::is_full;
use crate::storm::world::{Repo, World};
use crate::support::Client;

const LONG: Duration = Duration::from_secs(300);
const LOOK_EVERY: Duration = Duration::from_millis(500);
const SECRET: &str = "only we know";
/// How many requests an hour are many.
const PLENTY: u64 = 1_000_000;
/// How long after the start the budget of requests is new.
const RESET_S: i64 = 25;
const HOUR_S: i64 = 3_600;

/// How old the tracker's answers may be.
fn lag_ms() -> u64 {
    if is_full() { 5_000 } else { 1_500 }
}

/// A port that nobody has at the moment.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
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

async fn standing(repo: &Repo<'_>, number: u64) -> Standing {
    if repo.is_done(number).await {
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
async fn until_settled(repo: &Repo<'_>, issues: &[u64], desk: &Desk) -> Vec<Standing> {
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
            panic!("{standings:?}{}{}", repo.described(issues).await, desk.told());
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Has webhooks of a repository sent to an engine's endpoint.
async fn hook(repo: &Repo<'_>, port: u16) {
    let url = format!("http://127.0.0.1:{port}/webhooks/github");
    let config = json!({ "url": url, "content_type": "json", "secret": SECRET });
    let body = json!({ "name": "web", "active": true, "events": ["*"], "config": config });
    let path = format!("/repos/{}/hooks", repo.name);
    repo.world.admin.must("POST", &path, &body, 201).await;
}

/// Opens the window of an account's budget, and moves the clock so that it ends soon.
async fn open_window(world: &World, token: &str) {
    Client::new(&world.forge.url, Some(token)).must("GET", "/rate_limit", &Value::Null, 200).await;
    world.shift(HOUR_S - RESET_S).await;
}

/// Takes all requests away until shortly before the window ends. The engine was told then that there are none.
async fn run_dry(world: &World, started: Instant) {
    world.turn(json!({ "rate_limit": 1 })).await;
    let until = Duration::from_secs(RESET_S.unsigned_abs() - 2);
    while started.elapsed() < until {
        tokio::time::sleep(LOOK_EVERY).await;
    }
    world.turn(json!({ "rate_limit": PLENTY })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn issues_come_to_an_end_or_to_a_pause_that_says_why_whatever_the_tracker_does() {
    let seed = dice::seed();
    println!("PROPTEST_RNG_SEED={seed}");
    let world = World::new();
    let repo = world.repo("web").await;
    repo.set_protocol("ref");
    let token = world.account("ann", &repo).await;
    let port = free_port();
    hook(&repo, port).await;
    let setup = Setup {
        name: "ann",
        token: &token,
        api_url: &world.forge.url,
        repo: &repo.name,
        store: "sqlite:.baton/baton.db",
        more: &format!("request_timeout: 5s\nwebhooks: {{listen: '127.0.0.1:{port}'}}\n"),
    };
    let journal = Journal::new(world.path(), "agents");
    let visible_within = format!("{}ms", lag_ms() + 1_000);
    let desk = Desk::new(&world.path().join("ann"), &setup, &journal)
        .with("BATON_WEBHOOK_SECRET", SECRET)
        .with("BATON_CLAIMS_VISIBLE_WITHIN", &visible_within);
    let mut issues = Vec::new();
    for nth in 1..=4 {
        issues.push(repo.issue(&format!("Wish {nth}")).await);
    }
    open_window(&world, &token).await;
    let started = Instant::now();
    world.turn(foul(seed)).await;
    let engine = desk.engine();
    // Midway, as soon as the first agents have worked.
    while journal.entries().len() < 3 && started.elapsed() < LONG {
        tokio::time::sleep(LOOK_EVERY).await;
    }
    run_dry(&world, started).await;
    let standings = until_settled(&repo, &issues, &desk).await;
    world.turn(json!({ "read_lag": { "min_ms": 0, "max_ms": 0 } })).await;
    engine.stop().await;
    println!("{standings:?}");
    for (number, standing) in issues.iter().zip(standings) {
        match standing {
            Standing::Done => nothing_is_there_twice(&repo, *number).await,
            _ => no_comment_is_there_twice(&repo, *number).await,
        }
    }
}
