//! Notices: people are told beside the tracker when an issue is paused, asks something, waits for approval or has failed.
//!
//! They follow from effects that were performed, each of which is performed once; a restart repeats none. They are carried out
//! beside the engine, from a queue with an end: a receiver that is slow or broken costs notices and never work, and what was
//! not told is logged. So a notice may be lost, when the process dies over it; the comment on the issue is there in any case.
//!
//! Deliberately absent: what deserves a notice, which the core decides.

mod command;
mod courier;
mod slack;

use std::sync::Arc;

use baton_agent::Redactor;
use baton_claims::machine::SystemClock;
use baton_core::config::{Notice, NotifyConfig};
use baton_core::pipeline::names::Names;
use baton_core::pipeline::notice;
use baton_core::slot::ItemKey;
use baton_core::slot::effect::Deed;
use baton_core::time::ServerTime;
use baton_core::tracker::IssueKey;
use baton_engine::marshal::Happened;
use baton_engine::outbox::Performed;
use baton_engine::worker::News;
use baton_ports::Clock as _;
use serde::Serialize;
use tokio::sync::mpsc::{self, Receiver, Sender};

use super::context::Desk;
use super::secrets;
use super::station::{Witness, given};
use crate::command_error::CommandError;

pub(super) use courier::Courier;

/// The variable with the address of Slack's incoming webhook, which is a secret.
pub(crate) const WEBHOOK_VARIABLE: &str = "BATON_SLACK_WEBHOOK_URL";
/// How many notices may wait.
const QUEUE: usize = 64;

/// Something that people should know, and where it happened.
#[derive(Debug, Clone)]
struct Due {
    kind: Notice,
    issue: IssueKey,
    text: String,
    when: ServerTime,
}

/// What a receiver is given.
#[derive(Debug, Clone, Serialize)]
struct Message {
    kind: Notice,
    issue: String,
    title: Option<String>,
    url: Option<String>,
    text: String,
    when: String,
}

/// What is carried to people.
enum Errand {
    Tell(Due),
    /// Nothing more comes.
    End,
}

/// Hears what an engine performs, and has people told of what waits for them.
pub(super) struct Announcer {
    names: Names,
    on: Vec<Notice>,
    queue: Sender<Errand>,
    witness: Arc<dyn Witness>,
}

/// Who tells people, and where the notices come from.
pub(super) struct Notices {
    /// Ends the courier once it has told what waits.
    queue: Sender<Errand>,
    errands: Receiver<Errand>,
    courier: Courier,
}

impl Notices {
    /// Returns who tells people, if anybody is to be told.
    pub(super) fn of(desk: &Desk) -> Result<Option<Self>, CommandError> {
        let NotifyConfig { on, command, slack } = &desk.config().notify;
        let webhook = given(desk, WEBHOOK_VARIABLE).filter(|_| *slack);
        if *slack && webhook.is_none() {
            eprintln!(
                "warning: `notify.slack` is set, and nobody is told there: set {WEBHOOK_VARIABLE} in the environment or in .env \
                 to the address of the incoming webhook"
            );
        }
        if on.is_empty() || (command.is_none() && webhook.is_none()) {
            return Ok(None);
        }
        let mut found = secrets::of_this_process(&desk.loaded, &desk.surroundings)?;
        found.extend(webhook.clone());
        let courier = Courier {
            command: command
                .clone()
                .map(|text| command::Program { text, directory: desk.loaded.directory.clone() }),
            slack: webhook.map(slack::Webhook::new).transpose()?,
            redactor: Redactor::new(&found),
        };
        let (queue, errands) = mpsc::channel(QUEUE);
        Ok(Some(Self { queue, errands, courier }))
    }

    /// Lets people be told of what a witness hears.
    pub(super) fn announcer(&self, desk: &Desk, witness: Arc<dyn Witness>) -> Announcer {
        let config = desk.config();
        Announcer {
            names: Names::of(config.pipeline.dialect.into()),
            on: config.notify.on.clone(),
            queue: self.queue.clone(),
            witness,
        }
    }

    /// Returns what carries notices, and what ends it.
    pub(super) fn begin(self) -> (Courier, Errands, Closing) {
        (self.courier, Errands(self.errands), Closing(self.queue))
    }
}

/// Where notices come from.
pub(super) struct Errands(Receiver<Errand>);

/// Ends what carries notices.
pub(super) struct Closing(Sender<Errand>);

impl Closing {
    /// Lets the courier end once it has told what waits.
    pub(super) async fn close(self) {
        // One that is gone has ended.
        let _ = self.0.send(Errand::End).await;
    }
}

impl Witness for Announcer {
    fn happened(&self, happened: &Happened<'_>) {
        self.witness.happened(happened);
    }

    fn run(&self, news: &News<'_>) {
        self.witness.run(news);
    }

    fn deed(&self, item: &ItemKey, deed: &Deed, performed: &Performed) {
        self.witness.deed(item, deed, performed);
        let (Performed::Done(_), ItemKey::Issue(issue)) = (performed, item) else { return };
        let Some(noticed) = notice::of(deed, self.names).filter(|noticed| self.on.contains(&noticed.kind))
        else {
            return;
        };
        let due = Due {
            kind: noticed.kind,
            issue: issue.clone(),
            text: noticed.text,
            when: SystemClock.wall_now(),
        };
        if self.queue.try_send(Errand::Tell(due)).is_err() {
            eprintln!(
                "warning: nobody was told that {issue} waits ({}): {QUEUE} notices wait already; look at what `notify` names",
                noticed.kind
            );
        }
    }
}
