//! What an engine and a supervisor tell each other: one JSON value a line, over two pipes.
//!
//! Secrets and the prompt travel here and not as arguments, which every user of the machine can read.

use baton_core::agent::AgentExit;
use baton_core::time::BootTime;
use serde::{Deserialize, Serialize};

/// What a supervisor is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Order {
    /// A value that must not be seen in the log.
    Secret(String),
    /// So many bytes follow the line, for the agent's standard input.
    Prompt {
        /// How many.
        bytes: usize,
    },
    /// The deadline. The first one lets the agent start.
    Until {
        /// By the boot clock.
        boot_ms: u64,
    },
    /// The agent is to be stopped.
    Stop(StopHow),
}

/// What a supervisor tells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Report {
    /// The process group, before anything runs in it.
    Group(i32),
    /// How many bytes of output there were.
    Output(u64),
    /// It is over, and the group is gone.
    Ended(AgentEnd),
}

/// How a stop begins. Each signal goes to the whole group, and the next one follows after the grace time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopHow {
    /// SIGINT, then SIGTERM, then SIGKILL: the agent may finish its sentence.
    Interrupt,
    /// SIGTERM, then SIGKILL.
    Terminate,
    /// SIGKILL.
    Kill,
}

/// How an agent ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentEnd {
    /// Why it is over.
    pub exit: AgentExit,
    /// The last line of its standard output that was not empty, without secrets.
    pub last_line: String,
    /// The last line of its standard error that was not empty, without secrets.
    pub last_error: String,
    /// How many bytes it has printed, whether or not they fitted in the log.
    pub output_bytes: u64,
    /// Why the log is not complete, if it could not be written.
    pub log_trouble: Option<String>,
}

impl AgentEnd {
    /// The end of an agent that has printed nothing.
    pub(crate) fn silent(exit: AgentExit) -> Self {
        Self { exit, last_line: String::new(), last_error: String::new(), output_bytes: 0, log_trouble: None }
    }
}

impl Order {
    pub(crate) fn until(deadline: BootTime) -> Self {
        Self::Until { boot_ms: deadline.ms }
    }

    pub(crate) fn line(&self) -> String {
        line(self)
    }

    pub(crate) fn read(line: &str) -> Option<Self> {
        serde_json::from_str(line).ok()
    }
}

impl Report {
    pub(crate) fn line(&self) -> String {
        line(self)
    }

    pub(crate) fn read(line: &str) -> Option<Self> {
        serde_json::from_str(line).ok()
    }
}

fn line(value: &impl Serialize) -> String {
    // These types have no map with other keys than text, which is all that could not be written.
    let text = serde_json::to_string(value).unwrap_or_default();
    text + "\n"
}

#[cfg(test)]
mod tests {
    use baton_core::agent::Limit;

    use super::*;

    #[test]
    fn an_order_is_read_as_it_was_written() {
        let orders = [
            Order::Secret("two\nlines".to_owned()),
            Order::Prompt { bytes: 7 },
            Order::until(BootTime { ms: 12 }),
            Order::Stop(StopHow::Interrupt),
        ];
        for order in orders {
            let line = order.line();
            assert_eq!((line.matches('\n').count(), Order::read(&line)), (1, Some(order)));
        }
    }

    #[test]
    fn a_report_is_read_as_it_was_written() {
        let exits = [
            AgentExit::Exited(3),
            AgentExit::NotRun("no\nsuch".to_owned()),
            AgentExit::TimedOut(Limit::Inactivity),
            AgentExit::DeadlinePassed,
        ];
        let ends = exits.map(|exit| Report::Ended(AgentEnd::silent(exit)));
        for report in ends.into_iter().chain([Report::Group(5), Report::Output(9)]) {
            let line = report.line();
            assert_eq!((line.matches('\n').count(), Report::read(&line)), (1, Some(report)));
        }
    }

    #[test]
    fn what_is_neither_is_no_order_and_no_report() {
        for line in ["", "12", "{\"until\":{}}", "{\"burn\":1}"] {
            assert_eq!((Order::read(line), Report::read(line)), (None, None), "{line}");
        }
    }
}
