//! `baton forge serve`.

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;

use baton_forge::admin::{Admin, FIRST_ADMIN};
use baton_forge::{Forge, ForgeConfig, Knobs};
use clap::Args;
use tokio::signal::unix::{SignalKind, signal};

use super::{DataArgument, serve_config};
use crate::command_error::CommandError;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton forge serve                                         on 127.0.0.1:7070; data in .baton/forge
  baton forge serve --listen 127.0.0.1:0 --data /srv/forge  on a free port, which is printed
  baton forge serve --socket forge.sock --config ci.yaml    for gh, and with a local CI

Exit codes:
  0  told to stop
  3  the data or the address cannot be had

The first start prints the administrator's token, unless BATON_FORGE_TOKEN names it.")]
pub(crate) struct Serve {
    /// The address to listen on; port 0 picks a free one.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7070")]
    listen: SocketAddr,
    /// Serve on this unix socket as well, which is how `gh` is pointed at it.
    #[arg(long, value_name = "PATH")]
    socket: Option<PathBuf>,
    /// Append every REST exchange to this file, one JSON object a line.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Allow this many requests per hour and token.
    #[arg(long, value_name = "N")]
    rate_limit: Option<u64>,
    /// Read what its own CI runs on each push from this file.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    data: DataArgument,
}

impl Serve {
    pub(super) fn run(self) -> Result<(), CommandError> {
        let mut knobs = Knobs::default();
        if let Some(limit) = self.rate_limit {
            knobs.rate_limit = limit;
        }
        let ci = match &self.config {
            Some(path) => serve_config::read(path)?,
            None => Vec::new(),
        };
        let config = ForgeConfig {
            data: self.data.data,
            listen: self.listen,
            socket: self.socket,
            record: self.record,
            knobs,
            ci,
        };
        let runtime = tokio::runtime::Runtime::new().map_err(|error| CommandError::out_of_reach(&error))?;
        runtime.block_on(serve(&config))
    }
}

/// Says where it listens. Whoever started this may read the first line only and close the pipe, which must not end
/// the server.
fn announce(url: &str, made: Option<&str>, config: &ForgeConfig) {
    let mut lines = format!("forge listening on {url}\n");
    if let Some(token) = made {
        lines.push_str(&format!("token of {FIRST_ADMIN}: {token}\n"));
    }
    if let Some(socket) = &config.socket {
        lines.push_str(&format!("socket: {}\n", socket.display()));
    }
    let mut stdout = std::io::stdout();
    drop(stdout.write_all(lines.as_bytes()).and_then(|()| stdout.flush()));
}

async fn serve(config: &ForgeConfig) -> Result<(), CommandError> {
    let out_of_reach = |error: std::io::Error| CommandError::out_of_reach(&error);
    let mut interrupt = signal(SignalKind::interrupt()).map_err(out_of_reach)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(out_of_reach)?;
    let forge = Forge::bind(config).await.map_err(|error| CommandError::out_of_reach(&error))?;
    // Only a forge that can serve makes its administrator, whose token is shown this once.
    let secret = std::env::var("BATON_FORGE_TOKEN").ok().filter(|secret| !secret.is_empty());
    let data = config.data.clone();
    let ensured = tokio::task::spawn_blocking(move || Admin::open(&data)?.ensure_admin(secret));
    let made = ensured.await.map_err(|error| CommandError::out_of_reach(&error))??;
    let forge = forge.spawn();
    announce(&forge.url(), made.as_deref(), config);
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    forge.shut_down().await;
    Ok(())
}
