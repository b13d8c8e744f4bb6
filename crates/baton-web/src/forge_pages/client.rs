//! Asks the forge over HTTP, as the person who sits before the dashboard.
//!
//! What comes back is read into the few fields that the pages show. Whether something is allowed is never decided here: the
//! forge says so, and its words are passed on.

use std::time::Duration;

use reqwest::header::LINK;
use reqwest::{Method, Response, StatusCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::ForgeDoor;

/// How many of a list are asked for at once; GitHub gives no more.
const PAGE_SIZE: usize = 100;
/// A list that is longer than so many pages is not read to its end, and is refused rather than shown in part.
const PAGES_MAX: usize = 50;
const PATIENCE: Duration = Duration::from_secs(20);

/// The forge did not give what was asked for.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ForgeError {
    #[error("{asked}: the forge could not be reached; is it running?")]
    Unreachable {
        asked: String,
        #[source]
        source: reqwest::Error,
    },
    #[error("{message}")]
    Refused { asked: String, status: StatusCode, message: String },
    #[error("{asked}: the forge's answer could not be understood: {reason}")]
    Strange { asked: String, reason: String },
}

impl ForgeError {
    /// Returns what the dashboard answers with when this is all there is to show.
    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::Refused { status, .. } if status.is_client_error() => match *status {
                // The visitor is known to the dashboard; it is the dashboard's token that the forge does not take.
                StatusCode::UNAUTHORIZED => StatusCode::BAD_GATEWAY,
                status => status,
            },
            _ => StatusCode::BAD_GATEWAY,
        }
    }

    /// Returns what was asked and what came back, for people.
    pub(crate) fn detail(&self) -> String {
        match self {
            Self::Refused { asked, status, .. } => format!("{asked} was answered with {status}"),
            Self::Unreachable { source, .. } => source.to_string(),
            Self::Strange { .. } => "the dashboard and the forge may be of different versions".to_owned(),
        }
    }
}

/// What GitHub's errors look like.
#[derive(Deserialize)]
struct Complaint {
    message: String,
    #[serde(default)]
    errors: Vec<Value>,
}

impl Complaint {
    fn words(self) -> String {
        let details: Vec<_> = self.errors.iter().filter_map(detail).collect();
        match details.is_empty() {
            true => self.message,
            false => format!("{}: {}", self.message, details.join("; ")),
        }
    }
}

fn detail(error: &Value) -> Option<String> {
    let text = |key: &str| error.get(key).and_then(Value::as_str);
    match error {
        Value::String(message) => Some(message.clone()),
        _ => text("message").map(str::to_owned).or_else(|| {
            let field = text("field")?;
            Some(format!("{field} ({})", text("code").unwrap_or("not accepted")))
        }),
    }
}

/// A client with the token of one person.
#[derive(Clone)]
pub(crate) struct ForgeClient {
    http: reqwest::Client,
    api_url: String,
    token: String,
}

impl ForgeClient {
    pub(crate) fn new(door: &ForgeDoor) -> Self {
        // The client is built with whatever TLS the rest of the program uses, which must be chosen first.
        baton_github::install_tls_provider();
        let building = reqwest::Client::builder().user_agent("baton-dashboard").timeout(PATIENCE).no_proxy();
        let http = building.build().expect("a client with no certificates of its own can be built");
        Self { http, api_url: door.api_url.trim_end_matches('/').to_owned(), token: door.token.clone() }
    }

    /// Reads one thing.
    pub(crate) async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, ForgeError> {
        let response = self.ask(Method::GET, path, None).await?;
        read(&format!("GET {path}"), response).await
    }

    /// Reads a list to its end. `list` takes the entries out of one page.
    pub(crate) async fn get_all<P: DeserializeOwned, T>(
        &self,
        path: &str,
        list: impl Fn(P) -> Vec<T>,
    ) -> Result<Vec<T>, ForgeError> {
        let joint = if path.contains('?') { '&' } else { '?' };
        let mut all = Vec::new();
        for page in 1..=PAGES_MAX {
            let path = format!("{path}{joint}per_page={PAGE_SIZE}&page={page}");
            let response = self.ask(Method::GET, &path, None).await?;
            let is_last = !has_next(&response);
            all.extend(list(read(&format!("GET {path}"), response).await?));
            if is_last {
                return Ok(all);
            }
        }
        let reason = format!("it has more than {PAGES_MAX} pages of {PAGE_SIZE}");
        Err(ForgeError::Strange { asked: format!("GET {path}"), reason })
    }

    /// Changes something; what comes back is not needed.
    pub(crate) async fn send(&self, method: Method, path: &str, body: Value) -> Result<(), ForgeError> {
        self.ask(method, path, Some(body)).await.map(drop)
    }

    /// Changes something, and reads what comes back.
    pub(crate) async fn post<T: DeserializeOwned>(&self, path: &str, body: Value) -> Result<T, ForgeError> {
        let response = self.ask(Method::POST, path, Some(body)).await?;
        read(&format!("POST {path}"), response).await
    }

    /// Asks in GraphQL. `name` says for people what was asked.
    pub(crate) async fn graph<T: DeserializeOwned>(
        &self,
        name: &str,
        query: &str,
        variables: Value,
    ) -> Result<T, ForgeError> {
        let answer: GraphAnswer<T> =
            self.post("/graphql", json!({ "query": query, "variables": variables })).await?;
        let asked = format!("POST /graphql ({name})");
        if let Some(error) = answer.errors.into_iter().next() {
            let status = match error.kind.as_deref() {
                Some("NOT_FOUND") => StatusCode::NOT_FOUND,
                Some("FORBIDDEN") => StatusCode::FORBIDDEN,
                _ => StatusCode::UNPROCESSABLE_ENTITY,
            };
            return Err(ForgeError::Refused { asked, status, message: error.message });
        }
        let reason = "it has neither data nor errors".to_owned();
        answer.data.ok_or(ForgeError::Strange { asked, reason })
    }

    async fn ask(&self, method: Method, path: &str, body: Option<Value>) -> Result<Response, ForgeError> {
        let asked = format!("{method} {path}");
        let request = self.http.request(method, format!("{}{path}", self.api_url)).bearer_auth(&self.token);
        let request = request.header("accept", "application/vnd.github+json");
        let request = match body {
            Some(body) => request.json(&body),
            None => request,
        };
        match request.send().await {
            Ok(response) if response.status().is_success() => Ok(response),
            Ok(response) => Err(refusal(asked, response).await),
            Err(source) => Err(ForgeError::Unreachable { asked, source }),
        }
    }
}

#[derive(Deserialize)]
#[serde(bound = "T: DeserializeOwned")]
struct GraphAnswer<T> {
    data: Option<T>,
    #[serde(default)]
    errors: Vec<GraphComplaint>,
}

#[derive(Deserialize)]
struct GraphComplaint {
    message: String,
    #[serde(rename = "type")]
    kind: Option<String>,
}

fn has_next(response: &Response) -> bool {
    let link = response.headers().get(LINK).and_then(|link| link.to_str().ok());
    link.is_some_and(|link| link.contains("rel=\"next\""))
}

async fn read<T: DeserializeOwned>(asked: &str, response: Response) -> Result<T, ForgeError> {
    let broken = |source| ForgeError::Unreachable { asked: asked.to_owned(), source };
    let bytes = response.bytes().await.map_err(broken)?;
    serde_json::from_slice(&bytes)
        .map_err(|error| ForgeError::Strange { asked: asked.to_owned(), reason: error.to_string() })
}

async fn refusal(asked: String, response: Response) -> ForgeError {
    let status = response.status();
    let text = response.text().await.unwrap_or_default();
    let message = match serde_json::from_str::<Complaint>(&text) {
        Ok(complaint) => complaint.words(),
        Err(_) if text.trim().is_empty() => format!("the forge gave no reason beside its status {status}"),
        Err(_) => text.chars().take(500).collect(),
    };
    ForgeError::Refused { asked, status, message }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complaint_is_told_with_its_details() {
        for (text, words) in [
            (r#"{"message":"Not Found"}"#, "Not Found"),
            (
                r#"{"message":"Validation Failed","errors":[{"resource":"Issue","field":"title","code":"missing_field"}]}"#,
                "Validation Failed: title (missing_field)",
            ),
            (
                r#"{"message":"Unprocessable Entity","errors":["Can not approve your own pull request"]}"#,
                "Unprocessable Entity: Can not approve your own pull request",
            ),
            (r#"{"message":"No","errors":[{"message":"because"}]}"#, "No: because"),
        ] {
            assert_eq!(serde_json::from_str::<Complaint>(text).unwrap().words(), words);
        }
    }
}
