//! `baton demo --exit` with a collector of traces beside it: what arrives there, against what the store remembers.

mod collector;

use std::collections::BTreeMap;

use baton_fixtures::{CommandOutput, TestEnv};
use collector::Collector;
use opentelemetry_proto::tonic::trace::v1::{Span, status::StatusCode};
use serde_json::Value;

/// The attributes of a span, for comparison with JSON.
fn attributes(span: &Span) -> BTreeMap<&str, Value> {
    span.attributes.iter().map(|it| (it.key.as_str(), collector::json(it.value.as_ref()))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_run_of_the_demo_arrives_as_a_span_with_its_decisions_and_effects() {
    let collector = Collector::start().await;
    let mut env = TestEnv::new().with("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.url);
    // Whether a demo comes to its end is the matter of the demo's own tests: one that is interrupted has runs too, and
    // sends them.
    let ran = env.run(&["demo", "--exit", "--keep", "kept"]);
    assert!(!ran.out.is_empty(), "{ran:?}");
    env.set("OTEL_EXPORTER_OTLP_ENDPOINT", None);
    let mut runs = env.command(&["runs", "--json", "--limit", "1000"]);
    let listed = CommandOutput::from(runs.current_dir(env.path("kept/desk")).output().unwrap()).json();

    assert!(collector.paths().iter().all(|path| path == "POST /v1/traces"), "{:?}", collector.paths());
    assert_eq!(collector.resource()["service.name"], "baton");
    assert_eq!(collector.resource()["service.version"], env!("CARGO_PKG_VERSION"));
    let spans = collector.spans();
    every_run_is_there(&spans, listed["runs"].as_array().unwrap());
    decisions_and_effects_are_there(&spans);
}

fn every_run_is_there(spans: &[Span], listed: &[Value]) {
    let mut seen: BTreeMap<u64, &Span> = BTreeMap::new();
    for span in spans.iter().filter(|span| span.name == "run") {
        let run = attributes(span)["baton.run"].as_u64().unwrap();
        assert!(seen.insert(run, span).is_none(), "run {run} arrived twice");
    }
    // What was cancelled while it waited was never started, and has no span.
    let started: Vec<_> = listed.iter().filter(|run| !run["started_at"].is_null()).collect();
    assert!(started.len() >= 5, "{listed:?}");
    assert_eq!(seen.len(), started.len(), "runs that arrived: {:?}", seen.keys());
    for run in started {
        let span = seen[&run["run"].as_u64().unwrap()];
        let about = attributes(span);
        assert_eq!(about["baton.issue"], run["issue"], "{about:?}");
        assert_eq!(about["baton.agent"], run["agent"], "{about:?}");
        assert_eq!(about["baton.status"], run["status"], "{about:?}");
        assert!(about["baton.turns"].as_u64().is_some_and(|turns| turns > 0), "{about:?}");
        assert!(span.start_time_unix_nano < span.end_time_unix_nano, "{span:?}");
        let is_error = span.status.as_ref().is_some_and(|status| status.code() == StatusCode::Error);
        assert_eq!(is_error, ["failed", "timed_out"].contains(&run["status"].as_str().unwrap()), "{about:?}");
    }
}

fn decisions_and_effects_are_there(spans: &[Span]) {
    let of = |name: &str| spans.iter().filter(|span| span.name == name).map(attributes).collect::<Vec<_>>();
    for issue in (1..=5).map(|number| format!("acme/hello#{number}")) {
        let is_wake = |about: &BTreeMap<&str, Value>| {
            let deeds = about["baton.deeds"].as_array().unwrap();
            about["baton.issue"] == *issue && deeds.contains(&"wake".into())
        };
        assert!(of("decision").iter().any(is_wake), "no decision to wake an agent for {issue}");
        let is_done = |about: &BTreeMap<&str, Value>| {
            about["baton.issue"] == *issue
                && about["baton.outcome"] == "done"
                && about["baton.effect"].is_u64()
        };
        assert!(of("effect").iter().any(is_done), "nothing was performed on {issue}");
    }
}
