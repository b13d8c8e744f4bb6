//! The table is whole, and every label that the engine adds for a time is really taken off by somebody.

use super::*;
use crate::config::{PipelineDialect, stages};
use crate::labels::LABEL_CHARS_MAX;
use crate::pipeline::effect::Job;
use crate::pipeline::item::{Approval, ApprovalState};
use crate::pipeline::{
    Effect, End, Item, Outcome, Pipeline, Policy, Record, Settlement, enact, next_step, repairs, settle,
};
use crate::slot::EnginePause;
use crate::time::ServerTime;

const MERGEABLE: &str = include_str!("../../../../../docs/examples/items/ready-to-merge.json");

#[test]
fn every_flag_and_every_mark_of_a_stage_is_in_the_table_once() {
    let count = |label: Known| LABELS.iter().filter(|row| row.label == label).count();
    for flag in Flag::ALL {
        assert_eq!(count(Known::Flag(*flag)), 1, "{flag}");
    }
    for mark in StageMark::ALL {
        assert_eq!(count(Known::Mark(*mark)), 1, "{mark}");
    }
    for row in &LABELS {
        assert_eq!(count(row.label), 1, "{:?}", row.label);
    }
}

#[test]
fn rows_say_everything_and_are_what_a_tracker_accepts() {
    for row in &LABELS {
        let name = row.label.shown(Policy::default().names);
        assert!(name.len() <= LABEL_CHARS_MAX && row.description.len() <= 100, "{name}");
        assert!(!row.added.is_empty() && !row.removed.is_empty() && !row.description.is_empty(), "{name}");
        assert!(row.color.len() == 6 && row.color.bytes().all(|byte| byte.is_ascii_hexdigit()), "{name}");
    }
}

#[test]
fn labels_that_are_in_two_catalogues_look_the_same_in_both() {
    for row in &LABELS {
        let Known::Lifecycle(name) = row.label else { continue };
        let catalogue = crate::labels::LIFECYCLE_LABELS.iter().find(|(label, ..)| *label == name);
        assert_eq!(catalogue, Some(&(name, row.color, row.description)));
    }
}

/// An issue that wears one label, and what is known besides.
struct Worn {
    record: Record,
    pipeline: Pipeline,
    policy: Policy,
}

/// Returns an issue whose stage Validate has nothing left to wait for, with one label more.
fn wearing(known: Known) -> Worn {
    let (mut record, policy) = (Record::read(MERGEABLE).unwrap(), Policy::default());
    let label = match known {
        Known::Lock => policy.own_lock.clone(),
        Known::Mark(mark) => policy.names.stage(&record.item.column, mark),
        other => other.shown(policy.names),
    };
    record.item.labels.push(label);
    Worn { record, pipeline: stages::shipped(PipelineDialect::Baton).pipeline, policy }
}

impl Worn {
    fn item(&mut self) -> &mut Item {
        &mut self.record.item
    }

    /// What the next look at it comes to.
    fn looked_at(&self) -> Settlement {
        let (item, now) = (&self.record.item, self.record.now);
        let step = next_step(item, &self.pipeline, &self.policy, now);
        enact(&step, item, &self.pipeline, &self.policy, now)
    }

    fn repaired(&self) -> Settlement {
        repairs(&self.record.item, &self.pipeline, &self.policy, self.record.now)
    }

    /// What the end of a run comes to, after these words.
    fn ended(&self, job: Job, text: &str) -> Settlement {
        let outcome = serde_json::json!({ "job": job, "end": End::Finished, "text": text });
        let outcome: Outcome = serde_json::from_value(outcome).unwrap();
        let Record { item, now } = &self.record;
        settle(item, &item.column, &outcome, &self.pipeline, &self.policy, *now)
    }

    fn in_column(mut self, column: &str) -> Self {
        self.record.item.column = column.to_owned();
        self
    }

    fn not_complete(mut self) -> Self {
        self.record.item.labels.retain(|label| !label.ends_with(":complete"));
        self
    }
}

/// Who takes a label off: a way, and what comes of it.
type Remover = (&'static str, fn(Worn) -> Settlement);

/// Returns everybody who takes a label off that the engine adds for a time.
fn removers(known: Known) -> Vec<Remover> {
    let mut removers: Vec<Remover> = match known {
        Known::Flag(Flag::Paused) => vec![("a reply", |worn| after_reply(worn))],
        Known::Flag(Flag::AwaitingInput) => vec![
            ("a reply", |mut worn| {
                let paused = worn.policy.names.flag(Flag::Paused);
                worn.item().labels.push(paused);
                after_reply(worn)
            }),
            ("the pause is taken off", |worn| worn.looked_at()),
        ],
        Known::Flag(Flag::AwaitingReview | Flag::BotReprompted) => vec![
            ("reviewers have looked", |mut worn| {
                let waits = worn.policy.names.flag(Flag::AwaitingReview);
                worn.item().labels.push(waits);
                worn.looked_at()
            }),
            ("another column", |worn| worn.in_column("Plan").looked_at()),
        ],
        Known::Flag(Flag::AwaitingCi) => vec![
            ("checks have passed", |worn| worn.not_complete().looked_at()),
            ("another column", |worn| worn.in_column("Plan").looked_at()),
        ],
        Known::Flag(Flag::RebaseNeeded) => vec![
            ("the branch merges again", |worn| worn.looked_at()),
            ("another column", |worn| worn.in_column("Plan").looked_at()),
        ],
        Known::Flag(Flag::Blocked) => vec![("no blocker is open", |worn| worn.looked_at())],
        Known::Flag(Flag::Editing) => vec![
            ("the run ends", |worn| worn.ended(Job::Comments, "Answered.")),
            ("the engine starts", |worn| worn.repaired()),
        ],
        Known::Mark(StageMark::InProgress) | Known::Lock => vec![
            ("the stage is complete", |worn| worn.ended(Job::Stage, "BATON_STAGE_COMPLETE")),
            ("the engine starts", |worn| worn.repaired()),
        ],
        Known::Mark(StageMark::Failed) => vec![
            ("the pause is taken off", |worn| worn.looked_at()),
            ("a reply", |mut worn| {
                let paused = worn.policy.names.flag(Flag::Paused);
                worn.item().labels.push(paused);
                after_reply(worn)
            }),
        ],
        Known::Lifecycle(PLAN_PENDING_APPROVAL) => vec![
            ("people approve", |worn| with_approval(worn, ApprovalState::Approved, 0)),
            ("people reject", |worn| with_approval(worn, ApprovalState::Rejected, 0)),
            ("nobody decides", |worn| with_approval(worn, ApprovalState::Pending, 25 * 3600)),
        ],
        Known::Lifecycle(IMPLEMENT) => vec![("the end of the relay", |mut worn| {
            worn.item().pull.as_mut().unwrap().state = crate::tracker::PullState::Merged;
            worn.item().has_worktree = true;
            worn.in_column("Done").looked_at()
        })],
        _ => Vec::new(),
    };
    if !matches!(known, Known::Lifecycle(_)) {
        removers.push(("the issue is closed", |mut worn| {
            worn.item().is_closed = true;
            let pause =
                EnginePause { stage: "Validate".to_owned(), cause: "x".to_owned(), unheard_before: None };
            worn.item().memory.paused_by_engine = Some(pause);
            worn.looked_at()
        }));
    }
    removers
}

fn after_reply(mut worn: Worn) -> Settlement {
    let mut reply = worn.item().comments[0].clone();
    reply.id += 1_000_000;
    (reply.author, reply.may_write, reply.has_rocket) = ("ana".to_owned(), true, false);
    reply.body = "Go on.".to_owned();
    worn.item().comments.push(reply);
    worn.looked_at()
}

fn with_approval(worn: Worn, state: ApprovalState, waited_s: i64) -> Settlement {
    let mut worn = worn.in_column("Plan").not_complete();
    let asked_at = ServerTime(worn.record.now.server.0 - waited_s);
    worn.item().approval = Some(Approval { state, ..Approval::asked("Plan", "0", asked_at) });
    let mut stages = worn.pipeline.stages().to_vec();
    let plan = stages.iter_mut().find(|stage| stage.name == "Plan").unwrap();
    plan.approval = Some(crate::pipeline::stage::ApprovalWay::Tracker);
    worn.pipeline = Pipeline::new(stages);
    worn.looked_at()
}

#[test]
fn every_label_that_the_engine_adds_for_a_time_is_taken_off_by_somebody() {
    let transient = LABELS.iter().filter(|row| row.is_ours && row.lasting == Lasting::Transient);
    for row in transient {
        let removers = removers(row.label);
        assert!(!removers.is_empty(), "nobody removes {:?}", row.label);
        for (way, remove) in removers {
            let worn = wearing(row.label);
            let label = worn.record.item.labels.last().unwrap().clone();
            let settlement = remove(worn);
            let expected = Effect::RemoveLabel { label };
            assert!(settlement.effects.contains(&expected), "{way}: {expected:?} is not in {settlement:?}");
        }
    }
}

#[test]
fn what_is_permanent_outlives_the_relay() {
    for row in LABELS.iter().filter(|row| row.lasting == Lasting::Permanent) {
        let mut worn = wearing(row.label);
        let label = worn.record.item.labels.last().unwrap().clone();
        worn.item().is_closed = true;
        worn.item().pull.as_mut().unwrap().state = crate::tracker::PullState::Merged;
        worn.item().has_worktree = true;
        for settlement in [worn.looked_at(), worn.repaired(), worn.in_column("Done").looked_at()] {
            assert!(!settlement.effects.contains(&Effect::RemoveLabel { label: label.clone() }), "{label}");
        }
    }
}
