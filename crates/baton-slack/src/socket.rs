//! Socket Mode: Slack tells over a connection of ours when something happened, so that no address needs to be public.
//!
//! What it tells is a nudge to look. A connection that breaks is made anew, and polls stand behind it.

use std::time::Duration;

use baton_ports::MessengerError;
use futures_util::{SinkExt as _, StreamExt as _};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::call::{SlackToken, WebApi};

const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// Something that happened to a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Happened {
    /// The channel.
    pub channel: String,
    /// The message, or the first of its thread.
    pub ts: String,
}

/// A connection to Slack that is made anew when it breaks.
#[derive(Debug, Clone)]
pub struct Socket {
    api: WebApi,
}

#[derive(Deserialize)]
struct Opened {
    url: String,
}

impl Socket {
    /// Sets up a client with the app's own token (`xapp-…`). Nothing is sent yet.
    pub fn new(api_url: &str, token: SlackToken, timeout: Duration) -> Result<Self, MessengerError> {
        Ok(Self { api: WebApi::new(api_url, token, timeout)? })
    }

    /// Listens for ever, and calls `hear` for everything that happened to a message.
    pub async fn listen(&self, hear: impl Fn(Happened) + Send) {
        let mut pause = FIRST_PAUSE;
        loop {
            match self.connection(&hear).await {
                Ok(()) => pause = FIRST_PAUSE,
                Err(why) => {
                    tracing::warn!("Slack's Socket Mode: {why}; it is tried again in {} s", pause.as_secs());
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
            }
            tokio::time::sleep(pause).await;
        }
    }

    /// Listens until the connection ends.
    async fn connection(&self, hear: &(impl Fn(Happened) + Send)) -> Result<(), String> {
        let opened: Opened =
            self.api.post("apps.connections.open", &[]).await.map_err(|error| error.to_string())?;
        let (mut socket, _) =
            tokio_tungstenite::connect_async(opened.url).await.map_err(|error| error.to_string())?;
        while let Some(message) = socket.next().await {
            let Message::Text(text) = message.map_err(|error| error.to_string())? else { continue };
            let Ok(envelope) = serde_json::from_str::<Value>(&text) else { continue };
            if let Some(id) = envelope["envelope_id"].as_str() {
                let heard = json!({ "envelope_id": id }).to_string();
                socket.send(Message::text(heard)).await.map_err(|error| error.to_string())?;
            }
            if envelope["type"] == "disconnect" {
                return Ok(());
            }
            if let Some(happened) = happened(&envelope) {
                hear(happened);
            }
        }
        Ok(())
    }
}

/// Returns which message an event is about: one that was reacted to, or the first of a thread that was replied in.
fn happened(envelope: &Value) -> Option<Happened> {
    let event = &envelope["payload"]["event"];
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let (channel, ts) = match event["type"].as_str()? {
        "reaction_added" | "reaction_removed" => (&event["item"]["channel"], &event["item"]["ts"]),
        "message" => (&event["channel"], &event["thread_ts"]),
        _ => return None,
    };
    Some(Happened { channel: text(channel)?, ts: text(ts)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(event: Value, expected: Option<(&str, &str)>) {
        let found = happened(&json!({ "type": "events_api", "payload": { "event": event } }));
        let found = found.map(|it| (it.channel, it.ts));
        assert_eq!(found, expected.map(|(channel, ts)| (channel.to_owned(), ts.to_owned())));
    }

    #[test]
    fn reactions_and_replies_name_the_message_they_are_about() {
        let item = json!({ "type": "message", "channel": "C1", "ts": "1.5" });
        check(json!({ "type": "reaction_added", "item": item }), Some(("C1", "1.5")));
        check(json!({ "type": "reaction_removed", "item": item }), Some(("C1", "1.5")));
        check(
            json!({ "type": "message", "channel": "C1", "thread_ts": "1.5", "ts": "2.0" }),
            Some(("C1", "1.5")),
        );
        check(json!({ "type": "message", "channel": "C1", "ts": "2.0" }), None);
        check(json!({ "type": "app_mention" }), None);
        check(json!({}), None);
    }
}
