//! The signals that end an engine: the first lets it give everything back, the second ends it at once.

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;

use crate::command_error::CommandError;

/// What is said by an engine that did not give its work back.
pub(crate) const LEFT_AT_ONCE: &str =
    "left at once: supervisors end the agents, and the runs go on when the worker's lease is over";

/// The signals that end an engine.
pub(crate) struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    pub(crate) fn listen() -> Result<Self, CommandError> {
        let listen = |kind| signal(kind).map_err(|error| CommandError::out_of_reach(&error));
        Ok(Self { interrupt: listen(SignalKind::interrupt())?, terminate: listen(SignalKind::terminate())? })
    }

    /// Passes the first signal on, and returns after the second.
    pub(crate) async fn told_twice(&mut self, first: oneshot::Sender<()>) {
        self.next().await;
        eprintln!(
            "stopping: agents are asked to stop, and their runs given back; once more to leave at once"
        );
        let _ = first.send(());
        self.next().await;
    }

    /// Waits for the next signal.
    pub(crate) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

/// Runs something that ends in good order when it is told to, and is left at once when it is told again.
pub(crate) async fn until_told<F>(
    mut signals: Signals,
    run: impl FnOnce(Told) -> F,
) -> Result<(), CommandError>
where
    F: Future<Output = Result<(), CommandError>>,
{
    let (sender, receiver) = oneshot::channel();
    tokio::select! {
        done = run(Told(receiver)) => done,
        () = signals.told_twice(sender) => Err(CommandError::No(LEFT_AT_ONCE.to_owned())),
    }
}

/// Ready when the first signal has come.
pub(crate) struct Told(oneshot::Receiver<()>);

impl Told {
    /// Waits for it.
    pub(crate) async fn wait(self) {
        // A sender that is gone has said nothing.
        if self.0.await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
