//! Tells people by an incoming webhook of Slack. Its address is a secret and is never printed.

use baton_core::config::Notice;
use reqwest::StatusCode;
use serde_json::json;

use super::Message;
use super::courier::{Failed, TRY_WITHIN};
use crate::command_error::CommandError;

/// How much of a notice is posted; the issue has the rest.
const TEXT_CHARS_MAX: usize = 2_500;

/// An incoming webhook.
pub(super) struct Webhook {
    address: String,
    http: reqwest::Client,
}

impl Webhook {
    pub(super) fn new(address: String) -> Result<Self, CommandError> {
        baton_github::install_tls_provider();
        let http = reqwest::Client::builder()
            .user_agent(concat!("baton/", env!("CARGO_PKG_VERSION")))
            .timeout(TRY_WITHIN)
            .build()
            .map_err(|error| CommandError::out_of_reach(&error))?;
        Ok(Self { address, http })
    }

    /// Posts a notice.
    pub(super) async fn tell(&self, message: &Message) -> Result<(), Failed> {
        let sent = self.http.post(&self.address).json(&json!({ "text": text(message) })).send().await;
        let answer = sent.map_err(|error| {
            let may_try_again = !error.is_builder();
            Failed { answer: error.without_url().to_string(), may_try_again }
        })?;
        let status = answer.status();
        if status.is_success() {
            return Ok(());
        }
        let may_try_again = status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS;
        let said: String = answer.text().await.unwrap_or_default().chars().take(200).collect();
        Err(Failed { answer: format!("it answered {status}: {}", said.trim()), may_try_again })
    }
}

fn text(message: &Message) -> String {
    let head = match message.kind {
        Notice::Pause => "paused",
        Notice::Input => "asks something",
        Notice::Approval => "waits for approval",
        Notice::Failure => "failed",
    };
    let issue = escaped(&message.issue);
    let issue = match &message.url {
        Some(url) => format!("<{}|{issue}>", escaped(url)),
        None => issue,
    };
    let title = message.title.as_deref().map(|title| format!(": {}", escaped(title))).unwrap_or_default();
    let said: String = message.text.chars().take(TEXT_CHARS_MAX).collect();
    format!("*{head}* {issue}{title}\n{}", escaped(&said))
}

/// Slack reads these three as its own.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(kind: Notice, url: Option<&str>) -> Message {
        Message {
            kind,
            issue: "acme/web#7".to_owned(),
            title: Some("a <b> & c".to_owned()),
            url: url.map(str::to_owned),
            text: "@ann: <!channel> look".to_owned(),
            when: "2026-05-01T00:00:00Z".to_owned(),
        }
    }

    #[test]
    fn a_notice_links_its_issue_and_can_say_nothing_in_slacks_own_words() {
        let said = text(&message(Notice::Approval, Some("http://h/acme/web/issues/7")));
        let expected = "*waits for approval* <http://h/acme/web/issues/7|acme/web#7>: a &lt;b&gt; &amp; c\n\
                        @ann: &lt;!channel&gt; look";
        assert_eq!(said, expected);
        assert!(text(&message(Notice::Failure, None)).starts_with("*failed* acme/web#7: "));
    }
}
