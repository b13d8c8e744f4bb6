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

/// Deliveries that come together are told apart, also from each other, and marked together.
pub async fn deliveries_are_accepted_and_marked_together<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let store = desk.store();
    assert_eq!(store.accept_all(&[]).await.unwrap(), []);
    assert_eq!(store.accept(&delivery("b")).await.unwrap(), Accepted::New);
    let batch = ["c", "b", "a", "c"].map(delivery);
    let expected = [Accepted::New, Accepted::Seen, Accepted::New, Accepted::Seen];
    assert_eq!(store.accept_all(&batch).await.unwrap(), expected);
    assert_eq!(
        store.unread(9).await.unwrap(),
        ["b", "c", "a"].map(delivery),
        "in the order in which they came"
    );
    store.mark_all_read(&["b", "a", "unknown"].map(str::to_owned)).await.unwrap();
    assert_eq!(store.unread(9).await.unwrap(), [delivery("c")]);
    assert_eq!(store.accept_all(&batch).await.unwrap(), [Accepted::Seen; 4]);
}

/// Two that accept the same deliveries in different orders do not keep each other from it.
pub async fn deliveries_in_different_orders_are_accepted_once<G: Ground>() {
    let desk = Desk::<G>::new().await;
    let there: Vec<_> = (0..50).map(|number| delivery(&number.to_string())).collect();
    let back: Vec<_> = there.iter().rev().cloned().collect();
    let (one, other) = tokio::join!(desk.store().accept_all(&there), desk.store().accept_all(&back));
    let answers = [one.unwrap(), other.unwrap()].concat();
    assert_eq!(answers.iter().filter(|answer| **answer == Accepted::New).count(), 50);
    assert_eq!(desk.store().unread(99).await.unwrap().len(), 50);
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
