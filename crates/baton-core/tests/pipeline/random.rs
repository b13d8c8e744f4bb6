//! Random lives of an issue: people who label, comment, move, close and merge; agents of all kinds; checks and reviewers
//! that come and go; crashes and passing time. After every event the issue comes to rest, and every step on the way is one
//! that may be taken.

use std::time::Duration;

use baton_core::pipeline::checks::Conclusion;
use baton_core::pipeline::item::{LinkedPull, ReviewState};
use baton_core::pipeline::names::{Flag, StageMark};
use baton_core::pipeline::{End, repairs};
use baton_core::tracker::PullState;
use proptest::prelude::*;
use proptest::sample::select;

use crate::pipeline::exhaustive::{COLUMNS, check_effects, check_step};
use crate::pipeline::world::{STEPS_MAX, World, check, comment, issue_in, request, review, thread};

/// Something that happens to an issue.
#[derive(Debug, Clone)]
enum Event {
    Label(Flag),
    StageLabel(StageMark),
    ForeignLock,
    Comment { by: &'static str, is_bot: bool, may_write: bool },
    MoveTo(&'static str),
    SetClosed(bool),
    Blocker(bool),
    Pull(PullChange),
    RunEnds { end: End, text: &'static str },
    Crash,
    Wait(u64),
}

/// Something that happens to its pull request.
#[derive(Debug, Clone)]
enum PullChange {
    Checks(Option<Conclusion>),
    NoChecks,
    Mergeable(Option<bool>),
    Reviewed(ReviewState),
    Asked(bool),
    Thread(u64),
    State(PullState),
}

const TEXTS: [&str; 6] = [
    "",
    "I looked around.",
    "Done.\nBATON_STAGE_COMPLETE",
    "BATON_DECOMPOSED\nBATON_SUB_ISSUE_BEGIN\nTITLE: One half\nDo it.\nBATON_SUB_ISSUE_END",
    "BATON_SUMMARY_BEGIN\nWhich?\nBATON_SUMMARY_END\nBATON_BLOCKED_ON_INPUT",
    "BATON_ISSUE_UPDATE_BEGIN\nNew text.\nBATON_ISSUE_UPDATE_END\nBATON_STAGE_COMPLETE and more",
];

const ENDS: [End; 9] = [
    End::Finished,
    End::FinishedWithError,
    End::TimedOut,
    End::TurnLimit,
    End::Failed,
    End::FailedForGood,
    End::NotStarted,
    End::Stopped,
    End::Cancelled,
];

fn event() -> impl Strategy<Value = Event> {
    let authors = select(&[("rob", false), ("acme-bot", true), ("ana", false)][..]);
    prop_oneof![
        4 => select(Flag::ALL).prop_map(Event::Label),
        2 => select(StageMark::ALL).prop_map(Event::StageLabel),
        1 => Just(Event::ForeignLock),
        4 => (authors, prop::bool::weighted(0.8))
            .prop_map(|((by, is_bot), may_write)| Event::Comment { by, is_bot, may_write }),
        2 => select(&COLUMNS[..]).prop_map(Event::MoveTo),
        1 => any::<bool>().prop_map(Event::SetClosed),
        1 => any::<bool>().prop_map(Event::Blocker),
        8 => pull_change().prop_map(Event::Pull),
        12 => (select(&ENDS[..]), select(&TEXTS[..])).prop_map(|(end, text)| Event::RunEnds { end, text }),
        1 => Just(Event::Crash),
        6 => select(&[30, 120, 900, 3_600, 86_400][..]).prop_map(Event::Wait),
    ]
}

fn pull_change() -> impl Strategy<Value = PullChange> {
    prop_oneof![
        4 => prop::option::of(select(Conclusion::ALL)).prop_map(PullChange::Checks),
        1 => Just(PullChange::NoChecks),
        2 => prop::option::of(any::<bool>()).prop_map(PullChange::Mergeable),
        2 => select(ReviewState::ALL).prop_map(PullChange::Reviewed),
        1 => any::<bool>().prop_map(PullChange::Asked),
        1 => (1..9u64).prop_map(PullChange::Thread),
        1 => select(PullState::ALL).prop_map(PullChange::State),
    ]
}

/// An issue and how many things happened to it, which makes its comments and checks different.
struct Life {
    world: World,
    count: u64,
}

impl Life {
    fn happens(&mut self, event: &Event) {
        self.count += 1;
        match event {
            Event::Label(flag) => self.toggle(&self.world.policy.names.flag(*flag)),
            Event::StageLabel(mark) => {
                self.toggle(&self.world.policy.names.stage(&self.world.item.column, *mark))
            }
            Event::ForeignLock => self.toggle(&self.world.policy.names.lock("zoe")),
            Event::Comment { by, is_bot, may_write } => self.say(by, *is_bot, *may_write),
            Event::MoveTo(column) => (*column).clone_into(&mut self.world.item.column),
            Event::SetClosed(is_closed) => self.world.item.is_closed = *is_closed,
            Event::Blocker(is_open) => {
                self.world.item.blockers.clear();
                self.world = self.world.clone().blocker("acme/web#1", *is_open);
            }
            Event::Pull(change) => self.change_pull(change),
            Event::RunEnds { end, text } => self.end_run(*end, text),
            Event::Crash => self.crash(),
            Event::Wait(seconds) => self.world.wait(Duration::from_secs(*seconds)),
        }
    }

    fn toggle(&mut self, label: &str) {
        match self.world.has_label(label) {
            true => self.world.item.labels.retain(|own| own != label),
            false => self.world = self.world.clone().label(label),
        }
    }

    fn say(&mut self, by: &str, is_bot: bool, may_write: bool) {
        let mut said = comment(self.count, by, "What about this?");
        (said.is_bot, said.may_write, said.created_at) = (is_bot, may_write, self.world.now.server);
        self.world.item.comments.push(said);
    }

    fn change_pull(&mut self, change: &PullChange) {
        let (count, now) = (self.count, self.world.now.server);
        let Some(pull) = &mut self.world.item.pull else { return };
        match change {
            PullChange::Checks(conclusion) => {
                let run = baton_core::pipeline::checks::Check {
                    changed_at: now,
                    ..check(count, "build", *conclusion)
                };
                pull.checks = Some(vec![run].into());
            }
            PullChange::NoChecks => pull.checks = Some(Vec::new().into()),
            PullChange::Mergeable(is_so) => pull.mergeable = *is_so,
            PullChange::Reviewed(state) => pull.reviews = vec![review("rob", *state)],
            PullChange::Asked(is_bot) => pull.requests = vec![request("rob", *is_bot)],
            PullChange::Thread(line) => pull.threads.push(thread(&format!("T{count}"), "src/lib.rs", *line)),
            PullChange::State(state) => Self::set_state(pull, *state),
        }
    }

    /// What is merged stays merged.
    fn set_state(pull: &mut LinkedPull, state: PullState) {
        if !pull.is_merged() {
            pull.state = state;
        }
    }

    fn end_run(&mut self, end: End, text: &str) {
        if self.world.item.runner.is_none() {
            return;
        }
        self.world.end_run(&self.world.ended(end, text));
    }

    /// The engine dies with its agent, and starts anew.
    fn crash(&mut self) {
        self.world.item.runner = None;
        let world = &self.world;
        let repaired = repairs(&world.item, &world.pipeline, &world.policy, world.now);
        self.world.perform(repaired);
        let world = &self.world;
        let again = repairs(&world.item, &world.pipeline, &world.policy, world.now);
        assert!(again.effects.is_empty(), "what is repaired is repaired: {again:?}");
    }

    fn comes_to_rest(&mut self) {
        for _ in 0..STEPS_MAX {
            let step = self.world.step();
            check_step(&self.world, &step);
            check_effects(&self.world, &step);
            if self.world.settlement(&step).is_empty() {
                return;
            }
            self.world.look();
        }
        panic!("it does not come to rest: {:#?}", self.world.item);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_every_step_is_one_that_may_be_taken(events in prop::collection::vec(event(), 1..60)) {
        let mut life = Life { world: issue_in("Plan").label("baton:yolo"), count: 0 };
        life.comes_to_rest();
        for event in &events {
            life.happens(event);
            life.comes_to_rest();
        }
    }

    #[test]
    fn what_is_left_alone_stands_still_in_the_end(events in prop::collection::vec(event(), 1..40)) {
        let mut life = Life { world: issue_in("Implement"), count: 0 };
        for event in &events {
            life.happens(event);
            life.comes_to_rest();
        }
        crate::pipeline::liveness::live(&mut life.world, crate::pipeline::liveness::Habit::Silent);
    }
}
