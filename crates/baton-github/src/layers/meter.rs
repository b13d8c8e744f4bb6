//! Counts what was asked, so that callers can tell what a decision costs.
//!
//! Every attempt counts, the ones that failed included. Nothing is timed here.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use http::Method;
use tower::{Layer, Service, ServiceExt as _};

use super::lock;
use crate::call::{Call, Exchange, Failure, Outcome, Pending, Reply};

/// How often one thing was asked with one result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeterRow {
    /// `GET`, `POST`, …
    pub method: String,
    /// The template of the path, such as `/repos/{owner}/{repo}/issues/{issue_number}`.
    pub endpoint: &'static str,
    /// The status of the answers; 0 where there was none.
    pub status: u16,
    /// How many.
    pub count: u64,
}

/// The counters.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    total: AtomicU64,
    counts: Mutex<BTreeMap<(&'static str, String, u16), u64>>,
}

impl Meter {
    pub(crate) fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }

    pub(crate) fn rows(&self) -> Vec<MeterRow> {
        let counts = lock(&self.counts);
        let row = |(key, count): (&(&'static str, String, u16), &u64)| MeterRow {
            endpoint: key.0,
            method: key.1.clone(),
            status: key.2,
            count: *count,
        };
        counts.iter().map(row).collect()
    }

    fn count(&self, method: &Method, endpoint: &'static str, outcome: &Outcome) {
        let status = outcome.as_ref().map_or(0, |reply| reply.status.as_u16());
        *lock(&self.counts).entry((endpoint, method.to_string(), status)).or_default() += 1;
    }
}

/// Puts a meter before a service.
#[derive(Debug, Clone, Default)]
pub(crate) struct MeterLayer(pub(crate) Arc<Meter>);

impl<S> Layer<S> for MeterLayer {
    type Service = Metered<S>;

    fn layer(&self, inner: S) -> Metered<S> {
        Metered { inner, meter: Arc::clone(&self.0) }
    }
}

/// A service whose calls are counted.
#[derive(Debug, Clone)]
pub(crate) struct Metered<S> {
    inner: S,
    meter: Arc<Meter>,
}

impl<S: Exchange> Service<Call> for Metered<S> {
    type Response = Reply;
    type Error = Failure;
    type Future = Pending;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Failure>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: Call) -> Pending {
        let (inner, meter) = (self.inner.clone(), Arc::clone(&self.meter));
        Box::pin(async move {
            // Counted before it is sent: a call whose caller gives up was made all the same.
            meter.total.fetch_add(1, Ordering::Relaxed);
            let (method, endpoint) = (call.method.clone(), call.endpoint);
            let outcome = inner.oneshot(call).await;
            meter.count(&method, endpoint, &outcome);
            outcome
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::fake::{FakeNetwork, get, reply};
    use super::*;

    #[tokio::test]
    async fn every_attempt_counts_by_endpoint_and_status() {
        let lost = Err(Failure::Lost("reset".into()));
        let network = FakeNetwork::answering([Ok(reply(200, &[], "")), Ok(reply(200, &[], "")), lost]);
        let layer = MeterLayer::default();
        let service = layer.layer(network);
        for _ in 0..3 {
            let _ = service.clone().oneshot(get("/thing/7")).await;
        }
        let row = |status, count| MeterRow { method: "GET".into(), endpoint: "/thing", status, count };
        assert_eq!(layer.0.rows(), [row(0, 1), row(200, 2)]);
        assert_eq!(layer.0.total(), 3);
    }
}
