//! Telling the engine how far an agent is, without ever waiting for the engine.

use std::fs::File;
use std::io::{self, Write as _};
use std::sync::mpsc::{self, SyncSender};
use std::thread::JoinHandle;
use std::time::Duration;

use baton_core::time::BootTime;

use crate::wire::Report;

const TELL_EVERY: Duration = Duration::from_millis(500);

/// The amount of output, told now and then.
#[derive(Debug)]
pub(super) struct Progress {
    sender: SyncSender<Report>,
    teller: JoinHandle<()>,
    told: u64,
    next_at: BootTime,
}

impl Progress {
    pub(super) fn start(status: &File, now: BootTime) -> io::Result<Self> {
        let mut status = status.try_clone()?;
        let (sender, reports) = mpsc::sync_channel::<Report>(1);
        // An engine that stands still does not read, and then only this thread waits for it.
        let teller = std::thread::spawn(move || {
            for report in reports {
                if status.write_all(report.line().as_bytes()).is_err() {
                    return;
                }
            }
        });
        Ok(Self { sender, teller, told: 0, next_at: now })
    }

    pub(super) fn tell(&mut self, output_bytes: u64, now: BootTime) {
        if output_bytes != self.told && now >= self.next_at {
            self.next_at = now.plus(TELL_EVERY);
            if self.sender.try_send(Report::Output(output_bytes)).is_ok() {
                self.told = output_bytes;
            }
        }
    }

    /// Waits until everything is told, so that nothing comes after the last report.
    pub(super) fn end(self) {
        drop(self.sender);
        let _ = self.teller.join();
    }
}
