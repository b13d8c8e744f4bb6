//! A lookout over the HTTP API of a dashboard.

use std::error::Error as _;
use std::time::Duration;

use baton_core::tracker::IssueKey;
use baton_view::{
    Board, Fleet, IssueView, LogPage, Lookout, LookoutError, Order, Period, Reply, Report, RunLine, RunQuery,
    RunView,
};
use reqwest::{RequestBuilder, StatusCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::command_error::CommandError;

/// How long an answer may take; looking at an issue may mean that the tracker is asked.
const ANSWER_WITHIN: Duration = Duration::from_secs(30);
const CONNECT_WITHIN: Duration = Duration::from_secs(5);
/// How long the server is asked to wait for news.
const NEWS_WITHIN_S: u64 = 20;
/// How long to wait after the server could not be asked for news.
const NEWS_AGAIN_AFTER: Duration = Duration::from_secs(2);

/// A dashboard somewhere.
pub(super) struct Remote {
    http: reqwest::Client,
    /// Without a slash at the end.
    url: String,
    token: Option<String>,
}

/// How the API tells errors.
#[derive(Debug, Deserialize)]
struct Problem {
    title: String,
    #[serde(default)]
    detail: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Changes {
    version: u64,
}

impl Remote {
    pub(super) fn new(url: &str, token: Option<&str>) -> Result<Self, CommandError> {
        let read = reqwest::Url::parse(url)
            .ok()
            .filter(|it| it.has_host() && matches!(it.scheme(), "http" | "https"));
        if read.is_none_or(|it| it.query().is_some() || it.fragment().is_some()) {
            return Err(CommandError::Usage(format!(
                "--url: `{url}` is not the address of a dashboard: write it like http://127.0.0.1:8477"
            )));
        }
        baton_github::install_tls_provider();
        // A token is for this server: it follows no one elsewhere.
        let http = reqwest::Client::builder()
            .user_agent(concat!("baton-board/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(CONNECT_WITHIN)
            .timeout(ANSWER_WITHIN)
            .build()
            .map_err(|error| CommandError::out_of_reach(&error))?;
        Ok(Self { http, url: url.trim_end_matches('/').to_owned(), token: token.map(ToOwned::to_owned) })
    }

    fn get(&self, path: &str) -> RequestBuilder {
        self.with_token(self.http.get(format!("{}/api/v1/{path}", self.url)))
    }

    fn with_token(&self, request: RequestBuilder) -> RequestBuilder {
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    async fn read<T: DeserializeOwned>(&self, path: &str) -> Result<T, LookoutError> {
        answer(self.get(path), |status| status.is_success()).await
    }

    async fn version_after(&self, seen: u64) -> Result<u64, LookoutError> {
        let query = [("seen", seen), ("wait_s", NEWS_WITHIN_S)];
        let request = self.get("changes").query(&query);
        answer::<Changes>(request, |status| status.is_success()).await.map(|changes| changes.version)
    }
}

/// Sends a request and reads its answer, or what is wrong with it.
async fn answer<T: DeserializeOwned>(
    request: RequestBuilder,
    is_answer: impl FnOnce(StatusCode) -> bool,
) -> Result<T, LookoutError> {
    let response = request.send().await.map_err(unreached)?;
    let status = response.status();
    let body = response.bytes().await.map_err(unreached)?;
    if is_answer(status) {
        return serde_json::from_slice(&body).map_err(|error| misread(status, &error));
    }
    Err(refusal(status, serde_json::from_slice(&body).ok()))
}

/// The address is on the screen already; the causes are not.
fn unreached(error: reqwest::Error) -> LookoutError {
    let error = error.without_url();
    let mut words =
        if error.is_timeout() { "it did not answer in time".to_owned() } else { error.to_string() };
    let mut cause = error.source();
    while let Some(error) = cause {
        words.push_str(": ");
        words.push_str(&error.to_string());
        cause = error.source();
    }
    LookoutError::OutOfReach(words)
}

fn misread(status: StatusCode, error: &serde_json::Error) -> LookoutError {
    LookoutError::OutOfReach(format!(
        "it answered {status} with something that is not of this API ({error}); is it a dashboard of this version?"
    ))
}

fn refusal(status: StatusCode, problem: Option<Problem>) -> LookoutError {
    let words = match problem {
        Some(problem) => problem.detail.unwrap_or(problem.title),
        None => format!("it answered {status} without saying why; is it a dashboard?"),
    };
    match status {
        StatusCode::NOT_FOUND => LookoutError::NoSuch(words),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => LookoutError::OutOfReach(words),
        status if status.is_client_error() => LookoutError::Refused(words),
        _ => LookoutError::OutOfReach(words),
    }
}

fn issue_path(issue: &IssueKey) -> String {
    format!("issues/{}/{}/{}", issue.repo.owner(), issue.repo.name(), issue.number)
}

impl Lookout for Remote {
    async fn board(&self) -> Result<Board, LookoutError> {
        self.read("board").await
    }

    async fn issue(&self, issue: &IssueKey) -> Result<IssueView, LookoutError> {
        self.read(&issue_path(issue)).await
    }

    async fn runs(&self, query: &RunQuery) -> Result<Vec<RunLine>, LookoutError> {
        answer(self.get("runs").query(query), |status| status.is_success()).await
    }

    async fn run(&self, run: i64) -> Result<RunView, LookoutError> {
        self.read(&format!("runs/{run}")).await
    }

    async fn log(&self, run: i64, from: u64) -> Result<LogPage, LookoutError> {
        self.read(&format!("runs/{run}/log?from={from}")).await
    }

    async fn fleet(&self) -> Result<Fleet, LookoutError> {
        self.read("fleet").await
    }

    async fn report(&self, period: Period) -> Result<Report, LookoutError> {
        answer(self.get("report").query(&period), |status| status.is_success()).await
    }

    /// The server knows by itself in whose name it takes orders.
    async fn order(&self, issue: &IssueKey, order: &Order, _: &str) -> Result<Reply, LookoutError> {
        let url = format!("{}/api/v1/{}/orders", self.url, issue_path(issue));
        let request = self.with_token(self.http.post(url)).json(order);
        let response = request.send().await.map_err(unreached)?;
        let status = response.status();
        let body = response.bytes().await.map_err(unreached)?;
        match (status, serde_json::from_slice::<Reply>(&body)) {
            (StatusCode::OK | StatusCode::CONFLICT, Ok(reply)) => Ok(reply),
            (StatusCode::OK, Err(error)) => Err(misread(status, &error)),
            (status, _) => Err(refusal(status, serde_json::from_slice(&body).ok())),
        }
    }

    /// A server that came back is news too: what it shows may have changed while it was away.
    async fn changed(&self, seen: u64) -> u64 {
        let mut was_away = false;
        loop {
            match self.version_after(seen).await {
                Ok(version) if version != seen || was_away => return version,
                Ok(_) => {}
                Err(_) => {
                    was_away = true;
                    tokio::time::sleep(NEWS_AGAIN_AFTER).await;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
