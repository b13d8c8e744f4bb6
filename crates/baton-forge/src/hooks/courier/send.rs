//! One request to a receiver, and what came of it.

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use reqwest::{Client, Response, redirect};

use crate::db::hooks::{Outcome, Outgoing};
use crate::hooks::letter::{Letter, compose};

/// GitHub waits so long for an answer.
const ANSWER_MAX: Duration = Duration::from_secs(10);
/// More of an answer is not kept.
const ANSWER_BYTES_MAX: usize = 64 * 1024;
/// What GitHub notes for a receiver that cannot be reached, and for one that does not answer.
const UNREACHABLE: u16 = 502;
const TOO_SLOW: u16 = 504;

/// The clients, each made when it is first needed: one that checks certificates cannot be made on a machine without any.
#[derive(Default)]
pub(super) struct Sender {
    plain: OnceLock<Option<Client>>,
    strict: OnceLock<Option<Client>>,
    lax: OnceLock<Option<Client>>,
}

/// What came back.
struct Answer {
    status: String,
    status_code: u16,
    headers: Option<String>,
    body: Option<String>,
}

impl Answer {
    fn failed(status_code: u16, status: &str) -> Self {
        Self { status: status.to_owned(), status_code, headers: None, body: None }
    }
}

impl Sender {
    /// Sends a delivery and reads the answer. It always ends, within a bound.
    pub(super) async fn send(&self, outgoing: &Outgoing, attempts: u32, now_ms: i64) -> Outcome {
        let started = Instant::now();
        let letter = compose(outgoing);
        let headers = headers_of(&letter);
        let answer = self.exchange(outgoing, letter).await;
        Outcome {
            attempts,
            delivered_at_ms: now_ms,
            duration_ms: i64::try_from(started.elapsed().as_millis()).unwrap_or(i64::MAX),
            status: answer.status,
            status_code: answer.status_code,
            request_headers: headers,
            response_headers: answer.headers,
            response_body: answer.body,
        }
    }

    /// The outcome of a delivery that a knob has taken away.
    pub(super) fn lost(&self, outgoing: &Outgoing, now_ms: i64) -> Outcome {
        Outcome {
            attempts: 0,
            delivered_at_ms: now_ms,
            duration_ms: 0,
            status: "lost".to_owned(),
            status_code: 0,
            request_headers: headers_of(&compose(outgoing)),
            response_headers: None,
            response_body: None,
        }
    }

    async fn exchange(&self, outgoing: &Outgoing, letter: Letter) -> Answer {
        let Some(client) = self.client(outgoing) else {
            return Answer::failed(
                UNREACHABLE,
                "this machine has no certificates to check the receiver's with",
            );
        };
        let mut request = client.post(&outgoing.hook.url).body(letter.body);
        for (name, value) in &letter.headers {
            request = request.header(*name, value);
        }
        match request.send().await {
            Ok(response) => read(response).await,
            Err(error) if error.is_timeout() => Answer::failed(TOO_SLOW, "timed out"),
            Err(_) => Answer::failed(UNREACHABLE, "failed to connect to host"),
        }
    }

    fn client(&self, outgoing: &Outgoing) -> Option<&Client> {
        // An error means that there is a provider, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let (slot, builder) = if outgoing.hook.url.starts_with("http:") {
            (&self.plain, Client::builder().tls_certs_only([]))
        } else if outgoing.hook.insecure_ssl {
            (&self.lax, Client::builder().tls_certs_only([]).tls_danger_accept_invalid_certs(true))
        } else {
            (&self.strict, Client::builder())
        };
        let build = || {
            let builder = builder.redirect(redirect::Policy::none()).timeout(ANSWER_MAX).no_proxy();
            builder
                .build()
                .inspect_err(|error| tracing::error!(%error, "cannot make a client for webhooks"))
                .ok()
        };
        slot.get_or_init(build).as_ref()
    }
}

fn headers_of(letter: &Letter) -> String {
    serde_json::json!(letter.headers).to_string()
}

async fn read(mut response: Response) -> Answer {
    let status = response.status();
    let headers: BTreeMap<String, String> = response
        .headers()
        .iter()
        .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
        .collect();
    let mut body = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        let room = ANSWER_BYTES_MAX - body.len();
        body.extend_from_slice(&chunk[..chunk.len().min(room)]);
        if body.len() == ANSWER_BYTES_MAX {
            break;
        }
    }
    let said = match status.is_success() {
        true => status.canonical_reason().unwrap_or("OK").to_owned(),
        false => format!("Invalid HTTP Response: {}", status.as_u16()),
    };
    Answer {
        status: said,
        status_code: status.as_u16(),
        headers: Some(serde_json::json!(headers).to_string()),
        body: Some(String::from_utf8_lossy(&body).into_owned()),
    }
}
