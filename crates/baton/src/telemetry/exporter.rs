//! An exporter whose failures are told once in a while: a collector that is away for a day is one piece of news, not
//! thousands.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use baton_claims::machine::SystemClock;
use baton_core::time::BootTime;
use baton_ports::Clock as _;
use opentelemetry_otlp::SpanExporter as Otlp;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{SpanData, SpanExporter};
use reqwest::Url;

/// How long failures are not told again.
const QUIET: Duration = Duration::from_secs(300);

/// Sends spans, and tells failures once in a while.
#[derive(Debug)]
pub(super) struct Forgiving {
    otlp: Otlp,
    /// Without a path or a password.
    collector: String,
    told: Mutex<Option<BootTime>>,
}

impl Forgiving {
    pub(super) fn new(otlp: Otlp, url: &Url) -> Self {
        Self { otlp, collector: url.origin().ascii_serialization(), told: Mutex::new(None) }
    }

    fn is_news(&self, now: BootTime) -> bool {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let is_news = told.is_none_or(|told| now.since(told) >= QUIET);
        if is_news {
            *told = Some(now);
        }
        is_news
    }
}

impl SpanExporter for Forgiving {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let count = batch.len();
        let sent = self.otlp.export(batch).await;
        if let Err(error) = &sent
            && self.is_news(SystemClock.boot_now())
        {
            tracing::warn!(
                "{count} spans could not be sent to {}: {error}; they are lost, and more may follow unsaid",
                self.collector
            );
        }
        sent
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.otlp.shutdown_with_timeout(timeout)
    }

    fn shutdown(&self) -> OTelSdkResult {
        self.otlp.shutdown()
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.otlp.force_flush()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.otlp.set_resource(resource);
    }
}
