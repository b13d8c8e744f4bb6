//! The tracker as the model sees it: one issue with comments and labels, and one claim ref.
//!
//! It has a clock of whole seconds and keeps only what the machines can read. Commits are named by their content, so two
//! that say the same on the same parent in the same second are one. What a ref takes is decided as git servers do.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::time::Duration;

use baton_core::claim::chain::Sighting;
use baton_core::claim::ledger::{Heard, Reading};
use baton_core::claim::step::{Answer, Ask};
use baton_core::claim::text::{ClaimState, ClaimText, Form};
use baton_core::claim::{Nonce, Protocol};
use baton_core::labels;
use baton_core::time::{BootTime, ServerTime};
use baton_core::tracker::{Author, Comment, Commit, Dated, Issue, LabelEvent, RefAdvance, RefCreation};
use xxhash_rust::xxh3::Xxh3;

use crate::claims_model::setup::Setup;

/// Returns 128 bits that stand for a value.
pub(crate) fn fingerprint(value: &impl Hash) -> u128 {
    let mut hasher = Xxh3::new();
    value.hash(&mut hasher);
    hasher.digest128()
}

/// A moment by both clocks, which run alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Tick(pub(crate) u32);

impl Tick {
    pub(crate) fn boot(self) -> BootTime {
        BootTime { ms: u64::from(self.0) * 1000 }
    }

    pub(crate) fn server(self) -> ServerTime {
        ServerTime(i64::from(self.0))
    }
}

/// All that the tracker knows.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(crate) struct Server {
    pub(crate) comments: Vec<Comment>,
    pub(crate) labels: Vec<String>,
    /// When each label was last put on and last taken off; the machines ask for no more.
    events: BTreeMap<(String, bool), Tick>,
    commits: BTreeMap<String, Commit>,
    pub(crate) tip: Option<String>,
}

impl Server {
    pub(crate) fn with_labels(labels: &[&str]) -> Self {
        Self { labels: labels.iter().map(|&label| label.to_owned()).collect(), ..Self::default() }
    }

    /// An issue whose holder has just died with a lease that is over, but for the grace.
    pub(crate) fn with_dead_holder(setup: &Setup) -> Self {
        let mut server = Self::default();
        server.add_labels(&[labels::IN_FLIGHT.to_owned()], Tick(0));
        let claim = ClaimText {
            form: Form::Baton,
            holder: "zoe:1".parse().unwrap(),
            nonce: Some(Nonce(99)),
            ttl: Some(Duration::ZERO),
            state: ClaimState::Held,
            epoch: Some(1),
            is_writer_dated: false,
            extra: Vec::new(),
        };
        let text = claim.write(Tick(0).server());
        server.post(&text, "zoe", Tick(0));
        if setup.protocol == Protocol::Ref {
            server.commit(&text, None, Tick(0));
            server.tip = server.commits.keys().next().cloned();
        }
        server
    }

    /// Returns what stands for all that can still be read: commits on no ref cannot.
    pub(crate) fn print_of_visible(&self) -> u128 {
        fingerprint(&(&self.comments, &self.labels, &self.events, &self.tip))
    }

    /// Answers a read.
    pub(crate) fn read(&self, ask: &Ask, now: Tick) -> Answer {
        match ask {
            Ask::Issue => Answer::Issue(dated(self.issue(), now)),
            Ask::Comments => Answer::Comments(self.reading(now)),
            Ask::LabelEvents => Answer::LabelEvents(self.label_events()),
            Ask::Tip => Answer::Tip(self.sighting(now)),
            other => unreachable!("{other:?} is not a read"),
        }
    }

    /// Performs a write and answers it.
    pub(crate) fn write(&mut self, ask: &Ask, author: &str, now: Tick) -> Answer {
        match ask {
            Ask::Post(body) => self.post(body, author, now),
            Ask::Edit(id, body) => self.edit(*id, body, now),
            Ask::AddLabels(labels) => self.add_labels(labels, now),
            Ask::RemoveLabel(label) => self.remove_label(label, now),
            Ask::Commit { message, parent } => self.commit(message, parent.as_ref(), now),
            Ask::Create(oid) => Answer::Created(match self.tip {
                Some(_) => RefCreation::Exists,
                None => {
                    self.tip = Some(oid.clone());
                    RefCreation::Created
                }
            }),
            Ask::Advance(oid) => Answer::Advanced(self.advance(oid)),
            other => unreachable!("{other:?} is not a write"),
        }
    }

    /// This state as someone sees it whose own comments are already visible and others' only as of `earlier`.
    pub(crate) fn own_over(&self, earlier: &Self, author: &str) -> Self {
        let seen = |comment: &Comment| earlier.comments.iter().find(|old| old.id == comment.id).cloned();
        let comments = self.comments.iter().filter_map(|comment| {
            if comment.author.login == author { Some(comment.clone()) } else { seen(comment) }
        });
        Self { comments: comments.collect(), ..earlier.clone() }
    }

    pub(crate) fn issue(&self) -> Issue {
        Issue {
            number: 7,
            title: String::new(),
            body: String::new(),
            url: String::new(),
            is_open: true,
            is_pull: false,
            labels: self.labels.clone(),
            comments: self.comments.len() as u64,
            author: String::new(),
            created_at: ServerTime(0),
        }
    }

    pub(crate) fn reading(&self, now: Tick) -> Reading {
        let heard = |comment: &Comment| Heard { comment: comment.clone(), is_believed: true };
        Reading { heard: self.comments.iter().map(heard).collect(), date: now.server(), pages: 1 }
    }

    pub(crate) fn sighting(&self, now: Tick) -> Sighting {
        let tip = self.tip.as_ref().map(|oid| self.commits[oid].clone());
        Sighting { tip, date: now.server(), first_seen: now.boot() }
    }

    fn label_events(&self) -> Vec<LabelEvent> {
        let event = |((label, was_added), at): (&(String, bool), &Tick)| LabelEvent {
            label: label.clone(),
            was_added: *was_added,
            at: at.server(),
            actor: String::new(),
        };
        self.events.iter().map(event).collect()
    }

    fn post(&mut self, body: &str, author: &str, now: Tick) -> Answer {
        let comment = Comment {
            id: self.comments.len() as u64 + 1,
            author: Author { login: author.to_owned(), app_id: None },
            created_at: now.server(),
            updated_at: now.server(),
            body: body.to_owned(),
        };
        self.comments.push(comment.clone());
        Answer::Comment(dated(comment, now))
    }

    fn edit(&mut self, id: u64, body: &str, now: Tick) -> Answer {
        let comment = self.comments.iter_mut().find(|comment| comment.id == id).unwrap();
        comment.body = body.to_owned();
        comment.updated_at = now.server();
        Answer::Comment(dated(comment.clone(), now))
    }

    fn add_labels(&mut self, labels: &[String], now: Tick) -> Answer {
        for label in labels {
            if !self.labels.contains(label) {
                self.labels.push(label.clone());
                self.events.insert((label.clone(), true), now);
            }
        }
        self.labels.sort();
        Answer::Done
    }

    fn remove_label(&mut self, label: &str, now: Tick) -> Answer {
        if self.labels.iter().any(|own| own == label) {
            self.labels.retain(|own| own != label);
            self.events.insert((label.to_owned(), false), now);
        }
        Answer::Done
    }

    fn commit(&mut self, message: &str, parent: Option<&String>, now: Tick) -> Answer {
        let mut hasher = Xxh3::new();
        (message, parent, now).hash(&mut hasher);
        let commit = Commit {
            oid: format!("{:016x}", hasher.finish()),
            parents: parent.into_iter().cloned().collect(),
            message: message.to_owned(),
            committed_at: now.server(),
        };
        self.commits.insert(commit.oid.clone(), commit.clone());
        Answer::Commit(dated(commit, now))
    }

    fn advance(&mut self, oid: &str) -> RefAdvance {
        let Some(tip) = &self.tip else { return RefAdvance::Missing };
        if !self.descends(oid, tip) {
            return RefAdvance::NotFastForward;
        }
        self.tip = Some(oid.to_owned());
        RefAdvance::Advanced
    }

    fn descends(&self, oid: &str, from: &str) -> bool {
        oid == from || self.commits[oid].parents.iter().any(|parent| self.descends(parent, from))
    }
}

fn dated<T>(value: T, now: Tick) -> Dated<T> {
    Dated { value, date: now.server(), pages: 1 }
}
