//! Deliveries of webhooks, and nudges.

use std::time::Duration;

use baton_ports::store::{Accepted, Delivery};
use baton_ports::{Nudges as _, Store as _};

use super::Ground;
use super::desk::{Desk, seconds};

fn delivery(id: &str) -> Delivery {
    Delivery { id: id.to_owned(), event: "issue_comment".to_owned(), payload: format!("{{\"id\":\"{id}\"}}") }
}

/// The same delivery twice is one.
pub async fn a_delivery_is_accepted_once<G: Ground>() {
    let desk = Desk::<G>::new().await;
    assert_eq!(desk.store().accept(&delivery("a")).await.unwrap(), Accepted::New);
    assert_eq!(desk.store().accept(&delivery("a")).await.unwrap(), Accepted::Seen);
    desk.store().mark_read("a").await.unwrap();
    assert_eq!(desk.store().accept(&delivery("a")).await.unwrap(), Accepted::Seen);
    assert_eq!(desk.store().unread(10).await.unwrap(), []);
}

/// Deliveries wait until they are read, in order; their ids are kept for a while after that.
pub async fn deliveries_are_read_oldest_first_and_forgotten_when_old<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let week = Duration::from_secs(7 * 24 * 60 * 60);
    for id in ["c", "a", "b"] {
        desk.store().accept(&delivery(id)).await.unwrap();
    }
    assert_eq!(desk.store().unread(2).await.unwrap(), [delivery("c"), delivery("a")]);
    desk.store().mark_read("c").await.unwrap();
    assert_eq!(desk.store().unread(9).await.unwrap(), [delivery("a"), delivery("b")]);
    assert_eq!(desk.store().forget_deliveries(week).await.unwrap(), 0);
    desk.advance(week + seconds(1)).await;
    assert_eq!(desk.store().forget_deliveries(week).await.unwrap(), 1, "what was not read is kept");
    assert_eq!(desk.store().accept(&delivery("c")).await.unwrap(), Accepted::New);
    assert_eq!(desk.store().accept(&delivery("a")).await.unwrap(), Accepted::Seen);
}

/// Whoever listens hears of a new run.
pub async fn a_commit_nudges_whoever_listens<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let mut nudges = desk.store().listen().await.unwrap();
    desk.wake("dev", 1).await;
    let heard = tokio::time::timeout(seconds(20), nudges.nudged()).await;
    heard.expect("a nudge comes").unwrap();
}
