//! Edits of `baton.yaml`, `.env` and the stage files are taken over while an engine runs.
//!
//! The files are compared by what is in them. A bad edit keeps the last good configuration and is told once; what cannot
//! change while an engine runs keeps its value, and that is told as well.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use baton_core::config::{Config, Resolved};
use baton_core::pipeline::Pipeline;
use baton_core::slot::limits;
use baton_engine::leg::LegBook;
use baton_engine::marshal::{Marshal, Rules};
use baton_ports::Store;

use super::context::Desk;
use super::legs;
use super::machine::Machine;
use crate::command_error::CommandError;
use crate::config::{ConfigArgument, Surroundings};
use crate::stages;

/// How often files are looked at.
const EVERY: Duration = Duration::from_secs(1);

/// Half of such an edit would send issues to columns that the board does not have.
const OTHER_STAGES: &str =
    "which stages there are is part of the board, and changes only when the engine is started again";

/// The settings that decisions and limits are made from anew. All others were used to put the engine together.
const TAKEN_OVER: [&str; 28] = [
    "agent.default",
    "approval_timeout",
    "approvals_required",
    "approvers",
    "budget.issue_cost_per_day",
    "budget.issue_runs_per_day",
    "budget.repo_cost_per_day",
    "budget.repo_runs_per_day",
    "ci.accept_states",
    "ci.required_checks",
    "ci_backstop_timeout",
    "ci_wait_timeout",
    "comment_cycle_window",
    "max_ci_fix_cycles",
    "max_comment_cycles",
    "max_concurrent",
    "max_per_repo",
    "max_rebase_cycles",
    "max_review_cycles",
    "max_slices",
    "poll",
    "post_push_dwell",
    "prompts",
    "review_wait_timeout",
    "stages",
    "yolo",
    // Read by each command anew, and by no engine.
    "claims.protocol",
    "hook.fail",
];

/// Watches the files of a configuration.
pub(super) struct Watcher {
    argument: ConfigArgument,
    surroundings: Surroundings,
    marshal: Arc<Marshal<Machine>>,
    legs: LegBook,
    /// What the engine was put together from.
    began: Resolved,
    /// What holds now.
    resolved: Resolved,
    /// What was in the files at the last look.
    seen: Vec<(PathBuf, Option<Vec<u8>>)>,
}

impl Watcher {
    /// Watches what a desk was read from.
    pub(super) fn new(
        desk: &Desk,
        argument: &ConfigArgument,
        marshal: Arc<Marshal<Machine>>,
        legs: LegBook,
    ) -> Self {
        let resolved = desk.loaded.resolved.clone();
        let seen = contents(desk);
        let (argument, surroundings) = (argument.clone(), desk.surroundings.clone());
        Self { argument, surroundings, marshal, legs, began: resolved.clone(), resolved, seen }
    }

    /// Watches until it is dropped.
    pub(super) async fn watch(mut self, store: &impl Store) {
        loop {
            tokio::time::sleep(EVERY).await;
            if let Some(told) = self.look(store).await {
                eprintln!("{told}");
            }
        }
    }

    /// Looks at the files once. Returns what people should know.
    async fn look(&mut self, store: &impl Store) -> Option<String> {
        let desk = match self.read() {
            Ok(desk) => desk,
            Err(error) => return self.refuse(&error),
        };
        let found = contents(&desk);
        if found == self.seen {
            return None;
        }
        match self.take_over(&desk, store).await {
            Ok(told) => {
                self.seen = found;
                Some(told)
            }
            // The edit is good, and is tried again at the next look.
            Err(CommandError::OutOfReach(error)) => {
                tracing::warn!(%error, "an edit of the configuration waits");
                None
            }
            Err(error) => self.refuse_at(found, &error),
        }
    }

    fn has_same_stages(&self, pipeline: &Pipeline) -> bool {
        let names =
            |pipeline: &Pipeline| pipeline.stages().iter().map(|it| it.name.clone()).collect::<Vec<_>>();
        names(pipeline) == names(&self.marshal.rules().pipeline)
    }

    fn read(&self) -> Result<Desk, CommandError> {
        let surroundings = self.surroundings.clone();
        let loaded = self.argument.load(Vec::new(), &surroundings)?;
        Ok(Desk { surroundings, loaded })
    }

    /// A file that cannot be read as a configuration is told once for each time that it is written.
    fn refuse(&mut self, error: &CommandError) -> Option<String> {
        let found = self.seen.iter().map(|(path, _)| (path.clone(), std::fs::read(path).ok())).collect();
        self.refuse_at(found, error)
    }

    fn refuse_at(&mut self, found: Vec<(PathBuf, Option<Vec<u8>>)>, error: &CommandError) -> Option<String> {
        if found == self.seen {
            return None;
        }
        self.seen = found;
        Some(format!("{error}\nthe configuration from before the edit stays in force"))
    }

    async fn take_over(&mut self, desk: &Desk, store: &impl Store) -> Result<String, CommandError> {
        let pipeline = stages::load::load(&desk.loaded, &desk.surroundings)?.set.pipeline;
        if !self.has_same_stages(&pipeline) {
            return Err(CommandError::Usage(OTHER_STAGES.to_owned()));
        }
        let config = mixed(&self.began.config, desk.config());
        let settings = legs::settings_of(desk, &config)?;
        store.set_limits(&limits::of(&config)).await?;
        self.legs.set(settings);
        let told = told(&self.began, &self.resolved, &desk.loaded.resolved);
        self.marshal.set_rules(Rules::of(&config, pipeline));
        self.resolved = desk.loaded.resolved.clone();
        Ok(told)
    }
}

/// The new configuration, with the old values of what decisions use and cannot change while an engine runs: who it is, whose
/// words it speaks, and which agents it has.
fn mixed(old: &Config, new: &Config) -> Config {
    let mut config = new.clone();
    config.user.clone_from(&old.user);
    config.pipeline.dialect = old.pipeline.dialect;
    config.max_retries = old.max_retries;
    config.agents.retain(|key, _| old.agents.contains_key(key));
    for (key, agent) in &old.agents {
        config.agents.entry(key.clone()).or_insert_with(|| agent.clone());
    }
    config
}

/// Says what an edit changed, and what of it waits for the next start.
fn told(began: &Resolved, before: &Resolved, now: &Resolved) -> String {
    let value = |resolved: &Resolved, key: &str| {
        resolved.settings.iter().find(|it| it.key == key).map(|it| it.value.clone()).unwrap_or_default()
    };
    let is_taken_over = |key: &&str| TAKEN_OVER.contains(key);
    let keys = || now.settings.iter().map(|it| it.key);
    let changed: Vec<_> = keys()
        .filter(is_taken_over)
        .filter(|key| value(before, key) != value(now, key))
        .map(|key| format!("`{key}` is {}", value(now, key)))
        .collect();
    let mut waiting: Vec<_> = keys()
        .filter(|key| !is_taken_over(key) && value(began, key) != value(now, key))
        .map(|key| format!("`{key}`"))
        .collect();
    let names = |resolved: &Resolved| resolved.agents.iter().map(|it| it.key.clone()).collect::<Vec<_>>();
    if names(began) != names(now) {
        waiting.push("which `agents` there are".to_owned());
    }
    let mut text = match changed.as_slice() {
        [] => "the edited configuration is in force".to_owned(),
        changed => format!("the edited configuration is in force: {}", changed.join(", ")),
    };
    if !waiting.is_empty() {
        text.push_str(&format!(
            "\nwarning: not while an engine runs, but when it is started again: {}",
            waiting.join(", ")
        ));
    }
    text
}

/// What is in the files that a configuration is read from.
fn contents(desk: &Desk) -> Vec<(PathBuf, Option<Vec<u8>>)> {
    let loaded = &desk.loaded;
    let mut paths = vec![
        loaded.directory.join(crate::config::FILE_NAME),
        loaded.directory.join(".env"),
        loaded.directory.join(".fabrik/config.yaml"),
    ];
    paths.extend(loaded.file.clone());
    paths.extend(files_of(&loaded.directory.join(&loaded.resolved.config.pipeline.stages)));
    paths.sort();
    paths.dedup();
    paths
        .into_iter()
        .map(|path| {
            let text = std::fs::read(&path).ok();
            (path, text)
        })
        .collect()
}

fn files_of(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    entries.flatten().map(|entry| entry.path()).filter(|path| path.is_file()).collect()
}
