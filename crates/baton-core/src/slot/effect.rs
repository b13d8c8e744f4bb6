//! Deciding once, and what is to be done on the tracker because of it.
//!
//! A decision is a compare-and-swap on the item's version and writes its effects in the same transaction, so that two
//! engines cannot decide twice. Once committed, an effect is performed, in order, whoever has the slot by then: what is
//! checked when it is performed is the lease that it was decided under.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::draft::Draft;
use super::ids::{EffectId, ItemId, RunId};
use super::memory::{ItemMemory, SlackMessage};
use super::policy::{Policy, Safeguards};
use super::situation::{Change, Decision, Situation};
use crate::pipeline::effect::{Place, Reaction, Wake};
use crate::pipeline::markers::SubIssue;
use crate::pipeline::outcome::Outcome;
use crate::time::StoreTime;
use crate::words::words;

/// What makes an effect one and the same: two decisions cannot write it twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EffectKey {
    /// On what.
    pub item: ItemId,
    /// Of which decision.
    pub version: i64,
    /// Which of its effects.
    pub step: u32,
}

/// Something to be done on the tracker, or in the store when its turn has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Deed {
    /// Say something on the issue, or on its pull request.
    Comment {
        /// Where.
        #[serde(default = "on_the_issue")]
        on: Place,
        /// What.
        body: String,
    },
    /// Write a comment of ours anew.
    EditComment {
        /// Which.
        id: u64,
        /// What it says from now on.
        body: String,
    },
    /// Show on comments how far we are with them.
    React {
        /// Whether they are comments as on issues, or of review threads.
        on: Place,
        /// Which comments.
        comments: Vec<u64>,
        /// With what.
        with: Reaction,
    },
    /// Write the issue's text anew.
    UpdateIssue {
        /// The text.
        body: String,
    },
    /// Settle threads of reviews.
    ResolveThreads {
        /// Which.
        threads: Vec<String>,
    },
    /// Put the issue into another column, if it is still where it was when that was decided.
    MoveTo {
        /// Where it was.
        from: String,
        /// Where it goes.
        to: String,
    },
    /// Open a draft of the pull request, unless there is one.
    OpenDraftPull {
        /// What it is about, if the agent said so.
        summary: Option<String>,
    },
    /// Declare the pull request ready for reviews.
    MarkPullReady,
    /// Ask reviewers once more: take the request back, and make it again.
    AskReviewersAgain {
        /// The pull request.
        pull: u64,
        /// Whom.
        logins: Vec<String>,
    },
    /// Ask people whether they agree to the plan.
    AskApproval {
        /// Of this stage.
        stage: String,
        /// Which plan.
        plan: String,
    },
    /// Say in Slack, in place of a question, what became of it.
    TellOnSlack {
        /// The question.
        message: SlackMessage,
        /// What became of it.
        said: String,
    },
    /// Create the issues that this one was taken apart into, and make it wait for them.
    CreateSubIssues {
        /// Which.
        issues: Vec<SubIssue>,
    },
    /// Wake an agent.
    Wake(Wake),
    /// Take the lease of the issue on the tracker, under the token that was decided. When others have it, what the decision
    /// wanted beyond that does not come about.
    TakeLease {
        /// The step that it is for, which must still be the next one then; nothing when it is in any case.
        step: Option<String>,
        /// The column that the issue must still be in then.
        column: String,
        /// What was remembered of the issue before that was decided.
        #[serde(default)]
        before: Option<Box<ItemMemory>>,
    },
    /// Make the lease last longer.
    RenewLease,
    /// Decide what the end of a run comes to, from the issue as it is then.
    Settle(Box<StageEnd>),
    /// Put labels on the issue.
    AddLabels {
        /// Which.
        labels: Vec<String>,
    },
    /// Take a label off the issue.
    RemoveLabel {
        /// Which.
        label: String,
    },
    /// Close the issue.
    CloseIssue,
    /// Merge a pull request, if its head is still the one named.
    MergePull {
        /// Its number.
        number: u64,
        /// Its head.
        head_sha: String,
    },
    /// Give the tracker's lease back. The last effect of a run.
    ReleaseLease {
        /// How it went, in the words of claims.
        outcome: String,
        /// What becomes of the labels that tell where the issue is.
        #[serde(default)]
        leaving: Leaving,
    },
}

fn on_the_issue() -> Place {
    Place::Issue
}

/// What becomes of the labels that tell where an issue is when its lease is given back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Leaving {
    /// They stay as they are.
    #[default]
    AsTheyAre,
    /// None is left.
    Without,
    /// This one is left.
    With(String),
}

/// A run that is over and whose words have not been heeded yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StageEnd {
    /// Which.
    pub run: RunId,
    /// The stage that it worked for.
    pub stage: String,
    /// What it came to.
    pub outcome: Outcome,
}

/// An effect that is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEffect {
    /// What to do.
    pub deed: Deed,
    /// Whether it may be done only while the lease is held that it was decided under.
    pub needs_lease: bool,
}

impl NewEffect {
    /// Returns an effect that needs no lease.
    pub fn free(deed: Deed) -> Self {
        Self { deed, needs_lease: false }
    }

    /// Returns an effect that is bound to the lease.
    pub fn leased(deed: Deed) -> Self {
        Self { deed, needs_lease: true }
    }
}

words! {
    /// Where an effect stands.
    EffectStatus, "a status of effects" {
        /// To be performed.
        Pending = "pending",
        /// Somebody performs it, or died over it.
        Sending = "sending",
        /// It took effect.
        Done = "done",
        /// It never will; the reason is kept.
        Dead = "dead",
    }
}

/// An effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    /// Its number, once it is stored; 0 before.
    pub id: EffectId,
    /// What makes it one and the same.
    pub key: EffectKey,
    /// What to do.
    pub deed: Deed,
    /// The token of the lease that must be held, if one must.
    pub lease: Option<String>,
    /// The slot's fence when it was decided. It is kept for people; the slot may have passed on.
    pub fence: i64,
    /// Where it stands.
    pub status: EffectStatus,
    /// How often it was tried.
    pub attempts: u32,
    /// Not to be tried before.
    pub not_before: StoreTime,
    /// When the last try began.
    pub sending_at: Option<StoreTime>,
    /// When it was decided.
    pub created_at: StoreTime,
    /// When it took effect, or died.
    pub finished_at: Option<StoreTime>,
    /// What came back at the last try, or why it is dead.
    pub error: Option<String>,
}

impl Effect {
    pub(super) fn new(
        key: EffectKey,
        new: &NewEffect,
        lease: Option<String>,
        fence: i64,
        now: StoreTime,
    ) -> Self {
        Self {
            id: EffectId(0),
            key,
            deed: new.deed.clone(),
            lease: lease.filter(|_| new.needs_lease),
            fence,
            status: EffectStatus::Pending,
            attempts: 0,
            not_before: now,
            sending_at: None,
            created_at: now,
            finished_at: None,
            error: None,
        }
    }
}

/// Returns the hidden mark by which a comment is found again after a crash.
pub fn marker(id: EffectId) -> String {
    format!("<!-- baton:effect={id} -->")
}

/// What an engine has decided about an item, having seen it in some version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettleAsk {
    /// The version that was seen.
    pub seen: i64,
    /// What is to be done.
    pub effects: Vec<NewEffect>,
    /// What is to be remembered, if that changes.
    pub memory: Option<ItemMemory>,
    /// The token of a lease that is to be taken, for an item that has none.
    pub lease: Option<String>,
    /// The effect that this decision follows from, which is over with it: the end of a run that is settled.
    pub settles: Option<EffectId>,
}

/// Whether a decision stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// It does; this is the item's version now.
    Decided(i64),
    /// Somebody decided before; this is the item's version now.
    Stale(i64),
    /// Effects of the last decision are still to be performed.
    EffectsPending,
}

/// Commits a decision, if nobody decided since.
pub fn settle(situation: &Situation, ask: &SettleAsk, policy: &Policy) -> Decision<Settled> {
    let mut draft = Draft::new(situation, policy);
    let item = &situation.item;
    if item.version != ask.seen {
        return draft.done(Settled::Stale(item.version));
    }
    match ask.settles {
        // The version tells that nobody has settled it before; what else is to be performed is not yet.
        Some(ending) => draft.push(Change::EndEffect(ending)),
        None if situation.has_pending_effects => return draft.done(Settled::EffectsPending),
        None => {}
    }
    if let Some(token) = ask.lease.clone().filter(|_| item.lease.is_none()) {
        draft.take_lease(token);
    }
    if ask.effects.is_empty() {
        draft.push(Change::SetVersion(item.version + 1));
    }
    draft.add_effects(&ask.effects, item.fence);
    if let Some(memory) = &ask.memory {
        draft.push(Change::SetMemory(Box::new(memory.clone())));
    }
    draft.done(Settled::Decided(item.version + 1))
}

/// How a try to perform an effect went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tried {
    /// It took effect.
    Done,
    /// It may work later; this came back. After this time, when the tracker says so.
    Later(String, Option<Duration>),
    /// It may have taken effect or not: look first, then try again.
    Unclear(String),
    /// It never will.
    Never(String),
    /// It is not wanted any more: somebody else has the issue, or it has changed since that was decided.
    Moot(String),
}

/// What becomes of an effect after a try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AfterTry {
    /// It took effect.
    Done,
    /// It is tried again from this time on. When it may have happened, that is looked for first.
    Again {
        /// From when on.
        not_before: StoreTime,
        /// What came back.
        error: String,
        /// Whether it may have happened.
        is_unclear: bool,
    },
    /// It is dead.
    Dead(String),
}

const FIRST_WAIT: Duration = Duration::from_secs(2);
const LONGEST_WAIT: Duration = Duration::from_secs(5 * 60);

/// Decides what becomes of an effect after its `attempts`th try. Only a final answer makes it dead: a tracker that is down
/// for a night must not cost a finished run its last words.
pub fn after_try(tried: Tried, attempts: u32, now: StoreTime) -> AfterTry {
    let wait = FIRST_WAIT.saturating_mul(1 << attempts.saturating_sub(1).min(16)).min(LONGEST_WAIT);
    let (error, wait, is_unclear) = match tried {
        Tried::Done => return AfterTry::Done,
        Tried::Never(why) | Tried::Moot(why) => return AfterTry::Dead(why),
        Tried::Later(error, asked) => (error, asked.map_or(wait, |asked| asked.max(wait)), false),
        Tried::Unclear(error) => (error, wait, true),
    };
    AfterTry::Again { not_before: now.plus(wait), error, is_unclear }
}

/// Returns whether an effect whose run no longer has the slot is performed: it is, or a finished run's last words would
/// be lost.
pub fn survives_its_run(effect: &Effect, fence_now: i64, safeguards: Safeguards) -> bool {
    safeguards.perform_stale_effects || effect.fence == fence_now
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_between_tries_grow_and_never_end() {
        let now = StoreTime { ms: 0 };
        let later = |attempts| after_try(Tried::Later("502".to_owned(), None), attempts, now);
        let wait = |attempts| match later(attempts) {
            AfterTry::Again { not_before, .. } => not_before.ms / 1000,
            other => panic!("{other:?}"),
        };
        assert_eq!([1, 2, 3, 9, 11, 5_000].map(wait), [2, 4, 8, 300, 300, 300]);
    }

    #[test]
    fn a_tracker_that_asks_for_a_pause_gets_it() {
        let asked = Some(Duration::from_secs(90));
        let after = after_try(Tried::Later("429".to_owned(), asked), 1, StoreTime { ms: 0 });
        assert!(matches!(after, AfterTry::Again { not_before: StoreTime { ms: 90_000 }, .. }));
    }

    #[test]
    fn a_deed_is_read_as_it_was_written() {
        let deed = Deed::MergePull { number: 4, head_sha: "abc".to_owned() };
        let text = serde_json::to_string(&deed).unwrap();
        assert_eq!(text, r#"{"do":"merge_pull","number":4,"head_sha":"abc"}"#);
        assert_eq!(serde_json::from_str::<Deed>(&text).unwrap(), deed);
    }
}
