//! One leg of the relay: a run, from the moment its worker has it until its work is on the remote.
//!
//! A place to work is opened, the agent is told what to do, its program runs, goes on when it was cut off at its limit of turns
//! and got somewhere, and the place is left in order: what was not committed is, and everything is pushed. The worker sees
//! all of it as one agent.
//!
//! Deliberately absent: what a run's words mean for its issue, which the pipeline settles; processes, git and the disk, which
//! are behind ports.

mod material;
mod prepare;
mod running;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use baton_core::RepoSlug;
use baton_core::config::{AgentConfig, PipelineDialect};
use baton_core::pipeline::Pipeline;
use baton_core::prompt::Templates;
use baton_core::slot::RunEnd;
use baton_core::slot::start::Started;
use baton_core::time::BootTime;
use baton_ports::{AgentPrograms, Agents, NotStarted, Store, Tracker, Workspaces};

pub use running::Leg;

/// Finds the templates of prompts for a repository.
pub type FindTemplates = Box<dyn Fn(Option<&RepoSlug>) -> Result<Templates, String> + Send + Sync>;

/// What is the same for all legs.
pub struct LegSettings {
    /// The agents, by key.
    pub agents: BTreeMap<String, AgentConfig>,
    /// The stages.
    pub pipeline: Pipeline,
    /// Whose labels, markers and directories are used.
    pub dialect: PipelineDialect,
    /// Where agents work that need no work tree.
    pub directory: PathBuf,
    /// Variables that every agent gets.
    pub variables: Vec<(String, String)>,
    /// The templates of prompts.
    pub templates: FindTemplates,
}

/// Everything that legs need.
struct Track<W, P, T, S> {
    workspaces: W,
    programs: P,
    tracker: T,
    store: S,
    settings: LegSettings,
}

/// Runs legs, for a worker.
pub struct Legs<W, P, T, S>(Arc<Track<W, P, T, S>>);

impl<W, P, T, S> Legs<W, P, T, S> {
    /// Makes what runs legs.
    pub fn new(workspaces: W, programs: P, tracker: T, store: S, settings: LegSettings) -> Self {
        Self(Arc::new(Track { workspaces, programs, tracker, store, settings }))
    }
}

impl<W: Workspaces, P: AgentPrograms, T: Tracker, S: Store> Agents for Legs<W, P, T, S> {
    type Agent = Leg<W, P, T, S>;

    async fn launch(
        &self,
        started: &Started,
        deadline: &(dyn Fn() -> BootTime + Sync),
    ) -> Result<Self::Agent, RunEnd> {
        let prepared = self.0.prepare(started).await?;
        let deadline = deadline();
        match self.0.programs.start(&prepared.order, deadline).await {
            Ok(program) => Ok(Leg::new(Arc::clone(&self.0), prepared, program, deadline)),
            Err(why) => {
                self.0.abandon(&prepared).await;
                Err(not_started(why))
            }
        }
    }
}

/// How a run ends whose program was not started. What is nobody's fault is tried again later, and its reason is kept.
fn not_started(why: NotStarted) -> RunEnd {
    match why {
        NotStarted::NotItsFault(why) => RunEnd::NotReady(why),
        NotStarted::ItsFault(why) => RunEnd::Failed(why),
    }
}
