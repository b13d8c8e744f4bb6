//! What people do on the demo's forge, through its API.

use serde_json::Value;

use crate::command_error::CommandError;

/// Somebody with an account.
#[derive(Clone)]
pub(super) struct Client {
    http: reqwest::Client,
    url: String,
    token: String,
}

impl Client {
    pub(super) fn new(url: &str, token: &str) -> Result<Self, CommandError> {
        baton_github::install_tls_provider();
        // The forge is on this machine; nobody else's proxy has to do with it.
        let http = reqwest::Client::builder().user_agent("baton-demo").no_proxy().build();
        let http = http.map_err(|error| CommandError::out_of_reach(&error))?;
        Ok(Self { http, url: url.to_owned(), token: token.to_owned() })
    }

    /// Asks the forge; an answer other than success is an error that says what was asked.
    pub(super) async fn ask(&self, method: &str, path: &str, body: &Value) -> Result<Value, CommandError> {
        let out_of_reach = |error: reqwest::Error| CommandError::out_of_reach(&error);
        let verb = method.parse().map_err(|error| CommandError::OutOfReach(format!("{method}: {error}")))?;
        let mut request = self.http.request(verb, format!("{}{path}", self.url)).bearer_auth(&self.token);
        if !body.is_null() {
            request = request.json(body);
        }
        let answer = request.send().await.map_err(out_of_reach)?;
        let status = answer.status();
        let text = answer.text().await.map_err(out_of_reach)?;
        match status.is_success() {
            true => Ok(serde_json::from_str(&text).unwrap_or(Value::Null)),
            false => Err(CommandError::OutOfReach(format!("{method} {path}: {status}: {text}"))),
        }
    }

    pub(super) async fn get(&self, path: &str) -> Result<Value, CommandError> {
        self.ask("GET", path, &Value::Null).await
    }
}
