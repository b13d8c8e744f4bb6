//! `baton logs`: what the agent of a run has printed, as far as it is on this machine.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::time::Duration;

use baton_core::slot::{RunId, RunStatus};
use baton_ports::store::RunRow;
use clap::Args;

use super::context::{Flow, StoreArguments, host_name};
use super::log_file;
use crate::command_error::CommandError;

/// How often a log that is followed is looked at again.
const LOOK_EVERY: Duration = Duration::from_millis(200);
const CHUNK_BYTES: usize = 64 * 1024;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton logs 17     what there is
  baton logs 17 -f  until the run is over

Exit codes:
  0  printed
  1  there is no such run, or it has no log here
  3  the store or the log cannot be read")]
pub(crate) struct Logs {
    /// The run's number, as `baton runs` shows it.
    #[arg(value_name = "RUN")]
    run: RunId,
    /// Go on printing until the run is over.
    #[arg(short, long)]
    follow: bool,
    #[command(flatten)]
    store: StoreArguments,
}

/// Whether anybody reads on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reader {
    Here,
    Gone,
}

impl Logs {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let no_run = || CommandError::No(format!("there is no run {}; `baton runs` lists them", self.run));
        let flow = self.store.read()?.open_if_there()?.ok_or_else(no_run)?;
        let path = log_file::path(&flow.desk.log_dir(), self.run);
        let row = flow.block_on(flow.run_row(self.run))?.ok_or_else(no_run)?;
        if self.follow {
            return flow.block_on(self.follow(&flow, &path, row));
        }
        match open(&path)? {
            Some(mut file) => print(&mut file, &path).map(|_| ()),
            None => Err(CommandError::No(without_log(&row, &path))),
        }
    }

    /// Prints what there is until the run is over and its log was read to the end.
    async fn follow(&self, flow: &Flow, path: &Path, mut row: RunRow) -> Result<(), CommandError> {
        let mut file: Option<File> = None;
        loop {
            if file.is_none() {
                file = open(path)?;
            }
            let is_over = !row.run.status.is_active();
            let reader = file.as_mut().map(|file| print(file, path)).transpose()?;
            match reader {
                Some(Reader::Gone) => return Ok(()),
                Some(Reader::Here) if is_over => return Ok(()),
                None if is_over || is_elsewhere(&row) => {
                    return Err(CommandError::No(without_log(&row, path)));
                }
                Some(Reader::Here) | None => {}
            }
            tokio::time::sleep(LOOK_EVERY).await;
            // The status is read before the file: what a run that is over has printed is in it by then.
            row = flow.run_row(self.run).await?.unwrap_or(row);
        }
    }
}

fn open(path: &Path) -> Result<Option<File>, CommandError> {
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(path, &error)),
    }
}

/// Prints what is left of the file.
fn print(file: &mut File, path: &Path) -> Result<Reader, CommandError> {
    let mut chunk = vec![0; CHUNK_BYTES];
    let mut stdout = io::stdout().lock();
    loop {
        let bytes = file.read(&mut chunk).map_err(|error| unreadable(path, &error))?;
        let printed = stdout.write_all(&chunk[..bytes]).and_then(|()| stdout.flush());
        match (printed, bytes) {
            (Err(_), _) => return Ok(Reader::Gone),
            (Ok(()), 0) => return Ok(Reader::Here),
            (Ok(()), _) => {}
        }
    }
}

fn unreadable(path: &Path, error: &io::Error) -> CommandError {
    CommandError::OutOfReach(format!("cannot read the log {}: {error}", path.display()))
}

fn is_elsewhere(row: &RunRow) -> bool {
    row.host.as_ref().is_some_and(|host| *host != host_name())
}

/// Says why there is nothing to print.
fn without_log(row: &RunRow, path: &Path) -> String {
    let (run, status) = (row.run.id, row.run.status);
    match (&row.host, status) {
        (Some(host), _) if is_elsewhere(row) => {
            format!("the log of run {run} is on {host}, where it was executed: run `baton logs {run}` there")
        }
        (_, RunStatus::Queued | RunStatus::ScheduledRetry) => {
            format!("run {run} has no log yet: it is {status}; `baton logs {run} -f` waits for it")
        }
        (_, RunStatus::Running) => {
            format!("run {run} has no log yet in {}; `baton logs {run} -f` waits for it", path.display())
        }
        (None, _) => format!("run {run} has no log: it was {status} before it started"),
        (Some(_), _) => {
            format!("run {run} has no log in {}: it was removed, or `log_dir` was another", path.display())
        }
    }
}
