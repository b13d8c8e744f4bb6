//! `baton dash`: opens the dashboard in a browser.

use std::process::{Command, Stdio};

use clap::Args;

use crate::board::URL;
use crate::command_error::CommandError;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton dash                                  the dashboard of `baton up` on this machine
  baton dash --url https://baton.example.com  another one

Exit codes:
  0  the browser was started
  3  no browser could be started; the address is printed")]
pub(crate) struct Dash {
    /// Where the dashboard is.
    #[arg(long, value_name = "URL", default_value = URL)]
    url: String,
}

impl Dash {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
        let mut command = Command::new(opener);
        let opened = command.arg(&self.url).stdout(Stdio::null()).stderr(Stdio::null()).status();
        match opened {
            Ok(status) if status.success() => {
                say!("{}", self.url);
                Ok(())
            }
            Ok(status) => Err(self.not_opened(opener, &format!("it ended with {status}"))),
            Err(error) => Err(self.not_opened(opener, &error.to_string())),
        }
    }

    fn not_opened(&self, opener: &str, came: &str) -> CommandError {
        CommandError::OutOfReach(format!(
            "no browser could be opened with {opener}: {came}; the dashboard is at {}",
            self.url
        ))
    }
}
