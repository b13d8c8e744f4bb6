//! The messenger's port over Slack's Web API.

use baton_core::pipeline::approval::{Reacted, Replied, SlackThread};
use baton_core::slot::SlackMessage;
use baton_ports::{Messenger, MessengerError, PlanQuestion};
use serde::Deserialize;
use serde_json::Value;

use crate::call::WebApi;
use crate::{SlackSettings, blocks};

/// How many messages are asked for at once.
const PAGE: &str = "200";
/// How many pages of a channel are looked through for a question that may be there.
const PAGES_MAX: usize = 10;
/// How much older than the question on the tracker a message may seem: clocks differ.
const CLOCKS_APART_S: i64 = 300;

/// Slack.
#[derive(Debug, Clone)]
pub struct Slack {
    api: WebApi,
    channel: String,
}

impl Slack {
    /// Sets up a client. Nothing is sent yet.
    pub fn new(settings: SlackSettings) -> Result<Self, MessengerError> {
        let SlackSettings { api_url, channel, token, timeout } = settings;
        Ok(Self { api: WebApi::new(&api_url, token, timeout)?, channel })
    }

    async fn post(&self, question: &PlanQuestion) -> Result<(String, String), MessengerError> {
        let (text, blocks) = (blocks::text(question), blocks::blocks(question).to_string());
        let parameters = [
            ("channel", self.channel.as_str()),
            ("text", &text),
            ("blocks", &blocks),
            ("unfurl_links", "false"),
        ];
        let posted: Posted = self.api.post("chat.postMessage", &parameters).await?;
        // Only the channel's id that Slack gives back works everywhere; a name does not in private channels.
        Ok((posted.channel, posted.ts))
    }

    /// Looks for a question that was asked by a try that did not live to tell.
    async fn find(&self, question: &PlanQuestion) -> Result<Option<String>, MessengerError> {
        let wanted = blocks::block_id(question);
        let oldest = (question.asked_at_s - CLOCKS_APART_S).to_string();
        let mut cursor = String::new();
        for _ in 0..PAGES_MAX {
            let mut parameters =
                vec![("channel", self.channel.as_str()), ("oldest", &oldest), ("limit", PAGE)];
            if !cursor.is_empty() {
                parameters.push(("cursor", &cursor));
            }
            let page: Page = self.api.get("conversations.history", &parameters).await?;
            if let Some(found) = page.messages.iter().find(|message| message.has_block(&wanted)) {
                return Ok(Some(found.ts.clone()));
            }
            match page.next() {
                Some(next) => cursor = next,
                None => break,
            }
        }
        Ok(None)
    }

    async fn reactions(&self, message: &SlackMessage) -> Result<Vec<Reacted>, MessengerError> {
        let parameters =
            [("channel", message.channel.as_str()), ("timestamp", &message.ts), ("full", "true")];
        let got: WithReactions = self.api.get("reactions.get", &parameters).await?;
        let each = got.message.reactions.into_iter().flat_map(|reaction| {
            let name = reaction.name;
            reaction.users.into_iter().map(move |user| Reacted { name: name.clone(), user })
        });
        Ok(each.collect())
    }

    /// Returns the replies, all pages of them; the first message of a thread is the question itself.
    async fn replies(&self, message: &SlackMessage) -> Result<Vec<Replied>, MessengerError> {
        let mut replies = Vec::new();
        let mut cursor = String::new();
        for _ in 0..PAGES_MAX {
            let mut parameters =
                vec![("channel", message.channel.as_str()), ("ts", &message.ts), ("limit", PAGE)];
            if !cursor.is_empty() {
                parameters.push(("cursor", &cursor));
            }
            let page: Page = self.api.get("conversations.replies", &parameters).await?;
            let next = page.next();
            let said = page.messages.into_iter().filter(|reply| reply.ts != message.ts);
            replies.extend(said.filter_map(Said::reply));
            match next {
                Some(next) => cursor = next,
                None => break,
            }
        }
        Ok(replies)
    }
}

impl Messenger for Slack {
    async fn ask(&self, question: &PlanQuestion) -> Result<SlackMessage, MessengerError> {
        let (channel, ts) = match self.find(question).await? {
            Some(ts) => (self.channel.clone(), ts),
            None => self.post(question).await?,
        };
        Ok(SlackMessage { stage: question.stage.clone(), plan: question.plan.clone(), channel, ts })
    }

    async fn hear(&self, message: &SlackMessage) -> Result<SlackThread, MessengerError> {
        let reactions = self.reactions(message).await?;
        Ok(SlackThread { reactions, replies: self.replies(message).await? })
    }

    async fn tell(&self, message: &SlackMessage, said: &str) -> Result<(), MessengerError> {
        let blocks = blocks::answer(said).to_string();
        let parameters =
            [("channel", message.channel.as_str()), ("ts", &message.ts), ("text", said), ("blocks", &blocks)];
        self.api.post::<Value>("chat.update", &parameters).await.map(drop)
    }
}

#[derive(Deserialize)]
struct Posted {
    channel: String,
    ts: String,
}

#[derive(Deserialize)]
struct WithReactions {
    message: ReactedMessage,
}

#[derive(Deserialize)]
struct ReactedMessage {
    #[serde(default)]
    reactions: Vec<Reaction>,
}

#[derive(Deserialize)]
struct Reaction {
    name: String,
    #[serde(default)]
    users: Vec<String>,
}

#[derive(Deserialize)]
struct Page {
    messages: Vec<Said>,
    #[serde(default)]
    response_metadata: Metadata,
}

#[derive(Default, Deserialize)]
struct Metadata {
    #[serde(default)]
    next_cursor: String,
}

impl Page {
    fn next(&self) -> Option<String> {
        Some(self.response_metadata.next_cursor.clone()).filter(|cursor| !cursor.is_empty())
    }
}

/// A message. One of a program may have no user.
#[derive(Deserialize)]
struct Said {
    ts: String,
    #[serde(default)]
    user: Option<String>,
    #[serde(default)]
    text: String,
    #[serde(default)]
    blocks: Vec<Value>,
}

impl Said {
    fn has_block(&self, id: &str) -> bool {
        self.blocks.iter().any(|block| block["block_id"] == id)
    }

    fn reply(self) -> Option<Replied> {
        Some(Replied { user: self.user?, text: self.text })
    }
}
