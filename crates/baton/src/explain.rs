//! `baton explain`: why an issue is moving or not, in one screen.
//!
//! It reads a recorded item and asks the same rules that decide. Deliberately absent: looking at a tracker, which is the
//! engine's part, and doing anything about what is found.

use std::io::{IsTerminal as _, Read as _, Write as _};
use std::path::{Path, PathBuf};

use baton_core::pipeline::{Explanation, Policy, Record};
use clap::Args;

use crate::claims::context::print_json;
use crate::command_error::CommandError;
use crate::config::{ConfigArgument, Surroundings};
use crate::stages::load::load;

/// What names standard input.
const STANDARD_INPUT: &str = "-";

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The issue. Explanations of live issues are not yet in this version: name a recorded item with --from.
    #[arg(value_name = "REF")]
    issue: Option<String>,
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
        let from = self.recording()?;
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
        // A reader that has seen enough, such as `head`, is no failure.
        let _ = std::io::stdout().write_all(explanation.screen(is_coloured()).as_bytes());
        Ok(())
    }

    /// Returns the recording, which is all that can be explained now.
    fn recording(&self) -> Result<&Path, CommandError> {
        match (&self.from, &self.issue) {
            (Some(from), None) => Ok(from),
            (Some(_), Some(issue)) => Err(CommandError::Usage(format!(
                "`{issue}` and --from were both given: a recorded item says itself which issue it is; leave one out"
            ))),
            (None, _) => Err(CommandError::Usage(
                "explanations of live issues are not yet in this version; name a recorded item with --from FILE, or - for standard input"
                    .to_owned(),
            )),
        }
    }
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
