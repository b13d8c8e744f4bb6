//! A plain client of a forge's API.

use serde_json::Value;

/// A client with one token.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    /// Where the forge is.
    pub url: String,
    token: Option<String>,
}

/// An answer, read to its end.
#[derive(Debug)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// The headers.
    pub headers: reqwest::header::HeaderMap,
    /// The body.
    pub text: String,
}

impl Answer {
    /// Reads the body as JSON; null if it is none.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or(Value::Null)
    }

    /// Returns a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

impl Client {
    /// Returns a client that shows a token, or none.
    pub fn new(url: &str, token: Option<&str>) -> Self {
        baton_github::install_tls_provider();
        let http = reqwest::Client::builder().user_agent("baton-tests").no_proxy().build().expect("a client");
        Self { http, url: url.to_owned(), token: token.map(str::to_owned) }
    }

    /// Asks with headers of its own; nothing if there was no answer.
    pub async fn send(
        &self,
        method: &str,
        path: &str,
        body: Option<&str>,
        headers: &[(&str, &str)],
    ) -> Option<Answer> {
        let address = if path.starts_with("http") { path.to_owned() } else { format!("{}{path}", self.url) };
        let mut request = self.http.request(method.parse().expect("a method"), address);
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body.to_owned());
        }
        let response = request.send().await.ok()?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Some(Answer { status, headers, text: response.text().await.ok()? })
    }

    /// Asks, and insists on an answer.
    pub async fn ask(&self, method: &str, path: &str, body: &Value) -> Answer {
        let body = (!body.is_null()).then(|| body.to_string());
        self.send(method, path, body.as_deref(), &[])
            .await
            .unwrap_or_else(|| panic!("{method} {path}: no answer"))
    }

    /// Asks, and insists on a status.
    pub async fn must(&self, method: &str, path: &str, body: &Value, status: u16) -> Value {
        let answer = self.ask(method, path, body).await;
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.text);
        answer.json()
    }
}
