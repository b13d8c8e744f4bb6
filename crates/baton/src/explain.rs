//! `baton explain`: why an issue is moving or not, in one screen.
//!
//! It reads an issue as the engine does, or a recorded item, and asks the same rules that decide. Deliberately absent: doing
//! anything about what is found.

pub(crate) mod live;

use std::io::{IsTerminal as _, Read as _, Write as _};
use std::path::{Path, PathBuf};

use baton_core::pipeline::{Explanation, Policy, Record};
use clap::Args;

use crate::claims::context::{IssueArgument, print_json};
use crate::claims::naming::Naming;
use crate::command_error::CommandError;
use crate::config::{ConfigArgument, Surroundings};
use crate::flow::context::Desk;
use crate::stages::load::load;

/// What names standard input.
const STANDARD_INPUT: &str = "-";

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  baton explain acme/web#42         an issue as it stands now
  baton explain --from item.json    a recorded item, without a tracker
  baton explain acme/web#42 --json  the same for programs

Exit codes:
  0  the issue is explained, whether it moves or not
  1  there is no such issue, or no board has it
  3  the tracker or the store cannot be reached")]
pub(crate) struct Explain {
    /// The issue: #42 in a checkout, REPO#42, OWNER/REPO#42, or its address.
    #[arg(value_name = "REF")]
    issue: Option<IssueArgument>,
    /// Explain a recorded item: a JSON file, or - for standard input (docs/explain.md).
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Answer in JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    config: ConfigArgument,
}

impl Explain {
    pub(crate) fn run(&self) -> Result<(), CommandError> {
        let from = match (&self.from, &self.issue) {
            (Some(from), None) => from,
            (None, Some(issue)) => return self.explain_live(issue),
            (Some(_), Some(_)) => {
                return Err(CommandError::Usage(
                    "an issue and --from were both given: a recorded item says itself which issue it is; leave one out"
                        .to_owned(),
                ));
            }
            (None, None) => {
                return Err(CommandError::Usage(
                    "which issue? Name it as OWNER/REPO#42, or a recorded item with --from FILE".to_owned(),
                ));
            }
        };
        let surroundings = Surroundings::of_this_process()?;
        let loaded = self.config.load(Vec::new(), &surroundings)?;
        let stages = load(&loaded, &surroundings)?;
        loaded.print_warnings();
        stages.print_warnings();
        let Record { now, item } = read(from)?;
        let policy = Policy::of(&loaded.resolved.config);
        let explanation = Explanation::of(&item, &stages.set.pipeline, &policy, now);
        if self.json {
            return print_json(&explanation.shape());
        }
        show(&explanation.screen(is_coloured()));
        Ok(())
    }

    fn explain_live(&self, issue: &IssueArgument) -> Result<(), CommandError> {
        let desk = Desk::read(&self.config)?;
        desk.loaded.print_warnings();
        let naming = Naming { api_url: &desk.config().api_url, surroundings: &desk.surroundings };
        let issue = naming.issue(issue)?;
        let looked = live::Looked::at(desk, &issue)?;
        if self.json {
            return print_json(&looked.shape());
        }
        show(&looked.screen(is_coloured()));
        Ok(())
    }
}

fn show(text: &str) {
    // A reader that has seen enough, such as `head`, is no failure.
    let _ = std::io::stdout().write_all(text.as_bytes());
}

fn is_coloured() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|it| it.is_empty())
}

fn read(from: &Path) -> Result<Record, CommandError> {
    let is_standard_input = from.as_os_str() == STANDARD_INPUT;
    let name = if is_standard_input { "standard input".to_owned() } else { from.display().to_string() };
    let bytes = if is_standard_input {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(from)
    };
    let bytes = bytes.map_err(|error| CommandError::Usage(format!("cannot read {name}: {error}")))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        CommandError::Usage(format!("{name} is no recorded item: the byte at {at} is not UTF-8"))
    })?;
    Record::read(&text).map_err(|error| CommandError::Usage(format!("{name}:{error}")))
}
