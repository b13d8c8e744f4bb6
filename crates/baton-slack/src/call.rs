//! One call of the Web API: parameters out, an object in, and errors that tell what to do.

use std::fmt;
use std::time::Duration;

use baton_ports::MessengerError;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The longest answer that is read, in bytes: a page of a channel is far below.
const ANSWER_BYTES_MAX: usize = 8 << 20;

/// A token of Slack. Its `Debug` says only that there is one.
#[derive(Clone, PartialEq, Eq)]
pub struct SlackToken(String);

impl SlackToken {
    /// Wraps a token; white space around it is dropped.
    pub fn new(text: &str) -> Self {
        Self(text.trim().to_owned())
    }
}

impl fmt::Debug for SlackToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SlackToken(…)")
    }
}

/// The Web API of one workspace.
#[derive(Debug, Clone)]
pub(crate) struct WebApi {
    http: reqwest::Client,
    api_url: String,
    token: SlackToken,
}

impl WebApi {
    pub(crate) fn new(api_url: &str, token: SlackToken, timeout: Duration) -> Result<Self, MessengerError> {
        let http = reqwest::Client::builder().timeout(timeout).user_agent("baton").build();
        let http = http.map_err(|error| failed("setting up a client for Slack", &plain(error), None))?;
        Ok(Self { http, api_url: api_url.trim_end_matches('/').to_owned(), token })
    }

    /// Reads something.
    pub(crate) async fn get<T: DeserializeOwned>(
        &self,
        method: &str,
        parameters: &[(&str, &str)],
    ) -> Result<T, MessengerError> {
        let request = self.http.get(format!("{}/{method}", self.api_url)).query(parameters);
        self.send(method, request).await
    }

    /// Changes something.
    pub(crate) async fn post<T: DeserializeOwned>(
        &self,
        method: &str,
        parameters: &[(&str, &str)],
    ) -> Result<T, MessengerError> {
        let request = self.http.post(format!("{}/{method}", self.api_url)).form(parameters);
        self.send(method, request).await
    }

    async fn send<T: DeserializeOwned>(
        &self,
        method: &str,
        request: reqwest::RequestBuilder,
    ) -> Result<T, MessengerError> {
        let tried = format!("Slack's {method} at {}", self.api_url);
        let answer = request.bearer_auth(&self.token.0).send().await;
        let answer = answer.map_err(|error| failed(&tried, &plain(error), Some(REACH)))?;
        let status = answer.status();
        if status.as_u16() == 429 {
            let wait = answer.headers().get("retry-after").and_then(|it| it.to_str().ok()).unwrap_or("some");
            return Err(failed(&tried, &format!("too many requests; {wait} s are to be waited"), None));
        }
        let body = answer.bytes().await.map_err(|error| failed(&tried, &plain(error), Some(REACH)))?;
        if !status.is_success() || body.len() > ANSWER_BYTES_MAX {
            return Err(failed(&tried, &format!("HTTP {status} with {} bytes", body.len()), Some(REACH)));
        }
        read(&tried, &body)
    }
}

const REACH: &str = "check `slack.api_url` and the network";

/// Returns an error with its causes. The address may name things that belong in no log, and is told apart.
fn plain(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut said = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(inner) = cause {
        said = format!("{said}: {inner}");
        cause = inner.source();
    }
    said
}

/// Reads an answer: Slack says in the answer itself whether it did what it was asked for.
fn read<T: DeserializeOwned>(tried: &str, body: &[u8]) -> Result<T, MessengerError> {
    let answer: Value = serde_json::from_slice(body)
        .map_err(|error| failed(tried, &format!("the answer is no JSON: {error}"), Some(REACH)))?;
    if answer["ok"] != Value::Bool(true) {
        let error = answer["error"].as_str().unwrap_or("no reason");
        return Err(MessengerError { is_gone: is_gone(error), ..failed(tried, error, advice(error)) });
    }
    serde_json::from_value(answer)
        .map_err(|error| failed(tried, &format!("the answer lacks something: {error}"), None))
}

fn failed(tried: &str, answer: &str, advice: Option<&str>) -> MessengerError {
    let (tried, answer, advice) = (tried.to_owned(), answer.to_owned(), advice.map(str::to_owned));
    MessengerError { tried, answer, advice, is_gone: false }
}

/// Returns whether Slack says that a message was deleted.
fn is_gone(error: &str) -> bool {
    matches!(error, "message_not_found" | "thread_not_found")
}

/// What a person can do about an error that Slack names.
fn advice(error: &str) -> Option<&'static str> {
    Some(match error {
        "not_authed" | "invalid_auth" | "token_revoked" | "account_inactive" => {
            "put the bot's token into BATON_SLACK_TOKEN"
        }
        "channel_not_found" => "set `slack.channel` to the channel's id (C…), and invite the bot there",
        "not_in_channel" => "invite the bot to the channel of `slack.channel`",
        "is_archived" => "set `slack.channel` to a channel that is not archived",
        "missing_scope" | "no_permission" => {
            "give the bot the scopes chat:write, reactions:read, channels:history and groups:history"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_says_no_tells_what_to_do() {
        let error = read::<Value>("x", br#"{"ok":false,"error":"invalid_auth"}"#).unwrap_err();
        assert_eq!(error.to_string(), "x: invalid_auth; put the bot's token into BATON_SLACK_TOKEN");
        let error = read::<Value>("x", br#"{"ok":false,"error":"fatal_error"}"#).unwrap_err();
        assert_eq!(error.to_string(), "x: fatal_error");
    }

    #[test]
    fn a_message_that_was_deleted_is_told_from_trouble() {
        let is_gone = |error: &str| {
            let body = format!(r#"{{"ok":false,"error":"{error}"}}"#);
            read::<Value>("x", body.as_bytes()).unwrap_err().is_gone
        };
        assert!(is_gone("message_not_found") && is_gone("thread_not_found"));
        assert!(!is_gone("channel_not_found") && !is_gone("internal_error"));
    }

    #[test]
    fn what_is_no_answer_is_an_error_and_never_an_empty_one() {
        for body in ["", "<html>", "[]", "{}", r#"{"ok":"true"}"#, r#"{"ok":null}"#] {
            assert!(read::<Value>("x", body.as_bytes()).is_err(), "{body}");
        }
    }

    #[test]
    fn a_token_is_never_shown() {
        assert!(!format!("{:?}", SlackToken::new("xoxb-1")).contains("xoxb"));
    }
}
