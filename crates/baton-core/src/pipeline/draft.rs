//! Writing down what a decision comes to: each change once, and only if it is one.

use super::effect::{Effect, Place, Settlement};
use super::memory::{forget_failures, forget_tries};
use super::names::{Flag, Said, StageMark};
use super::view::{View, WAITS};
use crate::slot::ItemMemory;

/// A settlement while it is written.
#[derive(Debug)]
pub(super) struct Draft<'a> {
    pub(super) view: View<'a>,
    effects: Vec<Effect>,
    memory: Option<ItemMemory>,
}

impl<'a> Draft<'a> {
    pub(super) fn new(view: View<'a>) -> Self {
        Self { view, effects: Vec::new(), memory: None }
    }

    pub(super) fn done(mut self) -> Settlement {
        self.remember_checks();
        let memory = self.memory.filter(|memory| *memory != self.view.item.memory);
        Settlement { effects: self.effects, memory }
    }

    /// A pull request that had checks once will have them again: no checks are then no answer.
    fn remember_checks(&mut self) {
        let Some(pull) = &self.view.item.pull else { return };
        let has_checks = pull.checks.as_ref().is_some_and(|checks| !checks.as_slice().is_empty());
        if has_checks && !self.view.item.memory.checked_pulls.contains(&pull.number) {
            self.memory().checked_pulls.insert(pull.number);
        }
    }

    pub(super) fn push(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    /// What will be remembered.
    pub(super) fn memory(&mut self) -> &mut ItemMemory {
        self.memory.get_or_insert_with(|| self.view.item.memory.clone())
    }

    pub(super) fn add(&mut self, flag: Flag) {
        self.add_label(self.view.policy.names.flag(flag));
    }

    pub(super) fn mark(&mut self, mark: StageMark) {
        self.add_label(self.view.policy.names.stage(&self.view.stage.name, mark));
    }

    pub(super) fn add_label(&mut self, label: String) {
        // What was to be taken off, and is wanted after all, stays.
        self.effects.retain(
            |effect| !matches!(effect, Effect::RemoveLabel { label: off } if off.eq_ignore_ascii_case(&label)),
        );
        let is_there = self.view.item.labels.iter().any(|own| own.eq_ignore_ascii_case(&label));
        let effect = Effect::AddLabel { label };
        if !is_there && !self.effects.contains(&effect) {
            self.push(effect);
        }
    }

    pub(super) fn remove(&mut self, flag: Flag) {
        self.remove_all(|said, _| said == Some(Said::Flag(flag)));
    }

    /// Removes what stages are said to be, whichever they are.
    pub(super) fn unmark(&mut self, mark: StageMark) {
        self.remove_all(|said, _| matches!(said, Some(Said::Stage(_, of)) if of == mark));
    }

    pub(super) fn remove_label(&mut self, label: &str) {
        self.remove_all(|_, own| own.eq_ignore_ascii_case(label));
    }

    /// Removes labels as the tracker spells them.
    fn remove_all(&mut self, is_meant: impl Fn(Option<Said<'_>>, &str) -> bool) {
        for label in &self.view.item.labels {
            let effect = Effect::RemoveLabel { label: label.clone() };
            if is_meant(self.view.policy.names.read(label), label) && !self.effects.contains(&effect) {
                self.effects.push(effect);
            }
        }
    }

    pub(super) fn say(&mut self, on: Place, body: String) {
        self.push(Effect::Comment { on, body });
    }

    /// Nobody works on the issue any more.
    pub(super) fn let_go(&mut self) {
        self.remove_label(&self.view.policy.own_lock.clone());
        self.unmark(StageMark::InProgress);
        self.push(Effect::Release);
    }

    /// Takes every trace of a failure away: the work goes on as if for the first time. What is waited for is waited for
    /// from now on; otherwise a pause over night would end in the next one.
    pub(super) fn forgive(&mut self) {
        self.unmark(StageMark::Failed);
        let (view, now) = (self.view, self.view.now.store);
        let stage = view.stage.name.clone();
        let paused_in = view.item.memory.paused_by_engine.as_ref().map(|pause| pause.stage.clone());
        let memory = self.memory();
        paused_in.iter().chain([&stage]).for_each(|stage| forget_failures(memory, stage));
        for wait in WAITS.iter().filter(|wait| view.has(wait.flag)) {
            memory.waiting_since.insert(wait.key.to_owned(), now);
        }
    }

    /// The stage has ended: how often it was tried does not matter any more.
    pub(super) fn forget_tries(&mut self) {
        self.unmark(StageMark::Failed);
        let stage = self.view.stage.name.clone();
        forget_tries(self.memory(), &stage);
    }
}
