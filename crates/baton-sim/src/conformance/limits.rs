//! Limits: counters that are rows and are locked, so that nobody counts past another.

use std::collections::BTreeSet;
use std::sync::Arc;

use baton_core::slot::limits::{self, Limit};
use baton_core::slot::{AgentName, RunEnd};
use baton_engine::relay::StartAnswer;
use baton_ports::Store as _;

use super::Ground;
use super::desk::{Desk, ask, issue_of, seconds};

async fn limit<G: Ground>(desk: &Desk<G>, name: &str, max: i64) {
    desk.store().set_limits(&[Limit { name: name.to_owned(), max: Some(max) }]).await.unwrap();
}

/// Sixteen ask at once, five get a run.
pub async fn no_more_runs_start_than_the_limit_allows_however_many_ask<G: Ground + 'static>() {
    let desk = Arc::new(Desk::<G>::new().await);
    limit(&desk, limits::ALL, 5).await;
    for number in 1..=16 {
        desk.wake("dev", number).await;
    }
    let mut asking = tokio::task::JoinSet::new();
    for _ in 0..16 {
        let (desk, worker) = (Arc::clone(&desk), desk.worker().await);
        asking.spawn(async move { desk.try_start(worker).await });
    }
    let answers = asking.join_all().await;
    let started = answers.iter().filter(|answer| matches!(answer, StartAnswer::Started(_))).count();
    assert_eq!(started, 5, "{answers:?}");
    let counters = desk.store().counters().await.unwrap();
    let all = counters.iter().find(|counter| counter.name == limits::ALL).unwrap();
    assert_eq!((all.in_use, all.max), (5, Some(5)));
}

/// An agent that is at its limit does not stand in the way of another.
pub async fn an_agents_limit_leaves_room_for_others<G: Ground>() {
    let desk = Desk::<G>::new().await;
    limit(&desk, &limits::of_agent(&AgentName::from("dev").key()), 1).await;
    let worker = desk.worker().await;
    for (agent, number) in [("dev", 1), ("dev", 2), ("cto", 3)] {
        desk.wake(agent, number).await;
    }
    let dev = desk.start(worker).await;
    assert_eq!(desk.start(worker).await.run.agent.0, "cto");
    assert!(!matches!(desk.try_start(worker).await, StartAnswer::Started(_)));
    desk.finish(&dev, RunEnd::Succeeded).await;
    assert_eq!(desk.start(worker).await.run.agent.0, "dev");
}

/// A repository that is at its limit does not stand in the way of another.
pub async fn a_repositorys_limit_leaves_room_for_others<G: Ground>() {
    let desk = Desk::<G>::new().await;
    limit(&desk, limits::PER_REPO, 1).await;
    let worker = desk.worker().await;
    for (repo, number) in [("acme/web", 1), ("acme/web", 2), ("acme/api", 3)] {
        desk.relay.wake(&issue_of(repo, number), &ask("dev")).await.unwrap();
    }
    desk.start(worker).await;
    assert_eq!(desk.start(worker).await.item.key, issue_of("acme/api", 3));
    assert!(!matches!(desk.try_start(worker).await, StartAnswer::Started(_)));
    // A limit that is raised counts at once, also for what was counted before.
    limit(&desk, limits::PER_REPO, 2).await;
    assert_eq!(desk.start(worker).await.item.key, issue_of("acme/web", 2));
}

/// So many runs on one day, and no more before midnight in UTC.
pub async fn a_days_budget_of_runs_is_kept_until_the_next_day<G: Ground>() {
    let mut desk = Desk::<G>::new().await;
    let agent = AgentName::from("dev").key();
    desk.relay.policy.budgeted = BTreeSet::from([agent.clone()]);
    limit(&desk, &limits::runs_per_day(&agent), 2).await;
    for number in 1..=3 {
        desk.wake("dev", number).await;
        let worker = desk.worker().await;
        let StartAnswer::Started(started) = desk.try_start(worker).await else {
            assert_eq!(number, 3);
            continue;
        };
        assert!(number < 3, "a third run was started");
        desk.finish(&started, RunEnd::Succeeded).await;
    }
    desk.advance(seconds(24 * 60 * 60)).await;
    desk.start(desk.worker().await).await;
}

/// When a day's money is spent, nothing more is started on that day.
pub async fn a_days_budget_of_costs_is_kept_until_the_next_day<G: Ground>() {
    let mut desk = Desk::<G>::new().await;
    let agent = AgentName::from("dev").key();
    desk.relay.policy.budgeted = BTreeSet::from([agent.clone()]);
    limit(&desk, &limits::cost_per_day(&agent), 10_000_000).await;
    for number in 1..=3 {
        desk.wake("dev", number).await;
    }
    for _ in 0..2 {
        let started = desk.start(desk.worker().await).await;
        desk.finish_with(&started, RunEnd::Succeeded, Vec::new(), 6_000_000).await;
    }
    let worker = desk.worker().await;
    assert!(!matches!(desk.try_start(worker).await, StartAnswer::Started(_)));
    desk.advance(seconds(24 * 60 * 60)).await;
    desk.start(desk.worker().await).await;
}

/// However runs end, what they counted up is counted down.
pub async fn counters_are_back_to_nothing_when_all_is_over<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let ends = [
        RunEnd::Succeeded,
        RunEnd::Failed("x".to_owned()),
        RunEnd::TimedOut("x".to_owned()),
        RunEnd::ProviderLimit(None),
        RunEnd::GivenBack,
    ];
    for (number, end) in (1..).zip(ends) {
        desk.wake("dev", number).await;
        let worker = desk.worker().await;
        let started = desk.start(worker).await;
        desk.finish(&started, end).await;
        desk.relay.set_open(&issue_of("acme/web", number), false).await.unwrap();
    }
    desk.wake("dev", 9).await;
    desk.start(desk.worker().await).await;
    desk.advance(super::desk::TTL + seconds(60)).await;
    desk.relay.heal(10).await.unwrap();
    let counters = desk.store().counters().await.unwrap();
    assert!(counters.iter().all(|counter| counter.in_use == 0), "{counters:?}");
}
