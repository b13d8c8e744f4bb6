//! Asks "has it changed?" instead of asking anew: an answer of 304 costs nothing of GitHub's budget.
//!
//! Answers are kept in memory, the least recently used dropped first. What is kept is never given without asking: the
//! body may be old only in the sense that the server has confirmed it, and the `Date` is that of the confirmation.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use http::header::{DATE, ETAG};
use http::{HeaderValue, StatusCode};
use tower::{Layer, Service, ServiceExt as _};

use super::lock;
use crate::call::{Call, Exchange, Failure, Outcome, Pending, Reply};

/// How much may be kept.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StoreLimits {
    pub(crate) entries_max: usize,
    pub(crate) bytes_max: usize,
}

impl Default for StoreLimits {
    fn default() -> Self {
        Self { entries_max: 1_000, bytes_max: 16 * 1024 * 1024 }
    }
}

#[derive(Debug)]
struct Kept {
    etag: HeaderValue,
    reply: Reply,
    used_at: u64,
}

/// The answers kept, by address.
#[derive(Debug, Default)]
pub(crate) struct Store {
    limits: StoreLimits,
    kept: BTreeMap<String, Kept>,
    /// Addresses by when they were last used.
    order: BTreeMap<u64, String>,
    bytes: usize,
    uses: u64,
}

impl Store {
    fn find(&mut self, url: &str) -> Option<(HeaderValue, Reply)> {
        self.uses += 1;
        let kept = self.kept.get_mut(url)?;
        self.order.remove(&kept.used_at);
        kept.used_at = self.uses;
        self.order.insert(self.uses, url.to_owned());
        Some((kept.etag.clone(), kept.reply.clone()))
    }

    fn keep(&mut self, url: &str, etag: HeaderValue, mut reply: Reply) {
        self.drop_one(url);
        if reply.body.len() > self.limits.bytes_max {
            return;
        }
        // An old date on a confirmed answer would make everything look younger than it is.
        reply.headers.remove(DATE);
        self.uses += 1;
        self.bytes += reply.body.len();
        self.order.insert(self.uses, url.to_owned());
        self.kept.insert(url.to_owned(), Kept { etag, reply, used_at: self.uses });
        while self.kept.len() > self.limits.entries_max || self.bytes > self.limits.bytes_max {
            let Some((_, oldest)) = self.order.pop_first() else { break };
            self.drop_one(&oldest);
        }
    }

    fn drop_one(&mut self, url: &str) {
        if let Some(kept) = self.kept.remove(url) {
            self.bytes -= kept.reply.body.len();
            self.order.remove(&kept.used_at);
        }
    }
}

/// Puts a store before a service.
#[derive(Debug, Clone, Default)]
pub(crate) struct ConditionalLayer(pub(crate) Arc<Mutex<Store>>);

impl<S> Layer<S> for ConditionalLayer {
    type Service = Conditional<S>;

    fn layer(&self, inner: S) -> Conditional<S> {
        Conditional { inner, store: Arc::clone(&self.0) }
    }
}

/// A service that is asked for changes only.
#[derive(Debug, Clone)]
pub(crate) struct Conditional<S> {
    inner: S,
    store: Arc<Mutex<Store>>,
}

impl<S: Exchange> Conditional<S> {
    async fn run(self, mut call: Call) -> Outcome {
        let url = call.url.to_string();
        let known = lock(&self.store).find(&url);
        call.if_none_match = known.as_ref().map(|(etag, _)| etag.clone());
        let reply = self.inner.oneshot(call).await?;
        match (known, reply.status) {
            (Some((_, kept)), StatusCode::NOT_MODIFIED) => return Ok(confirmed(kept, reply)),
            (_, StatusCode::OK) => keep(&self.store, &url, &reply),
            _ => {}
        }
        Ok(reply)
    }
}

fn keep(store: &Mutex<Store>, url: &str, reply: &Reply) {
    if let Some(etag) = reply.headers.get(ETAG) {
        lock(store).keep(url, etag.clone(), reply.clone());
    }
}

/// Joins the body that was kept with the headers of the answer that confirmed it.
fn confirmed(kept: Reply, confirmation: Reply) -> Reply {
    let mut headers = kept.headers;
    for (name, value) in &confirmation.headers {
        headers.insert(name, value.clone());
    }
    Reply { status: kept.status, headers, body: kept.body, is_after_doubt: confirmation.is_after_doubt }
}

impl<S: Exchange> Service<Call> for Conditional<S> {
    type Response = Reply;
    type Error = Failure;
    type Future = Pending;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Failure>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: Call) -> Pending {
        if call.is_read() {
            return Box::pin(self.clone().run(call));
        }
        Box::pin(self.inner.clone().oneshot(call))
    }
}

#[cfg(test)]
mod tests {
    use http::Method;

    use super::super::fake::{FakeNetwork, get, reply, write};
    use super::*;
    use crate::call::Repeat;

    const OLD: &str = "Tue, 14 Nov 2023 22:13:20 GMT";
    const NEW: &str = "Tue, 14 Nov 2023 22:14:20 GMT";

    fn full(etag: &str, body: &str) -> Reply {
        reply(200, &[("etag", etag), ("date", OLD), ("link", "<next>")], body)
    }

    #[tokio::test]
    async fn a_confirmed_answer_has_the_old_body_and_the_new_date() {
        let unchanged = reply(304, &[("etag", "\"1\""), ("date", NEW)], "");
        let network = FakeNetwork::answering([Ok(full("\"1\"", "body")), Ok(unchanged)]);
        let service = ConditionalLayer::default().layer(network.clone());
        service.clone().oneshot(get("/thing")).await.unwrap();
        let second = service.oneshot(get("/thing")).await.unwrap();
        assert_eq!((second.status.as_u16(), &second.body[..]), (200, &b"body"[..]));
        assert_eq!((second.header("date"), second.header("link")), (Some(NEW), Some("<next>")));
        let asked = lock(&network.asked);
        assert_eq!(asked[0].if_none_match, None);
        assert_eq!(asked[1].if_none_match.as_ref().unwrap(), "\"1\"");
    }

    #[tokio::test]
    async fn a_confirmation_without_a_date_has_none() {
        let network = FakeNetwork::answering([Ok(full("\"1\"", "body")), Ok(reply(304, &[], ""))]);
        let service = ConditionalLayer::default().layer(network);
        service.clone().oneshot(get("/thing")).await.unwrap();
        assert_eq!(service.oneshot(get("/thing")).await.unwrap().date(), None);
    }

    #[tokio::test]
    async fn a_changed_answer_replaces_the_one_that_was_kept() {
        let unchanged = reply(304, &[], "");
        let network =
            FakeNetwork::answering([Ok(full("\"1\"", "old")), Ok(full("\"2\"", "new")), Ok(unchanged)]);
        let service = ConditionalLayer::default().layer(network.clone());
        for _ in 0..2 {
            service.clone().oneshot(get("/thing")).await.unwrap();
        }
        assert_eq!(&service.oneshot(get("/thing")).await.unwrap().body[..], b"new");
        assert_eq!(lock(&network.asked)[2].if_none_match.as_ref().unwrap(), "\"2\"");
    }

    #[tokio::test]
    async fn refusals_and_writes_are_not_kept() {
        let refused = reply(404, &[("etag", "\"1\"")], "");
        let outcomes = [Ok(refused), Ok(full("\"2\"", "written")), Ok(full("\"3\"", "x"))];
        let network = FakeNetwork::answering(outcomes);
        let service = ConditionalLayer::default().layer(network.clone());
        service.clone().oneshot(get("/thing")).await.unwrap();
        service.clone().oneshot(write(Method::PATCH, Repeat::Always)).await.unwrap();
        service.oneshot(get("/thing")).await.unwrap();
        assert!(lock(&network.asked).iter().all(|call| call.if_none_match.is_none()));
    }

    #[test]
    fn the_store_stays_within_its_limits_and_drops_what_was_not_used() {
        let mut store = Store { limits: StoreLimits { entries_max: 2, bytes_max: 10 }, ..Store::default() };
        let keep = |store: &mut Store, url: &str, body: &str| {
            store.keep(url, HeaderValue::from_static("\"1\""), full("\"1\"", body));
        };
        keep(&mut store, "a", "aaaa");
        keep(&mut store, "b", "bbbb");
        assert!(store.find("a").is_some(), "and now it is younger than b");
        keep(&mut store, "c", "cc");
        assert!(store.find("b").is_none() && store.find("a").is_some() && store.find("c").is_some());
        keep(&mut store, "d", "dddddddddd");
        assert_eq!((store.kept.len(), store.order.len(), store.bytes), (1, 1, 10));
        keep(&mut store, "e", "more than ten bytes");
        assert!(store.find("e").is_none() && store.find("d").is_some());
    }
}
