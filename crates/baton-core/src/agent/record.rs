//! What a machine keeps of the last run of an agent for an item: whom to look for if the run was never seen to end, and the
//! session that the next run may go on with.
//!
//! Deliberately absent: files and processes. A record is written by the supervisor of the agent, and read by an engine.

use serde::{Deserialize, Serialize};

use super::{AgentExit, KeptSession};
use crate::agent_lines::{AgentError, Report, Scope};
use crate::slot::{AgentKey, ItemKey, RunId};

/// The last run of one agent in one stage of one item on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentRecord {
    /// What was worked on.
    #[serde(with = "as_text")]
    pub item: ItemKey,
    /// By whom.
    pub agent: AgentKey,
    /// In which stage, if it was for one.
    pub stage: Option<String>,
    /// In which run.
    pub run: RunId,
    /// The value of a variable that everything it starts inherits, and nothing else on this machine has.
    pub mark: String,
    /// Its program.
    pub program: String,
    /// Its supervisor.
    pub supervisor: RecordedProcess,
    /// Its first process, which leads its process group.
    pub leader: RecordedProcess,
    /// When it was started, in seconds since 1970.
    pub started_at: i64,
    /// How it ended; nothing while it runs, or when nobody saw its end.
    pub end: Option<RecordedEnd>,
    /// The session that it has left.
    pub session: Option<KeptSession>,
}

/// A process that cannot be taken for a later one of the same number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedProcess {
    /// Its number.
    pub pid: i32,
    /// When it was started, in whatever words this system has for that.
    pub born: String,
}

/// The end of a run that somebody saw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedEnd {
    /// When, in seconds since 1970.
    pub at: i64,
    /// How.
    pub exit: AgentExit,
}

impl AgentRecord {
    /// Notes the session that the agent works in. One that is known already keeps its sums.
    pub fn hear_session(&mut self, id: &str) {
        if self.session.as_ref().is_none_or(|session| session.id != id) {
            self.session = Some(KeptSession { id: id.to_owned(), ..KeptSession::default() });
        }
    }

    /// Notes the end, and what the session has come to.
    pub fn finish(&mut self, end: RecordedEnd, report: &Report) {
        self.end = Some(end);
        if let Some(id) = report.session.as_deref().filter(|_| !is_unknown(report)) {
            self.hear_session(id);
            self.session.iter_mut().for_each(|session| add_up(session, report));
        }
    }
}

/// The id of a session that the program does not know is no session to keep.
fn is_unknown(report: &Report) -> bool {
    report.error == Some(AgentError::SessionUnknown)
}

fn add_up(session: &mut KeptSession, report: &Report) {
    let (read, written) = (report.usage.input, report.usage.output);
    match report.usage_scope {
        Scope::Run => {
            session.input_tokens = session.input_tokens.saturating_add(read);
            session.output_tokens = session.output_tokens.saturating_add(written);
        }
        Scope::Session => (session.input_tokens, session.output_tokens) = (read, written),
    }
    session.cost_micros = report.cost_micros.unwrap_or(session.cost_micros);
}

/// The key of an item as it is written everywhere else.
mod as_text {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    use crate::slot::ItemKey;

    pub(super) fn serialize<S: Serializer>(item: &ItemKey, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(item)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ItemKey, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent_lines::Usage;

    fn record() -> AgentRecord {
        let process = |pid| RecordedProcess { pid, born: "7".to_owned() };
        AgentRecord {
            item: "o/r#7".parse().unwrap(),
            agent: AgentKey("vera".to_owned()),
            stage: Some("Plan".to_owned()),
            run: RunId(3),
            mark: "9.9".to_owned(),
            program: "claude".to_owned(),
            supervisor: process(10),
            leader: process(11),
            started_at: 1,
            end: None,
            session: None,
        }
    }

    fn report(session: &str, scope: Scope, tokens: u64, cost_micros: Option<u64>) -> Report {
        let usage = Usage { input: tokens, output: tokens / 2, cached: 0 };
        Report {
            session: Some(session.to_owned()),
            usage,
            usage_scope: scope,
            cost_micros,
            ..Report::default()
        }
    }

    fn end() -> RecordedEnd {
        RecordedEnd { at: 5, exit: AgentExit::Exited(0) }
    }

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let mut record = record();
        record.hear_session("s");
        record.finish(end(), &report("s", Scope::Run, 10, Some(3)));
        let text = serde_json::to_string(&record).unwrap();
        assert!(text.contains(r#""item":"o/r#7""#), "{text}");
        assert_eq!(serde_json::from_str::<AgentRecord>(&text).unwrap(), record);
    }

    #[test]
    fn a_session_that_goes_on_keeps_its_sums_and_a_new_one_begins_at_nothing() {
        let mut record = record();
        record.finish(end(), &report("s", Scope::Run, 10, Some(3)));
        record.session.as_mut().unwrap().failed_resumes = 2;
        let kept = record.session.clone();
        record.hear_session("s");
        assert_eq!(record.session, kept);
        record.hear_session("t");
        assert_eq!(record.session, Some(KeptSession { id: "t".to_owned(), ..KeptSession::default() }));
    }

    #[test]
    fn tokens_of_a_run_are_added_and_sums_of_a_session_are_taken() {
        let sums = |scope| {
            let mut record = record();
            for _ in 0..2 {
                record.finish(end(), &report("s", scope, 10, Some(3)));
            }
            let session = record.session.unwrap();
            (session.input_tokens, session.output_tokens, session.cost_micros)
        };
        assert_eq!(sums(Scope::Run), (20, 10, 3));
        assert_eq!(sums(Scope::Session), (10, 5, 3));
    }

    #[test]
    fn a_session_that_the_program_does_not_know_is_not_kept() {
        let mut record = record();
        let unknown = Report { error: Some(AgentError::SessionUnknown), ..report("s", Scope::Run, 1, None) };
        record.finish(end(), &unknown);
        assert_eq!(record.session, None);
    }
}
