//! An agent that was launched, as its engine sees it.
//!
//! The engine only tells its supervisor: how long the agent may run, and to stop it. It signals the group itself only
//! when the supervisor is gone or does not answer.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use baton_core::agent::{AgentExit, RunNumbers};
use baton_core::time::BootTime;
use baton_ports::Clock;
use rustix::process::{Pid, Signal, kill_process};
use tokio::net::unix::pipe;
use tokio::process::Child;
use tokio::sync::{OnceCell, watch};

use crate::launch::{Notices, Started};
use crate::supervisor::group::Group;
use crate::wire::{AgentEnd, Notice, Order, StopHow};

/// How long after the deadline a supervisor is waited for. The agent is dead by then, or its supervisor stands still.
const SILENCE_MAX: Duration = Duration::from_secs(5);

/// How long a killed group is watched. It is dead at once; only its end may not have been noted yet.
const VANISH_WITHIN: Duration = Duration::from_secs(1);
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// An agent that was launched. Dropping it ends the agent: SIGTERM, and SIGKILL after the grace time.
#[derive(Debug)]
pub struct AgentProcess<C> {
    control: pipe::Sender,
    supervisor: Option<Pid>,
    group: Group,
    deadline_ms: AtomicU64,
    told: watch::Receiver<Told>,
    given_up: OnceCell<AgentEnd>,
    clock: C,
}

/// What the supervisor has told so far.
#[derive(Debug, Default)]
struct Told {
    numbers: RunNumbers,
    end: Option<AgentEnd>,
}

impl<C: Clock> AgentProcess<C> {
    pub(crate) fn new(started: Started, deadline: BootTime, clock: C) -> Self {
        let Started { supervisor, control, notices, group } = started;
        let pid = supervisor.id().and_then(|pid| i32::try_from(pid).ok()).and_then(Pid::from_raw);
        let (sender, told) = watch::channel(Told::default());
        tokio::spawn(listen(supervisor, notices, sender));
        let (deadline_ms, given_up) = (AtomicU64::new(deadline.ms), OnceCell::new());
        Self { control, supervisor: pid, group, deadline_ms, told, given_up, clock }
    }

    /// Lets the agent run until another deadline. It never waits; if it cannot be told, the old deadline stays.
    pub fn extend(&self, deadline: BootTime) {
        if self.tell(&Order::until(deadline)) {
            self.deadline_ms.store(deadline.ms, Ordering::Release);
        }
    }

    /// Has the agent stopped; [`Self::wait`] tells when it is. A second call can only hasten the first.
    pub fn stop(&self, how: StopHow) {
        self.tell(&Order::Stop(how));
    }

    /// Returns the process group of the agent, which is the number of its first process.
    pub fn group(&self) -> i32 {
        self.group.0.as_raw_nonzero().get()
    }

    /// Returns how much the agent has printed, as of half a second ago.
    pub fn output_bytes(&self) -> u64 {
        self.told.borrow().numbers.output_bytes
    }

    /// Returns how far the agent is, as of half a second ago.
    pub fn numbers(&self) -> RunNumbers {
        self.told.borrow().numbers.clone()
    }

    /// Waits until the agent is over and its group is gone. It can be given up and asked again.
    pub async fn wait(&self) -> AgentEnd {
        loop {
            let deadline = self.deadline();
            tokio::select! {
                end = self.told_end() => match end {
                    Some(end) => return end,
                    None => return self.without_supervisor().await,
                },
                () = self.clock.sleep_until(deadline.plus(SILENCE_MAX)) => {
                    if self.deadline() == deadline {
                        return self.without_supervisor().await;
                    }
                }
            }
        }
    }

    fn deadline(&self) -> BootTime {
        BootTime { ms: self.deadline_ms.load(Ordering::Acquire) }
    }

    fn tell(&self, order: &Order) -> bool {
        // A line is short enough to be written whole or not at all. A supervisor that is gone is noticed elsewhere.
        self.control.try_write(order.line().as_bytes()).is_ok()
    }

    /// Returns how the agent ended, or nothing if the supervisor was gone before it could tell.
    async fn told_end(&self) -> Option<AgentEnd> {
        let mut told = self.told.clone();
        told.wait_for(|told| told.end.is_some()).await.ok().and_then(|told| told.end.clone())
    }

    /// Ends what the supervisor did not end, once: later the number of the group may be another's.
    async fn without_supervisor(&self) -> AgentEnd {
        let kill = async {
            self.group.stop(StopHow::Kill);
            // It is reaped when its end has been heard, so the number is still its own while it has not been.
            if let Some(supervisor) = self.supervisor.filter(|_| self.told.has_changed().is_ok()) {
                let _ = kill_process(supervisor, Signal::KILL);
            }
            let until = self.clock.boot_now().plus(VANISH_WITHIN);
            while self.group.is_alive() && self.clock.boot_now() < until {
                self.clock.sleep_until(self.clock.boot_now().plus(LOOK_EVERY)).await;
            }
            let output_bytes = self.output_bytes();
            AgentEnd { output_bytes, ..AgentEnd::silent(AgentExit::SupervisorLost) }
        };
        self.given_up.get_or_init(|| kill).await.clone()
    }
}

/// Hears what the supervisor tells until it is gone.
async fn listen(mut supervisor: Child, mut notices: Notices, told: watch::Sender<Told>) {
    while let Ok(Some(line)) = notices.next_line().await {
        match Notice::read(&line) {
            Some(Notice::Numbers(numbers)) => told.send_modify(|told| told.numbers = numbers),
            Some(Notice::Ended(end)) => told.send_modify(|told| {
                told.numbers.output_bytes = end.output_bytes;
                told.end = Some(*end);
            }),
            Some(Notice::Group(_) | Notice::Going) | None => {}
        }
    }
    drop(told);
    let _ = supervisor.wait().await;
}
