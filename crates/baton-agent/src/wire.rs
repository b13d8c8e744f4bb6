//! What an engine and a supervisor tell each other: one JSON value a line, over two pipes.
//!
//! Everything about an agent travels here and nothing as arguments, which every user of the machine can read.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use baton_core::agent::{AgentExit, RunNumbers};
use baton_core::agent_lines::{Program, Report};
use baton_core::time::BootTime;
use serde::{Deserialize, Serialize};

use crate::graces::Graces;
use crate::records::RecordTerms;

/// What a supervisor is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Order {
    /// The agent.
    Agent(Box<AgentTerms>),
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

/// An agent, but for its prompt and its deadline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AgentTerms {
    pub(crate) command: CommandTerms,
    pub(crate) program: Program,
    pub(crate) log: OsString,
    pub(crate) log_cap: u64,
    pub(crate) secrets: Vec<String>,
    pub(crate) graces: Graces,
    pub(crate) wall_time: Option<Duration>,
    pub(crate) inactivity: Option<Duration>,
    pub(crate) record: Option<RecordTerms>,
}

/// What a waiting process becomes. It is also the word that it waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CommandTerms {
    pub(crate) argv: Vec<OsString>,
    /// Where it works and all of its environment; without it, both are those of the process that waits.
    pub(crate) place: Option<Place>,
}

/// Where a command works, and what it finds there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Place {
    pub(crate) cwd: OsString,
    pub(crate) env: Vec<(OsString, OsString)>,
}

/// What a supervisor tells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Notice {
    /// The process group, before anything runs in it.
    Group(i32),
    /// The command gets its word now. Until this is told, nothing has run.
    Going,
    /// How far it is.
    Numbers(RunNumbers),
    /// It is over, and the group is gone.
    Ended(Box<AgentEnd>),
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

/// How an agent ended. Nothing in it contains a secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentEnd {
    /// Why it is over.
    pub exit: AgentExit,
    /// What it printed, read as the lines of its program.
    pub report: Report,
    /// The last line of its standard output that was not empty.
    pub last_line: String,
    /// The last line of its standard error that was not empty.
    pub last_error: String,
    /// How many bytes it has printed, whether or not they fitted in the log.
    pub output_bytes: u64,
    /// How many lines of its standard output were too long to be read.
    pub passed_over_lines: u64,
    /// Why the log is not complete, if it could not be written.
    pub log_trouble: Option<String>,
    /// Why the record of the run is not complete, if it could not be written.
    pub record_trouble: Option<String>,
}

impl AgentEnd {
    /// The end of an agent that has printed nothing.
    pub(crate) fn silent(exit: AgentExit) -> Self {
        Self {
            exit,
            report: Report::default(),
            last_line: String::new(),
            last_error: String::new(),
            output_bytes: 0,
            passed_over_lines: 0,
            log_trouble: None,
            record_trouble: None,
        }
    }
}

impl AgentTerms {
    pub(crate) fn cwd(&self) -> PathBuf {
        self.command.place.as_ref().map(|place| place.cwd.clone().into()).unwrap_or_default()
    }

    /// Adds variables to the agent's environment, in place of others of the same name.
    pub(crate) fn set_variables(&mut self, variables: Vec<(&'static str, String)>) {
        let Some(place) = &mut self.command.place else { return };
        place.env.retain(|(name, _)| variables.iter().all(|(own, _)| name != own));
        place.env.extend(variables.into_iter().map(|(name, value)| (name.into(), value.into())));
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

impl Notice {
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
    use std::os::unix::ffi::OsStringExt as _;

    use baton_core::agent::Limit;

    use super::*;

    fn terms() -> AgentTerms {
        let not_text = OsString::from_vec(vec![b'/', 0xff, b'\n']);
        let place = Place { cwd: not_text.clone(), env: vec![("A".into(), not_text.clone())] };
        AgentTerms {
            command: CommandTerms { argv: vec![not_text.clone()], place: Some(place) },
            program: Program::Claude,
            log: not_text,
            log_cap: u64::MAX,
            secrets: vec!["two\nlines".to_owned()],
            graces: Graces::both(Duration::from_millis(5)),
            wall_time: None,
            inactivity: Some(Duration::from_secs(900)),
            record: None,
        }
    }

    #[test]
    fn an_order_is_read_as_it_was_written() {
        let orders = [
            Order::Agent(Box::new(terms())),
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
    fn a_notice_is_read_as_it_was_written() {
        let exits = [
            AgentExit::Exited(3),
            AgentExit::NotRun("no\nsuch".to_owned()),
            AgentExit::TimedOut(Limit::Inactivity),
            AgentExit::DeadlinePassed,
        ];
        let ends = exits.map(|exit| Notice::Ended(Box::new(AgentEnd::silent(exit))));
        let numbers =
            Notice::Numbers(RunNumbers { turns: 3, last_line: "a\nb".to_owned(), ..RunNumbers::default() });
        for notice in ends.into_iter().chain([Notice::Group(5), Notice::Going, numbers]) {
            let line = notice.line();
            assert_eq!((line.matches('\n').count(), Notice::read(&line)), (1, Some(notice)));
        }
    }

    #[test]
    fn what_is_neither_is_no_order_and_no_notice() {
        for line in ["", "12", "{\"until\":{}}", "{\"burn\":1}"] {
            assert_eq!((Order::read(line), Notice::read(line)), (None, None), "{line}");
        }
    }

    #[test]
    fn a_variable_of_the_supervisor_takes_the_place_of_another() {
        let mut terms = terms();
        terms.set_variables(vec![("A", "1".to_owned()), ("B", "2".to_owned())]);
        let env = terms.command.place.unwrap().env;
        assert_eq!(env, [("A".into(), "1".into()), (OsString::from("B"), OsString::from("2"))]);
    }
}
