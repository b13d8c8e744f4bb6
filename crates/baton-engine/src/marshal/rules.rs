//! What decisions follow: the stages and the settings, as they are now.

use std::time::Duration;

use baton_core::config::Config;
use baton_core::pipeline::{Pipeline, Policy};
use baton_core::slot::AgentName;

/// The stages and the settings.
#[derive(Debug, Clone)]
pub struct Rules {
    /// The stages.
    pub pipeline: Pipeline,
    /// The settings of the pipeline.
    pub policy: Policy,
    /// The agent of stages that name none.
    pub usual_agent: Option<AgentName>,
    /// How often the tracker is asked for news.
    pub poll: Duration,
}

impl Rules {
    /// Returns what a configuration and its stages say.
    pub fn of(config: &Config, pipeline: Pipeline) -> Self {
        Self {
            pipeline,
            policy: Policy::of(config),
            usual_agent: config.usual_agent().map(|agent| AgentName(agent.name.clone())),
            poll: config.pipeline.poll,
        }
    }
}
