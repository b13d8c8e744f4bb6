//! What the end-to-end tests share: the real binary as a forge, and a client that asks it.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

pub(crate) const TOKEN: &str = "bft_end_to_end";

/// A `baton forge serve` of its own, killed when dropped.
pub(crate) struct ForgeProcess {
    child: Child,
    pub(crate) url: String,
    pub(crate) data: PathBuf,
}

impl ForgeProcess {
    pub(crate) fn start(data: &Path, more: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_baton"))
            .args(["forge", "serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(data)
            .args(more)
            .env("BATON_FORGE_TOKEN", TOKEN)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut first = String::new();
        let stdout = child.stdout.take().expect("stdout is piped");
        BufReader::new(stdout).read_line(&mut first).expect("the binary says where it listens");
        let url = first
            .trim()
            .strip_prefix("forge listening on ")
            .expect("the first line names the address")
            .to_owned();
        Self { child, url, data: data.to_owned() }
    }

    /// Ends it as a crash would.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("it is running");
        self.child.wait().expect("it ends");
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for ForgeProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs `baton` with arguments; returns its exit code and what it printed.
pub(crate) fn baton(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_baton")).args(arguments).output().expect("the binary runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

/// A client with one token.
#[derive(Clone)]
pub(crate) struct Client {
    http: reqwest::Client,
    pub(crate) url: String,
    token: Option<String>,
}

/// An answer, read to its end.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: reqwest::header::HeaderMap,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or(Value::Null)
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

impl Client {
    pub(crate) fn new(url: &str, token: Option<&str>) -> Self {
        baton_github::install_tls_provider();
        let http = reqwest::Client::builder().user_agent("baton-tests").no_proxy().build().expect("a client");
        Self { http, url: url.to_owned(), token: token.map(str::to_owned) }
    }

    pub(crate) async fn send(
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
    pub(crate) async fn ask(&self, method: &str, path: &str, body: &Value) -> Answer {
        let body = (!body.is_null()).then(|| body.to_string());
        self.send(method, path, body.as_deref(), &[])
            .await
            .unwrap_or_else(|| panic!("{method} {path}: no answer"))
    }

    /// Asks, and insists on a status.
    pub(crate) async fn must(&self, method: &str, path: &str, body: &Value, status: u16) -> Value {
        let answer = self.ask(method, path, body).await;
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.text);
        answer.json()
    }
}
