//! One stage while it is read: what its file says, key by key, and the stage that is made of it.

use std::collections::BTreeMap;

use super::super::error::ConfigError;
use super::super::resolve::Effective;
use super::super::source::Source;
use super::super::value::RawValue;
use super::EffectiveStage;
use super::table::{KINDS, STAGE_KEYS, StageKey, stage_key};
use super::value::{StageValue, parse};
use crate::pipeline::stage::{Instruction, KillGrace};
use crate::pipeline::{Stage, StageKind};

/// What a file says.
pub(super) struct Draft {
    pub(super) path: String,
    /// By key; nothing where the value was wrong.
    values: BTreeMap<&'static str, Option<(StageValue, Source)>>,
}

impl Draft {
    pub(super) fn new(path: &str) -> Self {
        Self { path: path.to_owned(), values: BTreeMap::new() }
    }

    pub(super) fn said(&mut self, row: &'static StageKey, value: Option<(StageValue, Source)>) {
        self.values.insert(row.key, value);
    }

    /// Returns what a file that is right so far says of a key.
    fn value(&self, key: &str) -> Option<&(StageValue, Source)> {
        self.values.get(key)?.as_ref()
    }

    /// Returns what holds for a key: what the file says, or the default of the table.
    fn effective_value(&self, key: &str) -> Option<StageValue> {
        if let Some((value, _)) = self.value(key) {
            return Some(value.clone());
        }
        let row = stage_key(key).unwrap_or_else(|| panic!("`{key}` is no key of stages"));
        let default = Some(row.default).filter(|default| !default.is_empty())?;
        parse(row.kind, &RawValue::Text(default.to_owned())).ok()
    }

    /// Returns the name and its place.
    pub(super) fn name(&self) -> Option<(String, &Source)> {
        self.value("name").map(|(name, at)| (name.to_string(), at))
    }

    /// Returns the order and its place; the beginning of the file where it does not say.
    pub(super) fn order(&self) -> (i64, Source) {
        let at = self.value("order").map_or_else(|| self.beginning(), |(_, at)| at.clone());
        match self.effective_value("order") {
            Some(StageValue::Order(order)) => (order, at),
            _ => (0, at),
        }
    }

    /// Returns whether the order is known, so that it can be compared.
    pub(super) fn has_order(&self) -> bool {
        self.values.get("order").is_none_or(Option::is_some)
    }

    /// Returns the kind of stage and where that is said.
    pub(super) fn kind(&self) -> (StageKind, Option<&Source>) {
        let kinds = [StageKind::Cleanup, StageKind::Holding, StageKind::Unmanaged];
        let said = KINDS.into_iter().zip(kinds).find(|(key, _)| self.switch(key));
        said.map_or((StageKind::Working, None), |(key, kind)| (kind, self.value(key).map(|(_, at)| at)))
    }

    /// Returns what is missing, or contradicts itself.
    pub(super) fn holes(&self) -> Vec<ConfigError> {
        let mut errors = Vec::new();
        if !self.values.contains_key("name") {
            let (key, at) = ("name".to_owned(), self.beginning());
            errors.push(ConfigError::Missing { key, at, example: "name: Plan" });
        }
        let kinds: Vec<_> = KINDS.into_iter().filter(|key| self.switch(key)).collect();
        if kinds.len() > 1 {
            errors.push(self.two_kinds(&kinds));
        }
        let is_told = self.values.contains_key("prompt") || self.values.contains_key("skill");
        let is_clear = KINDS.iter().all(|key| self.values.get(key).is_none_or(Option::is_some));
        if kinds.is_empty() && is_clear && !is_told {
            errors.push(self.untold());
        }
        errors
    }

    fn two_kinds(&self, kinds: &[&str]) -> ConfigError {
        let at = self.value(kinds[1]).map_or_else(|| self.beginning(), |(_, at)| at.clone());
        let kinds: Vec<_> = kinds.iter().map(|key| format!("`{key}`")).collect();
        ConfigError::Conflict(format!(
            "{at}: {} cannot be true at once: a stage is of one kind; remove all but one",
            kinds.join(" and ")
        ))
    }

    fn untold(&self) -> ConfigError {
        let at = self.name().map_or_else(|| self.beginning(), |(_, at)| at.clone());
        ConfigError::Conflict(format!(
            "{at}: nobody tells the agent of this stage what to do: write `prompt: |` and the words below it, \
             indented, or `skill: NAME`; or, for a stage without an agent, one of `{}: true`",
            KINDS.join(": true`, `")
        ))
    }

    fn beginning(&self) -> Source {
        Source::File { path: self.path.clone(), line: 1, column: 1 }
    }

    pub(super) fn effective(&self) -> EffectiveStage {
        let setting = |row: &StageKey| {
            let source = self.value(row.key).map_or(Source::Default, |(_, at)| at.clone());
            let value = self.effective_value(row.key).map_or_else(String::new, |value| value.to_string());
            Effective { key: row.key, value, source }
        };
        EffectiveStage {
            name: self.text("name").unwrap_or_default(),
            path: self.path.clone(),
            settings: STAGE_KEYS.iter().map(setting).collect(),
        }
    }

    pub(super) fn stage(&self) -> Stage {
        let kind = self.kind().0;
        // Effort is a question of agents; without one, nothing was decided.
        let effort_key =
            Some("effort_level").filter(|key| kind == StageKind::Working || self.value(key).is_some());
        Stage {
            name: self.text("name").unwrap_or_default(),
            order: self.order().0,
            kind,
            instruction: self.instruction("skill", "prompt"),
            comment_instruction: self.instruction("comment_skill", "comment_prompt"),
            ci_fix_skill: self.text("ci_fix_skill"),
            rebase_skill: self.text("rebase_skill"),
            agent: self.text("agent"),
            model: self.text("model"),
            allowed_tools: self.list("allowed_tools"),
            max_turns: self.turns("max_turns"),
            comment_max_turns: self.turns("comment_max_turns"),
            max_wall_time: self.time("max_wall_time").filter(|time| !time.is_zero()),
            effort: effort_key.and_then(|key| self.word(key)),
            disable_adaptive_thinking: self.switch("disable_adaptive_thinking"),
            kill_grace: KillGrace {
                sigint: self.time("kill_grace.sigint"),
                sigterm: self.time("kill_grace.sigterm"),
            },
            read_only: self.switch("read_only"),
            post_to_pr: self.switch("post_to_pr"),
            create_draft_pr: self.switch("create_draft_pr"),
            mark_pr_ready: self.switch("mark_pr_ready_on_complete"),
            auto_advance: self.value("auto_advance").map(|_| self.switch("auto_advance")),
            wait_for_reviews: self.switch("wait_for_reviews"),
            wait_for_ci: self.switch("wait_for_ci"),
            review_authority: self.word("review_authority").unwrap_or_default(),
            expected_reviewers: self.list("expected_reviewers"),
            approval: self.word("approval"),
        }
    }

    fn instruction(&self, skill: &str, prompt: &str) -> Option<Instruction> {
        let skill = self.text(skill).map(Instruction::Skill);
        skill.or_else(|| self.text(prompt).map(Instruction::Prompt))
    }

    fn text(&self, key: &str) -> Option<String> {
        match self.effective_value(key)? {
            StageValue::Text(text) => Some(text),
            other => panic!("`{key}` is {other:?} and no text"),
        }
    }

    fn word<T: std::str::FromStr>(&self, key: &str) -> Option<T> {
        self.text(key).and_then(|word| word.parse().ok())
    }

    fn list(&self, key: &str) -> Option<Vec<String>> {
        match self.effective_value(key)? {
            StageValue::List(items) => Some(items),
            other => panic!("`{key}` is {other:?} and no list"),
        }
    }

    /// Zero stands for nothing.
    fn turns(&self, key: &str) -> Option<u32> {
        match self.effective_value(key)? {
            StageValue::Turns(turns) => Some(turns).filter(|turns| *turns > 0),
            other => panic!("`{key}` is {other:?} and no number of turns"),
        }
    }

    fn time(&self, key: &str) -> Option<std::time::Duration> {
        match self.effective_value(key)? {
            StageValue::Time(time) => Some(time),
            other => panic!("`{key}` is {other:?} and no time"),
        }
    }

    fn switch(&self, key: &str) -> bool {
        matches!(self.effective_value(key), Some(StageValue::Switch(true)))
    }
}
