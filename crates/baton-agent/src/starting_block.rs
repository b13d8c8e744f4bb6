//! A starting block: a supervisor that is there before its agent is known, so that an agent starts at once.
//!
//! A launch takes the supervisor that waits, and has the next one start in the background. What waits runs nothing and knows
//! nothing, and is gone with the engine.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use baton_ports::Clock;

use crate::agent_process::AgentProcess;
use crate::launch::{Launch, LaunchError, Standby, launch};

/// Where the next agent starts from. Clones share it.
#[derive(Debug, Clone)]
pub struct StartingBlock {
    supervisor: PathBuf,
    standby: Arc<Mutex<Option<Standby>>>,
}

impl StartingBlock {
    /// A block for agents under this supervisor, which is the `baton` program. Nothing waits in it yet.
    pub fn new(supervisor: PathBuf) -> Self {
        Self { supervisor, standby: Arc::default() }
    }

    /// Has a supervisor wait for the next agent, in the background. It does nothing if one waits already.
    pub fn prepare(&self) {
        let block = self.clone();
        // Starting a process takes a moment that nobody should wait for.
        tokio::task::spawn_blocking(move || block.fill());
    }

    /// Launches an agent, from what waits or else like [`launch`].
    ///
    /// # Errors
    ///
    /// Those of [`launch`].
    pub async fn launch<C: Clock + Clone>(
        &self,
        order: Launch,
        clock: C,
    ) -> Result<AgentProcess<C>, LaunchError> {
        let launched = match self.take().filter(|_| order.supervisor == self.supervisor) {
            Some(standby) => match standby.launch(&order, clock.clone()).await {
                // Whatever has become of it, it has started nothing.
                Err(LaunchError::Silent | LaunchError::Speak(_)) => launch(order, clock).await,
                launched => launched,
            },
            None => launch(order, clock).await,
        };
        self.prepare();
        launched
    }

    fn fill(&self) {
        let mut standby = self.standby.lock().unwrap_or_else(PoisonError::into_inner);
        if standby.is_none() {
            // What cannot be started now is told when an agent is launched.
            *standby = Standby::start(&self.supervisor).ok();
        }
    }

    fn take(&self) -> Option<Standby> {
        self.standby.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
