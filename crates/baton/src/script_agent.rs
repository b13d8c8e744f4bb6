//! The hidden subcommand that is the scripted agent: arguments, environment and prompt in, lines and exit code out.
//!
//! What it does is in `baton-agent`; what scripts may say is in `baton-core`.

use std::io::{Read as _, stdin, stdout};
use std::path::PathBuf;
use std::process::ExitCode;

use baton_agent::script::{ScriptRunError, ScriptedRun, play};
use clap::Args;

use crate::command_error::CommandError;

#[derive(Debug, Args)]
pub(crate) struct ScriptAgent {
    /// The script.
    #[arg(long)]
    file: PathBuf,
    /// The session to go on with.
    #[arg(long)]
    resume: Option<String>,
    /// How many turns it may take.
    #[arg(long)]
    max_turns: Option<u32>,
}

impl ScriptAgent {
    pub(crate) fn run(self) -> Result<(), CommandError> {
        let Self { file, resume, max_turns } = self;
        let mut prompt = Vec::new();
        stdin().read_to_end(&mut prompt).map_err(|error| CommandError::out_of_reach(&error))?;
        let variables = std::env::vars_os();
        let run = ScriptedRun {
            file,
            resume,
            max_turns,
            cwd: std::env::current_dir().map_err(|error| CommandError::out_of_reach(&error))?,
            home: std::env::var_os("HOME").map(PathBuf::from),
            variables: variables
                .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
                .collect(),
            prompt: String::from_utf8_lossy(&prompt).into_owned(),
        };
        match play(&run, &mut stdout().lock()) {
            Ok(true) => Ok(()),
            Ok(false) => Err(CommandError::SaidWith(ExitCode::from(1))),
            Err(error @ ScriptRunError::Mistakes(_)) => Err(CommandError::Usage(error.to_string())),
            Err(error) => Err(CommandError::out_of_reach(&error)),
        }
    }
}
