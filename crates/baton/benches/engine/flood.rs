//! Webhooks in a flood: each that was acknowledged is read.

use std::time::{Duration, Instant};

use baton_fixtures::ports::free_port;
use baton_ports::Store as _;
use baton_store::SqlStore;
use tokio::task::JoinSet;

use crate::Row;
use crate::site::{Hooks, SECRET, Site, issues, labelled, resident_bytes};
use crate::storm::setup::open_store;

const PER_SECOND: u32 = 1_000;
const SENDERS: u32 = 250;
const ISSUES: usize = 100;

pub(crate) async fn measure(about: Duration) -> Vec<Row> {
    let site = Site::new().await;
    let repo = &site.repo;
    let numbers = issues(repo, ISSUES, &["stage:Backlog"]).await;
    let port = free_port();
    let env = site
        .engine_env(&site.forge.url, &format!("webhooks: {{listen: '127.0.0.1:{port}'}}\n"))
        .with("BATON_WEBHOOK_SECRET", SECRET);
    let engine = env.engine(&["engine", "--name", "ann"]);
    let hooks = Hooks::to(port);
    hooks.until_open().await;
    let issue = repo.get(&format!("/issues/{}", numbers[0])).await;
    let began = Instant::now();
    let mut senders = JoinSet::new();
    for sender in 0..SENDERS {
        let (hooks, mut issue, numbers, repo) =
            (hooks.clone(), issue.clone(), numbers.clone(), repo.name.clone());
        senders.spawn(async move {
            let pause = Duration::from_secs(1) * SENDERS / PER_SECOND;
            let mut ticks = tokio::time::interval(pause);
            let (mut sent, mut taken) = (0_u64, 0_u64);
            while began.elapsed() < about {
                ticks.tick().await;
                let nth = usize::try_from(sent).unwrap() * 7 + usize::try_from(sender).unwrap();
                issue["number"] = numbers[nth % numbers.len()].into();
                let event = labelled(&repo, &issue, "bug");
                let status = hooks.deliver("issues", &format!("flood-{sender}-{sent}"), &event).await;
                sent += 1;
                taken += u64::from(status.is_some_and(|status| status.is_success()));
            }
            (sent, taken)
        });
    }
    let (sent, taken) = senders.join_all().await.iter().fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
    let took = began.elapsed();
    let store = open_store(&env, None).await;
    let read = until_read(&store, Instant::now()).await;
    let resident = resident_bytes(engine.pid()) >> 20;
    engine.stop_async().await;
    let rate = u128::from(sent) * 1000 / took.as_millis().max(1);
    let figures = format!(
        "{sent} sent in {:.1} s ({rate}/s), {taken} acknowledged, all read after {:.1} s more; {resident} MiB",
        took.as_secs_f64(),
        read.as_secs_f64()
    );
    let is_met = sent == taken && rate >= 990;
    vec![Row::new(
        format!("{PER_SECOND} webhooks a second for {} s", about.as_secs()),
        figures,
        "none lost",
        Some(is_met),
    )]
}

/// Waits until everything in the inbox was read. Returns how long it took.
async fn until_read(store: &SqlStore, began: Instant) -> Duration {
    while !store.unread(1).await.unwrap().is_empty() {
        assert!(began.elapsed() < Duration::from_secs(60), "deliveries were never read");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    began.elapsed()
}
