//! Traces: what an engine does, as spans for a collector of OpenTelemetry, when the environment names one.
//!
//! Without one nothing is started: no thread, no client, no queue. Spans are sent by a thread of their own, in batches; what
//! a collector does not take is lost, and nothing waits for it. Metrics and logs are not sent.

mod exporter;
mod spans;
mod traced;

use std::time::Duration;

use opentelemetry::InstrumentationScope;
use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use reqwest::Url;

use crate::command_error::CommandError;
use crate::config::Surroundings;
use exporter::Forgiving;
pub(crate) use spans::Spans;
pub(crate) use traced::Traced;

/// The variable with the address that takes traces, as it is.
pub(crate) const TRACES_VARIABLE: &str = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
/// The variable with the address of a collector, below which each kind has a path.
pub(crate) const COLLECTOR_VARIABLE: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";

const NAME: &str = "baton";
const TRACES_PATH: &str = "/v1/traces";

/// How long the end waits for the last spans to be sent.
const FLUSH_WITHIN: Duration = Duration::from_secs(2);

/// Sends spans until it is flushed or dropped.
pub(crate) struct Telemetry {
    provider: SdkTracerProvider,
}

impl Telemetry {
    /// Starts to send spans if the environment says where to.
    pub(crate) fn start(surroundings: &Surroundings) -> Result<Option<Self>, CommandError> {
        endpoint(|name| surroundings.variable(name))?.map(|url| Self::sending_to(&url)).transpose()
    }

    fn sending_to(url: &Url) -> Result<Self, CommandError> {
        // The exporter's client has no provider of its own.
        baton_github::install_tls_provider();
        let exporter = SpanExporter::builder().with_http();
        let exporter = exporter.with_endpoint(url.as_str()).with_protocol(Protocol::HttpBinary).build();
        let exporter = exporter.map_err(|error| {
            CommandError::Usage(format!("traces cannot be sent as the variables OTEL_… ask for: {error}"))
        })?;
        let resource = Resource::builder()
            .with_service_name(NAME)
            .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")));
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(Forgiving::new(exporter, url))
            .with_resource(resource.build())
            .build();
        Ok(Self { provider })
    }

    /// Returns what spans are recorded with.
    pub(crate) fn spans(&self) -> Spans {
        let scope = InstrumentationScope::builder(NAME).with_version(env!("CARGO_PKG_VERSION")).build();
        Spans::new(self.provider.tracer_with_scope(scope))
    }

    /// Sends what is left, as far as that is possible in a moment.
    pub(crate) async fn flush(self) {
        let provider = self.provider.clone();
        let sent = tokio::task::spawn_blocking(move || provider.shutdown_with_timeout(FLUSH_WITHIN)).await;
        if !matches!(sent, Ok(Ok(()))) {
            tracing::warn!("the last traces could not be sent within {} s", FLUSH_WITHIN.as_secs());
        }
    }
}

impl Drop for Telemetry {
    /// Who leaves at once waits for no collector, as the provider would on its own.
    fn drop(&mut self) {
        // After a flush there is nothing left to end.
        let _ = self.provider.shutdown_with_timeout(Duration::ZERO);
    }
}

/// Returns where traces go, if anywhere.
fn endpoint<'a>(variable: impl Fn(&str) -> Option<&'a str>) -> Result<Option<Url>, CommandError> {
    let given = |name: &'static str| {
        let value = variable(name).map(str::trim).filter(|value| !value.is_empty());
        value.map(|value| (name, value))
    };
    let (name, url) = match (given(TRACES_VARIABLE), given(COLLECTOR_VARIABLE)) {
        (Some((name, url)), _) => (name, url.to_owned()),
        (None, Some((name, base))) => (name, format!("{}{TRACES_PATH}", base.trim_end_matches('/'))),
        (None, None) => return Ok(None),
    };
    // The value is not repeated: it may carry a password.
    let parsed =
        Url::parse(&url).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    let parsed = parsed.ok_or_else(|| {
        CommandError::Usage(format!(
            "{name} is no address such as http://127.0.0.1:4318; correct or unset it"
        ))
    })?;
    Ok(Some(parsed))
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    fn found(
        traces: Option<&'static str>,
        collector: Option<&'static str>,
    ) -> Result<Option<String>, String> {
        let variable = |name: &str| if name == TRACES_VARIABLE { traces } else { collector };
        let found = endpoint(variable).map_err(|error| error.to_string())?;
        Ok(found.map(|url| url.to_string()))
    }

    #[test]
    fn the_environment_says_where_traces_go() {
        let goes = |traces, collector| found(traces, collector).unwrap().unwrap();
        assert_eq!(goes(None, Some("http://c:4318")), "http://c:4318/v1/traces");
        assert_eq!(goes(None, Some("https://c/otlp/")), "https://c/otlp/v1/traces");
        assert_eq!(goes(Some("http://t/x"), Some("http://c")), "http://t/x");
        assert_eq!(goes(Some(" "), Some("http://c")), "http://c/v1/traces");
    }

    #[test]
    fn nothing_is_started_when_nothing_is_named() {
        assert_eq!(found(None, None), Ok(None));
        assert_eq!(found(Some(""), Some("  ")), Ok(None));
        assert!(Telemetry::start(&Surroundings::default()).unwrap().is_none());
    }

    #[test]
    fn an_address_that_is_none_is_told_without_its_secrets() {
        for wrong in ["collector:4318", "grpc://ann:secret@c", "nonsense"] {
            let told = found(None, Some(wrong)).unwrap_err();
            assert!(told.contains(COLLECTOR_VARIABLE) && !told.contains(wrong), "{told}");
        }
    }

    async fn flushes(url: &str) {
        let telemetry = Telemetry::sending_to(&Url::parse(url).unwrap()).unwrap();
        telemetry.spans().decided("acme/hello#1", &[]);
        // The exporter alone would wait for ten seconds.
        tokio::time::timeout(FLUSH_WITHIN * 3, telemetry.flush()).await.expect("the end came in time");
    }

    #[tokio::test]
    async fn a_collector_that_never_answers_does_not_hold_the_end_up() {
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        flushes(&format!("http://{}/v1/traces", silent.local_addr().unwrap())).await;
    }

    #[tokio::test]
    async fn a_collector_that_is_not_there_does_not_hold_the_end_up() {
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        flushes(&format!("http://{address}/v1/traces")).await;
    }
}
