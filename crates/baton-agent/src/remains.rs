//! What a run has left alive although its engine and its supervisor are gone: found and ended.
//!
//! Nobody is ended by a number alone. A process is of a run if it was born when the record says, if it is in the group of a
//! leader that was, or if its environment has the mark of the run. This process and all that it descends from are spared.
//! Deliberately absent: who has left the group *and* cleared the environment; only the directory tells of those.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use baton_core::agent::{AgentExit, AgentRecord, RecordedEnd, RecordedProcess};
use baton_core::slot::ItemKey;
use baton_ports::Clock;
use rustix::process::Signal;

use crate::processes::{self, Seen};
use crate::records;

/// The variable whose value only the processes of one run have.
pub(crate) const MARK_VARIABLE: &str = "BATON_RUN_MARK";

const LOOK_EVERY: Duration = Duration::from_millis(20);
/// How long the dead are waited for after SIGKILL. Who is not gone by then waits for a disk.
const VANISH_WITHIN: Duration = Duration::from_secs(10);

/// What was ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Remains {
    /// Processes that were alive and are gone.
    pub ended: Vec<i32>,
    /// Processes that are still there although they were killed.
    pub left: Vec<i32>,
}

/// Ends what is left of every run of an item whose end nobody has noted, and notes it.
///
/// # Errors
///
/// When the end could not be noted; everything that could be ended was ended all the same.
pub async fn end_unfinished<C: Clock>(
    directory: &Path,
    item: &ItemKey,
    grace: Duration,
    clock: &C,
) -> std::io::Result<Remains> {
    let (mut all, mut noted) = (Remains::default(), Ok(()));
    for (path, record) in records::unfinished(directory, item) {
        let remains = end(&record, grace, clock).await;
        if remains.left.is_empty() {
            noted = noted.and(note(&path, clock));
        }
        all.ended.extend(remains.ended);
        all.left.extend(remains.left);
    }
    noted.map(|()| all)
}

/// Notes an end that nobody saw, unless the supervisor has noted it in the meantime.
fn note<C: Clock>(path: &Path, clock: &C) -> std::io::Result<()> {
    let Some(record) = records::read(path).filter(|record| record.end.is_none()) else { return Ok(()) };
    let end = RecordedEnd { at: clock.wall_now().0, exit: AgentExit::SupervisorLost };
    records::write(path, &AgentRecord { end: Some(end), ..record })
}

/// Ends what is left of a run: SIGTERM, SIGKILL after the grace time, and its supervisor last. Returns when all is gone.
pub async fn end<C: Clock>(record: &AgentRecord, grace: Duration, clock: &C) -> Remains {
    let agent = end_those(|all| of_run(record, all), true, grace, clock).await;
    // A supervisor that has seen the end of its agent notes it and ends too, if it is let.
    let supervisor = |all: &[Seen]| all.iter().filter(|seen| is(seen, &record.supervisor)).cloned().collect();
    let supervisor = end_those(supervisor, false, grace, clock).await;
    let (ended, left) = ([agent.ended, supervisor.ended].concat(), [agent.left, supervisor.left].concat());
    Remains { ended, left }
}

/// Returns the processes whose directory is this one or one below it, but for this process and all that it descends from.
pub fn in_directory(directory: &Path) -> Vec<i32> {
    spared(&processes::all(), of_directory(directory)).into_iter().map(|seen| seen.pid).collect()
}

/// Ends every process whose directory is this one or one below it. Returns when they are gone.
pub async fn end_in_directory<C: Clock>(directory: &Path, grace: Duration, clock: &C) -> Remains {
    end_those(of_directory(directory), true, grace, clock).await
}

fn of_directory(directory: &Path) -> impl Fn(&[Seen]) -> Vec<Seen> + use<> {
    let directory = directory.to_owned();
    move |all| {
        let inside = processes::in_directory(&directory);
        all.iter().filter(|seen| inside.contains(&seen.pid)).cloned().collect()
    }
}

/// Returns who of these belongs to a run.
fn of_run(record: &AgentRecord, all: &[Seen]) -> Vec<Seen> {
    // While its leader lives, a group is what it was.
    let has_leader = all.iter().any(|seen| is(seen, &record.leader));
    let has_mark = |seen: &Seen| {
        !record.mark.is_empty() && processes::has_variable(seen.pid, MARK_VARIABLE, &record.mark)
    };
    let is_member = |seen: &&Seen| (has_leader && seen.group == record.leader.pid) || has_mark(seen);
    all.iter().filter(is_member).cloned().collect()
}

fn is(seen: &Seen, recorded: &RecordedProcess) -> bool {
    seen.pid == recorded.pid && seen.born == recorded.born
}

fn spared(all: &[Seen], find: impl Fn(&[Seen]) -> Vec<Seen>) -> Vec<Seen> {
    let own = processes::own_line(all);
    find(all).into_iter().filter(|seen| seen.pid > 1 && !own.contains(&seen.pid)).collect()
}

async fn end_those<C: Clock>(
    find: impl Fn(&[Seen]) -> Vec<Seen>,
    asks_first: bool,
    grace: Duration,
    clock: &C,
) -> Remains {
    let started = clock.boot_now();
    let (kill_from, until) = (started.plus(grace), started.plus(grace).plus(VANISH_WITHIN));
    let mut met = BTreeSet::new();
    loop {
        let living = spared(&processes::all(), &find);
        let now = clock.boot_now();
        let left: Vec<_> = living.iter().map(|seen| seen.pid).collect();
        if living.is_empty() || now >= until {
            met.retain(|pid| !left.contains(pid));
            return Remains { ended: met.into_iter().collect(), left };
        }
        for seen in &living {
            // SIGTERM is sent once, and SIGKILL at every look, for those that are born while it is sent.
            match met.insert(seen.pid) {
                _ if now >= kill_from => processes::signal(seen, Signal::KILL),
                true if asks_first => {
                    processes::signal(seen, Signal::TERM);
                    // Whoever was stopped must be woken to hear of it.
                    processes::signal(seen, Signal::CONT);
                }
                _ => {}
            }
        }
        clock.sleep_until(now.plus(LOOK_EVERY)).await;
    }
}
