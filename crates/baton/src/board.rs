//! `baton board`: the relay on a terminal, over the HTTP API of a dashboard that an engine serves.
//!
//! It reads no configuration and opens no store, so that it works from any machine that reaches the dashboard.

mod remote;

use std::io::{IsTerminal as _, Write as _};

use baton_tui::{Settings, TuiError};
use baton_view::Lookout as _;
use clap::Args;

use crate::command_error::CommandError;
use crate::flow::dashboard::TOKEN_VARIABLE;
use remote::Remote;

/// Where `baton up` serves the dashboard unless it is told otherwise.
pub(crate) const URL: &str = "http://127.0.0.1:8477";

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton board                                  the dashboard of this machine; `?` lists the keys
  baton board --url https://baton.example.com  another; its token is in BATON_DASHBOARD_TOKEN
  baton board --once --width 120               one frame as plain text, for scripts

Exit codes:
  0  the board was shown
  3  the dashboard cannot be reached

docs/board.md explains the screens.")]
pub(crate) struct Board {
    /// Where the dashboard is.
    #[arg(long, value_name = "URL", default_value = URL)]
    url: String,
    /// Print one frame as plain text and leave.
    #[arg(long)]
    once: bool,
    /// How many cells wide the frame is.
    #[arg(long, value_name = "CELLS", default_value_t = 80, requires = "once", value_parser = clap::value_parser!(u16).range(40..=500))]
    width: u16,
    /// How many cells high the frame is.
    #[arg(long, value_name = "CELLS", default_value_t = 24, requires = "once", value_parser = clap::value_parser!(u16).range(15..=300))]
    height: u16,
}

impl Board {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let is_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
        if !self.once && !is_terminal {
            return Err(CommandError::Usage(
                "`baton board` needs a terminal to draw on and to take keys from; `baton board --once` prints one frame, \
                 and `baton status` prints the issues as a table or as JSON"
                    .to_owned(),
            ));
        }
        let token = std::env::var(TOKEN_VARIABLE).ok().filter(|token| !token.is_empty());
        let remote = Remote::new(&self.url, token.as_deref())?;
        let runtime = tokio::runtime::Runtime::new().map_err(|error| CommandError::out_of_reach(&error))?;
        runtime.block_on(self.show(remote))
    }

    async fn show(&self, remote: Remote) -> Result<(), CommandError> {
        remote
            .board()
            .await
            .map_err(|error| CommandError::OutOfReach(unreached(&self.url, &error.to_string())))?;
        let settings = self.settings();
        if !self.once {
            let shown = baton_tui::run(remote, settings).await;
            return shown.map_err(|error: TuiError| CommandError::out_of_reach(&error));
        }
        let app = baton_tui::look(remote, settings, (self.width, self.height)).await;
        // A reader that has seen enough, such as `head`, is no failure.
        let _ = std::io::stdout().write_all(baton_tui::once(&app).as_bytes());
        match app.board.failure {
            Some(failure) => Err(CommandError::OutOfReach(unreached(&self.url, &failure))),
            None => Ok(()),
        }
    }

    fn settings(&self) -> Settings {
        Settings {
            is_coloured: std::env::var_os("NO_COLOR").is_none_or(|it| it.is_empty()),
            source: self.url.clone(),
            by: std::env::var("USER").unwrap_or_else(|_| "a person".to_owned()),
        }
    }
}

/// What was tried, what came back, and what to do.
fn unreached(url: &str, problem: &str) -> String {
    format!(
        "the board could not be read from the dashboard at {url}: {problem}; `baton up` starts one on this machine, \
         `--url` names another, and {TOKEN_VARIABLE} holds the token of one that asks for it"
    )
}
