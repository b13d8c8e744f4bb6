//! Telling the engine how far an agent is, without ever waiting for the engine.

use std::fs::File;
use std::io::{self, Write as _};
use std::sync::mpsc::{self, SyncSender};
use std::thread::JoinHandle;
use std::time::Duration;

use baton_core::agent::RunNumbers;
use baton_core::time::BootTime;

use crate::wire::Notice;

const TELL_EVERY: Duration = Duration::from_millis(500);

/// The numbers of an agent, told now and then.
#[derive(Debug)]
pub(super) struct Progress {
    sender: SyncSender<Notice>,
    teller: JoinHandle<()>,
    told: RunNumbers,
    next_at: BootTime,
}

impl Progress {
    pub(super) fn start(status: &File, now: BootTime) -> io::Result<Self> {
        let mut status = status.try_clone()?;
        let (sender, notices) = mpsc::sync_channel::<Notice>(1);
        // An engine that stands still does not read, and then only this thread waits for it.
        let teller = std::thread::spawn(move || {
            for notice in notices {
                if status.write_all(notice.line().as_bytes()).is_err() {
                    return;
                }
            }
        });
        Ok(Self { sender, teller, told: RunNumbers::default(), next_at: now })
    }

    /// Returns whether it is time to tell again.
    pub(super) fn is_due(&self, now: BootTime) -> bool {
        now >= self.next_at
    }

    /// Tells the numbers if they have changed.
    pub(super) fn tell(&mut self, numbers: RunNumbers, now: BootTime) {
        if numbers != self.told {
            self.next_at = now.plus(TELL_EVERY);
            if self.sender.try_send(Notice::Numbers(numbers.clone())).is_ok() {
                self.told = numbers;
            }
        }
    }

    /// Waits until everything is told, so that nothing comes after the last notice.
    pub(super) fn end(self) {
        drop(self.sender);
        let _ = self.teller.join();
    }
}
