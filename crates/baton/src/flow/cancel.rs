//! `baton cancel`: ends a run by an operator's word.

use baton_core::slot::RunId;
use baton_core::slot::steer::Steered;
use baton_ports::Store as _;
use baton_ports::store::RunRow;
use clap::Args;
use serde_json::{Value, json};

use super::context::{Flow, StoreArguments};
use super::words;
use crate::claims::context::answer;
use crate::command_error::CommandError;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton cancel 17               end run 17, and what waits behind it
  baton cancel 17 --keep-queue  let what waits behind it go on

Exit codes:
  0  ended, or its worker was asked to end it
  1  there is no such run, or it was over
  3  the store cannot be reached")]
pub(crate) struct Cancel {
    /// The run's number, as `baton runs` shows it.
    #[arg(value_name = "RUN")]
    run: RunId,
    /// Let what waits behind the run go on.
    #[arg(long)]
    keep_queue: bool,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArguments,
}

/// What became of the run: whether that is a yes, the sentence, and the shape.
type Told = (bool, String, Value);

impl Cancel {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let (is_yes, said, shape) = match self.store.read()?.open_if_there()? {
            Some(flow) => flow.block_on(self.cancel(&flow))?,
            None => self.told("no_such_run", None, format!("there is no run {}", self.run)),
        };
        answer(self.json, is_yes, said, &shape)
    }

    async fn cancel(&self, flow: &Flow) -> Result<Told, CommandError> {
        let run = self.run;
        let steered = flow.relay.cancel(run, self.keep_queue).await?;
        let row = flow.run_row(run).await?;
        let row = row.as_ref();
        Ok(match (steered, row) {
            (Some(Steered::Ended(_)), _) => self.told("ended", row, format!("run {run} is cancelled")),
            (Some(Steered::AskedToStop(_)), Some(found)) => {
                let said = self.asked_to_stop(flow, found).await?;
                self.told("asked_to_stop", row, said)
            }
            (Some(Steered::WasOver(status)), _) => {
                self.told("was_over", row, format!("run {run} was over already: {status}"))
            }
            (Some(Steered::Nothing | Steered::AskedToStop(_)) | None, _) => {
                self.told("no_such_run", row, format!("there is no run {run}; `baton runs` lists them"))
            }
        })
    }

    async fn asked_to_stop(&self, flow: &Flow, row: &RunRow) -> Result<String, CommandError> {
        let (workers, now) = (flow.relay.store.workers().await?, flow.relay.store.now().await?);
        let worker = workers.iter().find(|worker| Some(worker.lease.worker) == row.run.worker);
        let is_live = worker.is_some_and(|worker| worker.lease.is_live(now));
        let heartbeat = flow.desk.config().workers.heartbeat;
        Ok(words::asked_to_stop(self.run, row.host.as_deref(), is_live, heartbeat))
    }

    fn told(&self, outcome: &str, row: Option<&RunRow>, said: String) -> Told {
        let shape = json!({
            "outcome": outcome,
            "run": self.run,
            "status": row.map(|row| row.run.status.as_str()),
            "host": row.and_then(|row| row.host.as_deref()),
        });
        (matches!(outcome, "ended" | "asked_to_stop"), said, shape)
    }
}
