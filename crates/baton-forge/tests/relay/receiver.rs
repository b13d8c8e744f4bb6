//! A receiver of webhooks: a real HTTP server that keeps what it is sent.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Response};
use ring::hmac;
use serde_json::{Value, json};

use crate::relay::world::World;

/// The secret of every hook that a test makes.
pub(crate) const SECRET: &str = "It's a secret";

/// One request.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    pub(crate) path: String,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    pub(crate) fn event(&self) -> &str {
        self.header("x-github-event")
    }

    pub(crate) fn guid(&self) -> &str {
        self.header("x-github-delivery")
    }

    /// The payload of a delivery in JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// `issues.opened`, `push`, …
    pub(crate) fn name(&self) -> String {
        match self.json()["action"].as_str() {
            Some(action) => format!("{}.{action}", self.event()),
            None => self.event().to_owned(),
        }
    }

    /// Whether both signatures are right.
    pub(crate) fn is_signed(&self) -> bool {
        let is_right = |name: &str, prefix: &str, algorithm| {
            let digits = self.header(name).strip_prefix(prefix).unwrap_or_default();
            let bytes: Vec<u8> = (0..digits.len() / 2)
                .filter_map(|at| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).ok())
                .collect();
            hmac::verify(&hmac::Key::new(algorithm, SECRET.as_bytes()), &self.body, &bytes).is_ok()
        };
        is_right("x-hub-signature-256", "sha256=", hmac::HMAC_SHA256)
            && is_right("x-hub-signature", "sha1=", hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY)
    }
}

type Kept = Arc<Mutex<Vec<Received>>>;

pub(crate) struct Receiver {
    address: SocketAddr,
    kept: Kept,
    server: tokio::task::JoinHandle<()>,
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Receiver {
    pub(crate) async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, kept) = (listener.local_addr().unwrap(), Kept::default());
        let router = Router::new().fallback(receive).with_state(Arc::clone(&kept));
        let server = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { address, kept, server }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// What came to a path, in the order of arrival, greetings left out.
    pub(crate) fn all(&self, path: &str) -> Vec<Received> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().filter(|received| received.path == path && received.event() != "ping").cloned().collect()
    }

    pub(crate) fn pings(&self, path: &str) -> Vec<Received> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().filter(|received| received.path == path && received.event() == "ping").cloned().collect()
    }

    /// Makes a hook on a path of this receiver, in JSON and with the secret.
    pub(crate) async fn hook(&self, world: &World, owner: &str, path: &str, events: &[&str]) -> i64 {
        let config = json!({ "url": self.url(path), "content_type": "json", "secret": SECRET });
        let fields = json!({ "config": config, "events": events, "name": "web" });
        let hook = world.ok(&world.admin, "POST", &format!("{owner}/hooks"), fields).await;
        hook["id"].as_i64().unwrap()
    }

    /// Waits until so many deliveries came to a path, and returns them.
    pub(crate) async fn wait(&self, world: &World, path: &str, count: usize) -> Vec<Received> {
        let what = format!("{count} deliveries at {path}");
        world
            .eventually(&what, async |_| {
                let all = self.all(path);
                (all.len() >= count).then_some(all)
            })
            .await
    }
}

/// Answers as the path's beginning says.
async fn receive(State(kept): State<Kept>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let text = |value: &axum::http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers = headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect();
    let path = uri.path().to_owned();
    kept.lock().unwrap_or_else(PoisonError::into_inner).push(Received {
        path: path.clone(),
        headers,
        body: body.to_vec(),
    });
    if path.starts_with("/silent") {
        std::future::pending::<()>().await;
    }
    if path.starts_with("/moved") {
        return (StatusCode::FOUND, [(header::LOCATION, "/elsewhere")]).into_response();
    }
    if path.starts_with("/broken") {
        return (StatusCode::INTERNAL_SERVER_ERROR, "no").into_response();
    }
    (StatusCode::OK, [("x-receiver", "test")], "thanks").into_response()
}
