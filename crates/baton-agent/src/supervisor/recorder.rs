//! Keeps the record of a run, if one is asked for. A record that cannot be written is told at the end and stops nothing
//! that runs; only the first one must be there, before anything runs.

use std::io;
use std::path::PathBuf;

use baton_core::agent::{AgentExit, AgentRecord, RUN_VARIABLE, RecordedEnd, RecordedProcess};
use baton_core::agent_lines::Report;

use super::group::Group;
use crate::processes;
use crate::records::{self, RecordTerms};
use crate::remains::MARK_VARIABLE;
use crate::wire::AgentTerms;

/// The record of the run that is under way.
#[derive(Debug)]
pub(super) struct Recorder {
    path: PathBuf,
    record: AgentRecord,
    pub(super) trouble: Option<String>,
}

/// By what the supervisor and the waiting process are known, looked up before there is any hurry.
#[derive(Debug)]
pub(super) struct Births {
    supervisor: Option<RecordedProcess>,
    leader: Option<RecordedProcess>,
}

impl Births {
    pub(super) fn of(group: Group) -> Self {
        let own = rustix::process::getpid().as_raw_nonzero().get();
        let leader = group.0.as_raw_nonzero().get();
        Self { supervisor: processes::recorded(own), leader: processes::recorded(leader) }
    }
}

impl Recorder {
    /// Gets the first record of an agent ready, and gives the agent the mark by which its processes are known.
    pub(super) fn new(terms: &mut AgentTerms, births: &Births, started_at: i64) -> io::Result<Option<Self>> {
        let Some(kept) = terms.record.clone() else { return Ok(None) };
        let program = terms.command.argv.first().map(|program| program.to_string_lossy().into_owned());
        let record = first(&kept, program.unwrap_or_default(), births, started_at)?;
        terms.set_variables(vec![(MARK_VARIABLE, record.mark.clone()), (RUN_VARIABLE, kept.run.to_string())]);
        Ok(Some(Self { path: kept.path, record, trouble: None }))
    }

    /// Writes the first record. The session of an earlier run stays in it.
    pub(super) fn begin(&mut self) -> io::Result<()> {
        self.record.session = records::read(&self.path).and_then(|earlier| earlier.session);
        records::write_quickly(&self.path, &self.record)
    }

    /// Returns the session that is on record.
    pub(super) fn session(&self) -> Option<&str> {
        self.record.session.as_ref().map(|session| session.id.as_str())
    }

    pub(super) fn hear_session(&mut self, id: &str) {
        self.record.hear_session(id);
        // Signals must not wait for a disk.
        self.note(records::write_quickly(&self.path, &self.record));
    }

    pub(super) fn finish(&mut self, at: i64, exit: AgentExit, report: &Report) {
        self.record.finish(RecordedEnd { at, exit }, report);
        self.note(records::write(&self.path, &self.record));
    }

    fn note(&mut self, written: io::Result<()>) {
        self.trouble = written.err().map(|error| format!("{}: {error}", self.path.display()));
    }
}

fn first(kept: &RecordTerms, program: String, births: &Births, started_at: i64) -> io::Result<AgentRecord> {
    let supervisor = living(&births.supervisor)?;
    Ok(AgentRecord {
        item: kept.item.parse().map_err(io::Error::other)?,
        agent: kept.agent.clone(),
        stage: kept.stage.clone(),
        run: kept.run,
        // No two supervisors have both in common, and each has one agent. It has no sign that `ps` could divide it at.
        mark: format!("{}.{}", supervisor.pid, supervisor.born.replace(char::is_whitespace, "_")),
        program,
        leader: living(&births.leader)?,
        supervisor,
        started_at,
        end: None,
        session: None,
    })
}

fn living(process: &Option<RecordedProcess>) -> io::Result<RecordedProcess> {
    process
        .clone()
        .ok_or_else(|| io::Error::other("the births of processes cannot be looked up on this system"))
}
