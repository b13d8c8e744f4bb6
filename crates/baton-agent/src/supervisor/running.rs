//! A command that runs: signals in time, and nothing left of it when it is over.

use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::sync::mpsc::{Receiver, Sender};
use std::time::Duration;

use baton_core::agent::AgentExit;
use baton_core::time::BootTime;
use baton_ports::Clock;
use rustix::process::{WaitId, WaitIdOptions, WaitOptions, WaitStatus, waitid, waitpid};

use super::events::Event;
use super::group::Group;
use super::guarded::EXIT_NOT_RUN;
use super::leash::{Leash, Reason};
use super::log::Stream;
use super::output::Output;
use super::progress::Progress;
use super::recorder::Recorder;
use super::second_watch::SecondWatch;
use super::start::News;
use super::supervise::Supervised;
use super::{LOOK_EVERY, orphans};
use crate::wire::{AgentEnd, Order, StopHow};

/// How long the supervisor goes on killing what an agent has left behind. Who is not dead by then waits for a disk.
const SWEEP_WITHIN: Duration = Duration::from_secs(2);

/// A command that runs.
#[derive(Debug)]
pub(super) struct Running<'a, C> {
    pub(super) group: Group,
    pub(super) leash: Leash,
    pub(super) second_watch: SecondWatch,
    pub(super) sender: Sender<Event>,
    pub(super) events: Receiver<Event>,
    /// What an agent prints; a held command prints where its holder does.
    pub(super) output: Option<Output>,
    pub(super) recorder: Option<Recorder>,
    pub(super) news: News,
    pub(super) progress: Progress,
    pub(super) clock: &'a C,
}

impl<C: Clock> Running<'_, C> {
    /// Watches it until it has ended and its group is gone.
    pub(super) fn until_over(mut self) -> io::Result<Supervised> {
        let status = loop {
            if let Some(status) = self.swept_end()? {
                break ExitStatus::from_raw(status.as_raw());
            }
            self.listen();
            let now = self.clock.boot_now();
            let last_output = self.output.as_ref().map_or(now, Output::last_at);
            if let Some(how) = self.leash.due(now, last_output) {
                self.group.stop(how);
            }
            self.tell(now);
        };
        self.second_watch.end();
        self.progress.end();
        // The agent has the same pipe, so its word counts only with the code of whoever could not become it.
        let why_not_run = self.news.why_not_run().filter(|_| status.code() == Some(i32::from(EXIT_NOT_RUN)));
        let exit = exit(self.leash.reason(), status, why_not_run);
        let mut end = end(exit, self.output.as_ref());
        if let Some(recorder) = &mut self.recorder {
            recorder.finish(self.clock.wall_now().0, end.exit.clone(), &end.report);
            end.record_trouble = recorder.trouble.take();
        }
        Ok(Supervised { end, status })
    }

    /// Tells how far the agent is, and notes its session. However often it tells another one, that takes its time.
    fn tell(&mut self, now: BootTime) {
        let Some(output) = self.output.as_ref().filter(|_| self.progress.is_due(now)) else { return };
        let (numbers, session) = output.look(self.recorder.as_ref().and_then(Recorder::session));
        self.progress.tell(numbers, now);
        if let (Some(recorder), Some(session)) = (&mut self.recorder, session) {
            recorder.hear_session(&session);
        }
    }

    /// Waits for news until the next look, and takes all that there is.
    fn listen(&mut self) {
        let mut next = self.events.recv_timeout(LOOK_EVERY).ok();
        while let Some(event) = next {
            self.hear(event);
            next = self.events.try_recv().ok();
        }
    }

    fn hear(&mut self, event: Event) {
        match event {
            Event::Order(Order::Until { boot_ms }) => {
                self.leash.deadline = BootTime { ms: boot_ms };
                // A second watch that is gone is not needed while this one is there.
                let _ = self.second_watch.tell(self.leash.deadline);
            }
            Event::Order(Order::Stop(how)) => self.leash.end(Reason::Asked, how, self.clock.boot_now()),
            Event::Abandoned => {
                self.leash.end(Reason::Abandoned, StopHow::Terminate, self.clock.boot_now());
            }
            // These only end the wait.
            Event::FirstOutput | Event::Ended | Event::Order(Order::Agent(_) | Order::Prompt { .. }) => {}
        }
    }

    /// Returns how the first process ended, if it has, when nothing of its group is left.
    fn swept_end(&self) -> io::Result<Option<WaitStatus>> {
        let leader = self.group.0;
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let is_over = waitid(WaitId::Pid(leader), look)?.is_some();
        // The number of a group stays taken while its leader has not been reaped, so nobody else can be hit.
        let status = if is_over {
            self.group.stop(StopHow::Kill);
            waitpid(Some(leader), WaitOptions::empty())?.map(|(_, status)| status)
        } else {
            orphans::reap(leader)
        };
        if status.is_some() {
            self.group.stop(StopHow::Kill);
            self.sweep();
        }
        Ok(status)
    }

    /// What an agent has left behind must not outlive the lease either.
    fn sweep(&self) {
        if self.output.is_none() {
            return;
        }
        let until = self.clock.boot_now().plus(SWEEP_WITHIN);
        let spared = [self.second_watch.pid];
        while orphans::kill_but(&spared) && self.clock.boot_now() < until {
            orphans::reap(self.group.0);
            std::thread::sleep(LOOK_EVERY / 10);
        }
    }
}

fn exit(reason: Option<Reason>, status: ExitStatus, why_not_run: Option<String>) -> AgentExit {
    match (why_not_run, reason, status.code()) {
        (Some(why), ..) => AgentExit::NotRun(why),
        (None, Some(reason), _) => reason.exit(),
        (None, None, Some(code)) => AgentExit::Exited(code),
        (None, None, None) => AgentExit::Signalled(status.signal().unwrap_or(0)),
    }
}

fn end(exit: AgentExit, output: Option<&Output>) -> AgentEnd {
    let Some(output) = output else { return AgentEnd::silent(exit) };
    output.drain();
    let (report, passed_over_lines) = output.report();
    let log = output.log();
    AgentEnd {
        exit,
        report,
        last_line: log.last_line(Stream::Output),
        last_error: log.last_line(Stream::Error),
        output_bytes: output.bytes(),
        passed_over_lines,
        log_trouble: log.trouble.clone(),
        record_trouble: None,
    }
}

#[cfg(test)]
mod tests {
    use baton_core::agent::Limit;

    use super::*;

    #[test]
    fn an_end_is_told_by_its_first_cause() {
        let (exited, killed) = (ExitStatus::from_raw(3 << 8), ExitStatus::from_raw(9));
        let rows = [
            (None, exited, None, AgentExit::Exited(3)),
            (None, killed, None, AgentExit::Signalled(9)),
            (Some(Reason::Asked), exited, None, AgentExit::Stopped),
            (Some(Reason::Deadline), killed, None, AgentExit::DeadlinePassed),
            (Some(Reason::Limit(Limit::WallTime)), killed, None, AgentExit::TimedOut(Limit::WallTime)),
            (Some(Reason::Asked), exited, Some("why"), AgentExit::NotRun("why".to_owned())),
        ];
        for (reason, status, why, expected) in rows {
            assert_eq!(exit(reason, status, why.map(str::to_owned)), expected);
        }
    }
}
