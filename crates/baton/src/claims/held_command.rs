//! Holding an issue around a command: renewed while it runs, stopped when the lease is lost, handed back with its
//! outcome.
//!
//! The command runs under a guard, a process of its own that knows the deadline. The guard ends the command's process
//! group when the deadline comes or when this process dies, so that neither a kill nor a stop of this process leaves an
//! agent at work without a lease.

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::process::ExitStatus;
use std::time::Duration;

use baton_agent::supervisor::EXIT_NOT_RUN;
use baton_agent::{HeldEnd, HeldLaunch, HeldProcess};
use baton_claims::FoundLease;
use baton_core::claim::Lease;
use baton_core::claim::command_end::{CommandEnd, Ending, Errand};
use baton_core::claim::handback::Handover;
use baton_core::labels::dialect::Dialect;
use baton_core::tracker::IssueKey;
use baton_engine::claims::{KeepEnd, Kept};
use baton_ports::Clock as _;
use tokio::signal::unix::{SignalKind, signal};

use super::context::Context;
use super::guard::exit_code;
use super::release::hand_back;
use crate::command_error::CommandError;

/// The longest that a command gets between being asked to stop and being killed.
const KILL_GRACE_MAX: Duration = Duration::from_secs(10);

/// A command and the issue that it is for.
pub(super) struct HeldCommand<'a> {
    pub(super) context: &'a Context,
    pub(super) issue: &'a IssueKey,
    pub(super) label: Option<&'a str>,
    pub(super) to: Option<&'a str>,
    pub(super) command: &'a [OsString],
}

/// Why a command ended.
enum End {
    Exited(ExitStatus),
    Cancelled,
    /// There is no such program.
    NotRun,
}

impl HeldCommand<'_> {
    pub(super) fn run(&self, lease: Lease) -> Result<(), CommandError> {
        let (kept, end) = self.context.block_on(self.supervise(lease))?;
        match kept.end {
            KeepEnd::Lost { to, why } => {
                self.context.fleet.leases.forget(self.issue, kept.lease.nonce)?;
                let holder = to.map(|to| format!("; {to} has it now")).unwrap_or_default();
                Err(CommandError::No(format!(
                    "the lease on {} was lost, so the command was stopped and nothing more was written: {why}{holder}",
                    self.issue
                )))
            }
            KeepEnd::Stopped => self.hand_over(kept.lease, &end),
        }
    }

    async fn supervise(&self, lease: Lease) -> Result<(Kept, End), CommandError> {
        let grace = kill_grace(&lease);
        // A claimant that was stopped after it won may go on when others have taken over.
        if lease.is_over(self.context.fleet.claims.clock.boot_now().plus(grace)) {
            let why = "its deadline had come before the command could be started".to_owned();
            return Ok((Kept { lease, end: KeepEnd::Lost { to: None, why } }, End::Cancelled));
        }
        let mut held = self.start(&lease, grace)?;
        let mut reins = held.reins().map_err(|error| reach("the guard", &error))?;
        let (mut interrupted, mut terminated) =
            (handler(SignalKind::interrupt())?, handler(SignalKind::terminate())?);
        let mut end = End::Cancelled;
        let work = async {
            tokio::select! {
                status = held.wait() => {
                    if let Ok(status) = status {
                        end = End::Exited(status);
                    }
                }
                _ = interrupted.recv() => {}
                _ = terminated.recv() => {}
            }
        };
        // The labels that renewals put right are those of the dialect in which the issue was taken.
        let fleet = self.context.fleet.in_dialect(self.context.fleet.claims.dialect_for(self.label));
        let leases = &fleet.leases;
        let kept = fleet
            .claims
            .keep(self.issue, lease, grace, work, |lease| {
                reins.extend(lease.deadline);
                if let Err(error) = leases.keep(self.issue, lease, self.label) {
                    eprintln!("warning: the lease could not be kept on disk: {error}");
                }
            })
            .await;
        drop(reins);
        if held.stop(2 * grace).await == HeldEnd::NotRun {
            end = End::NotRun;
        }
        Ok((kept, end))
    }

    fn start(&self, lease: &Lease, kill_grace: Duration) -> Result<HeldProcess, CommandError> {
        let supervisor = std::env::current_exe().map_err(|error| reach("baton itself", &error))?;
        let launch = HeldLaunch {
            supervisor,
            argv: self.command,
            env: self.environment(lease),
            // A command in the background may not read a terminal; it would be stopped for trying.
            has_stdin: !std::io::stdin().is_terminal(),
            deadline: lease.deadline,
            kill_grace,
        };
        HeldProcess::start(launch).map_err(|error| reach("the guard", &error))
    }

    /// What the command can know about its hold; the pre-push hook recognises the holder by it.
    fn environment(&self, lease: &Lease) -> Vec<(&'static str, String)> {
        let mut variables = vec![
            ("BATON_ISSUE", self.issue.to_string()),
            ("BATON_ISSUE_NUMBER", self.issue.number.to_string()),
            ("BATON_REPO", self.issue.repo.to_string()),
            ("BATON_CODENAME", lease.holder.codename.to_string()),
            ("BATON_FIRING_ID", lease.holder.firing_id.to_string()),
            ("BATON_STATE_DIR", self.context.fleet.state_dir().display().to_string()),
        ];
        variables.extend(lease.epoch.map(|epoch| ("BATON_EPOCH", epoch.to_string())));
        variables
    }

    fn hand_over(&self, lease: Lease, end: &End) -> Result<(), CommandError> {
        let dialect = self.context.fleet.claims.dialect_for(self.label);
        let (handover, closes) = self.handover(dialect, end);
        let (outcome, to) = (handover.outcome.clone(), handover.to.clone());
        let found = FoundLease { lease, label: self.label.map(str::to_owned) };
        hand_back(self.context, self.issue, found, dialect, handover)?;
        if closes {
            self.context.block_on(self.close())?;
        }
        let place = to.map_or_else(|| "closed".to_owned(), |to| format!("to {to}"));
        eprintln!("{} handed back as {outcome}, {place}", self.issue);
        match end {
            End::Exited(status) if status.success() => Ok(()),
            End::Exited(status) => Err(CommandError::SaidWith(exit_code(*status))),
            End::Cancelled => Err(CommandError::SaidWith(std::process::ExitCode::from(130))),
            End::NotRun => Err(CommandError::SaidWith(std::process::ExitCode::from(EXIT_NOT_RUN))),
        }
    }

    async fn close(&self) -> Result<(), CommandError> {
        use baton_ports::Tracker as _;
        let closed = self.context.fleet.claims.tracker.close_issue(self.issue).await;
        closed.map_err(|error| CommandError::out_of_reach(&error))
    }

    /// How it went and where the issue goes; and whether it is closed, because its last stage is over.
    fn handover(&self, dialect: Dialect, end: &End) -> (Handover, bool) {
        let errand = Errand { dialect, label: self.label, to: self.to };
        match errand.ending(end.into()) {
            Ending::HandBack(handover) => (handover, false),
            Ending::Close(handover) => (handover, true),
            Ending::AskForPull => {
                let pull = self.context.block_on(self.context.fleet.claims.open_pull_for(self.issue));
                let url = pull.map(|pull| pull.map(|pull| pull.url)).map_err(|error| {
                    eprintln!("warning: whether a pull request came of it is not known: {error}");
                });
                (errand.with_pull(url), false)
            }
        }
    }
}

impl From<&End> for CommandEnd {
    fn from(end: &End) -> Self {
        match end {
            End::Exited(status) => status.code().map_or(Self::Signalled, Self::Exited),
            End::Cancelled => Self::Cancelled,
            End::NotRun => Self::NotRun,
        }
    }
}

fn kill_grace(lease: &Lease) -> Duration {
    (lease.deadline.since(lease.sent_at) / 5).min(KILL_GRACE_MAX)
}

fn handler(kind: SignalKind) -> Result<tokio::signal::unix::Signal, CommandError> {
    signal(kind).map_err(|error| reach("a signal handler", &error))
}

fn reach(what: &str, error: &dyn std::fmt::Display) -> CommandError {
    CommandError::OutOfReach(format!("{what}: {error}"))
}
