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
use std::sync::{Arc, Mutex, PoisonError};

use baton_core::RepoSlug;
use baton_core::config::{AgentConfig, PipelineDialect};
use baton_core::pipeline::Pipeline;
use baton_core::pipeline::approval::Approvers;
use baton_core::prompt::Templates;
use baton_core::slot::RunEnd;
use baton_core::slot::start::Started;
use baton_core::time::BootTime;
use baton_ports::{AgentPrograms, Agents, NotStarted, Store, Tracker, Workspaces};

use crate::leases::Keeper;
use crate::outbox::LeaseLook;
use prepare::Prepared;
pub use running::Leg;

/// Finds the templates of prompts for a repository.
pub type FindTemplates = Box<dyn Fn(Option<&RepoSlug>) -> Result<Templates, String> + Send + Sync>;

/// What is the same for all legs.
pub struct LegSettings {
    /// The agents, by key.
    pub agents: BTreeMap<String, AgentConfig>,
    /// The stages.
    pub pipeline: Pipeline,
    /// Who decides about plans, and so is heard about them.
    pub approvers: Approvers,
    /// Whose labels, markers and directories are used.
    pub dialect: PipelineDialect,
    /// Where agents work that need no work tree.
    pub directory: PathBuf,
    /// Variables that every agent gets.
    pub variables: Vec<(String, String)>,
    /// The templates of prompts.
    pub templates: FindTemplates,
}

/// What is the same for all legs, as it is now. Legs that begin after an exchange follow the new settings; those under way go on
/// as they began, but for the wording of what they are still to be told.
#[derive(Clone)]
pub struct LegBook(Arc<Mutex<Arc<LegSettings>>>);

impl From<LegSettings> for LegBook {
    fn from(settings: LegSettings) -> Self {
        Self(Arc::new(Mutex::new(Arc::new(settings))))
    }
}

impl LegBook {
    /// Returns the settings.
    pub fn get(&self) -> Arc<LegSettings> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Lets legs follow other settings from now on.
    pub fn set(&self, settings: LegSettings) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(settings);
    }
}

/// Everything that legs need.
struct Track<W, P, T, S, K> {
    workspaces: W,
    programs: P,
    tracker: T,
    store: S,
    keeper: K,
    settings: LegBook,
}

/// Runs legs, for a worker.
pub struct Legs<W, P, T, S, K>(Arc<Track<W, P, T, S, K>>);

impl<W, P, T, S, K> Legs<W, P, T, S, K> {
    /// Makes what runs legs.
    pub fn new(
        workspaces: W,
        programs: P,
        tracker: T,
        store: S,
        keeper: K,
        settings: impl Into<LegBook>,
    ) -> Self {
        let settings = settings.into();
        Self(Arc::new(Track { workspaces, programs, tracker, store, keeper, settings }))
    }
}

impl<W: Workspaces, P: AgentPrograms, T: Tracker, S: Store, K: Keeper> Agents for Legs<W, P, T, S, K> {
    type Agent = Leg<W, P, T, S, K>;

    async fn launch(
        &self,
        started: &Started,
        deadline: &(dyn Fn() -> BootTime + Sync),
    ) -> Result<Self::Agent, RunEnd> {
        let prepared = self.0.prepare(started).await?;
        if let Err(end) = self.0.is_held(&prepared).await {
            self.0.abandon(&prepared).await;
            return Err(end);
        }
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

impl<W: Workspaces, P: AgentPrograms, T: Tracker, S: Store, K: Keeper> Track<W, P, T, S, K> {
    /// Looks whether the issue is still this installation's. A run may have waited long for its start, and nobody renews the
    /// lease meanwhile.
    async fn is_held(&self, prepared: &Prepared) -> Result<(), RunEnd> {
        let Some((issue, token)) = &prepared.lease else {
            // What the pipeline asked for was asked for under a lease.
            return match prepared.errand.is_settled {
                true => {
                    Err(RunEnd::Failed("the tracker's lease was given up before the run began".to_owned()))
                }
                false => Ok(()),
            };
        };
        match self.keeper.holds(issue, token).await {
            LeaseLook::Held => Ok(()),
            LeaseLook::Lost(why) => Err(RunEnd::Failed(format!("the tracker's lease was lost: {why}"))),
            LeaseLook::Unknown(why) => Err(RunEnd::NotReady(why)),
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
