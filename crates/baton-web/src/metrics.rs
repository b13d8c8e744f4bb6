//! `/metrics`: the relay and this server in numbers, for Prometheus.
//!
//! Made with `prometheus-client`: its registry is a value, so that what is looked up when somebody asks can be written beside what
//! was counted before. `metrics-exporter-prometheus` has more parts, and wants one registry for the whole process.
//!
//! Deliberately absent: numbers by issue or by run. There is no end of them, and each would stay for ever.

mod relay;

use std::sync::Arc;

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use baton_view::Lookout;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use tokio::time::Instant;
use tracing::Instrument as _;

use crate::dashboard::Site;

/// The format that the registry writes, which Prometheus asks for first.
const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// Upper ends of the buckets, in seconds. A question that is held until there is news falls into the last.
const BUCKETS_S: [f64; 10] = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0];

/// What distinguishes one series from another.
type Labels<const N: usize> = [(&'static str, String); N];

/// What this server has answered since its start.
#[derive(Debug, Clone)]
pub(crate) struct Meter {
    requests: Family<Labels<3>, Counter>,
    durations: Family<Labels<2>, Histogram>,
}

impl Default for Meter {
    fn default() -> Self {
        let durations = Family::new_with_constructor((|| Histogram::new(BUCKETS_S)) as fn() -> Histogram);
        Self { requests: Family::default(), durations }
    }
}

impl Meter {
    fn count(&self, method: &'static str, route: &str, status: StatusCode, seconds: f64) {
        let class = format!("{}xx", status.as_u16() / 100);
        let labels = [("method", method.to_owned()), ("route", route.to_owned())];
        self.durations.get_or_create(&labels).observe(seconds);
        let [method, route] = labels;
        self.requests.get_or_create(&[method, route, ("status", class)]).inc();
    }

    fn register(&self, registry: &mut Registry) {
        let words = "Requests that were answered, by route, method and class of status";
        registry.register("baton_http_requests", words, self.requests.clone());
        let words = "Time from a request to the head of its answer";
        registry.register("baton_http_request_duration_seconds", words, self.durations.clone());
    }
}

pub(crate) fn routes<L: Lookout>(site: &Arc<Site<L>>, meter: &Meter) -> Router {
    let shared = (Arc::clone(site), meter.clone());
    Router::new().route("/metrics", get(answer::<L>)).with_state(shared)
}

async fn answer<L: Lookout>(State((site, meter)): State<(Arc<Site<L>>, Meter)>) -> Response {
    let mut registry = Registry::default();
    relay::register(&mut registry, site.lookout.board().await, site.lookout.fleet().await);
    meter.register(&mut registry);
    let mut text = String::new();
    match encode(&mut text, &registry) {
        Ok(()) => ([(header::CONTENT_TYPE, MEDIA_TYPE)], text).into_response(),
        Err(error) => {
            (StatusCode::INTERNAL_SERVER_ERROR, format!("the numbers cannot be written: {error}\n"))
                .into_response()
        }
    }
}

/// Counts a request and traces it. The route is written as it is declared, so that no visitor can make up new series.
pub(crate) async fn measure(State(meter): State<Meter>, request: Request, next: Next) -> Response {
    let begin = Instant::now();
    let method = known(request.method());
    let route = request.extensions().get::<MatchedPath>().map_or("unknown", MatchedPath::as_str).to_owned();
    let span = tracing::info_span!(
        "http_request",
        otel.kind = "server",
        http.request.method = method,
        http.route = route,
        http.response.status_code = tracing::field::Empty,
    );
    let answer = next.run(request).instrument(span.clone()).await;
    span.record("http.response.status_code", answer.status().as_u16());
    meter.count(method, &route, answer.status(), begin.elapsed().as_secs_f64());
    answer
}

fn known(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "OTHER",
    }
}
