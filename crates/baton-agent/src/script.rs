//! The agent that is built in: it plays a script in a work tree.
//!
//! It really edits files, runs programs and commits, and prints what it does as Claude Code would, so that everything around it
//! is the same as with a model. The same script in the same repository makes the same tree; with a `clock`, also the same
//! commits.
//!
//! Deliberately absent: what scripts may say, which is `baton_core::script`, and the environment, which comes in as values.

mod ending;
mod files;
mod git;
mod play;
mod printer;
mod sessions;
mod situation;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

use baton_core::script::{Script, ScriptError};

use ending::Ending;
use play::Play;
use printer::Printer;
use sessions::Session;

/// One invocation of the scripted agent.
#[derive(Debug, Clone, Default)]
pub struct ScriptedRun {
    /// The script.
    pub file: PathBuf,
    /// The session to go on with.
    pub resume: Option<String>,
    /// How many turns it may take.
    pub max_turns: Option<u32>,
    /// Where it works.
    pub cwd: PathBuf,
    /// Where it keeps its sessions, if it has a home.
    pub home: Option<PathBuf>,
    /// Its environment, as far as it is text.
    pub variables: BTreeMap<String, String>,
    /// What it was told.
    pub prompt: String,
}

/// Why a script was not played to its end.
#[derive(Debug, thiserror::Error)]
pub enum ScriptRunError {
    /// The file cannot be read.
    #[error("the script `{path}` cannot be read; does `script` of the agent name it?")]
    Unreadable {
        /// The file.
        path: String,
        /// What came back.
        #[source]
        source: io::Error,
    },
    /// The file is no script.
    #[error("{0}")]
    Mistakes(#[from] ScriptError),
    /// Nobody reads what it prints.
    #[error("nobody reads what the scripted agent prints")]
    Unheard(#[from] io::Error),
}

/// Plays a script and prints what is done; returns whether it went well.
pub fn play(run: &ScriptedRun, out: &mut dyn Write) -> Result<bool, ScriptRunError> {
    let path = run.file.display().to_string();
    let unreadable = |source| ScriptRunError::Unreadable { path: path.clone(), source };
    let script = Script::read(&path, &std::fs::read_to_string(&run.file).map_err(unreadable)?)?;
    let situation = situation::of(run);
    let session = Session::open(run, &situation);
    let mut printer = Printer::new(out, session.id(), run.max_turns);
    let ending = match (&session, script.scene(&situation)) {
        (Session::Unknown(_), _) => Ending::SessionUnknown,
        (_, None) => {
            printer.init(&run.cwd)?;
            Ending::Failed(no_scene(&path, &situation))
        }
        (Session::Known { .. }, Some(scene)) => {
            printer.init(&run.cwd)?;
            session.keep(0);
            let mut play = Play::new(run, &script, &situation, &mut printer);
            let ending = play.scene(scene)?;
            play.sign_off();
            ending
        }
    };
    let cost_micros = session.spent_before() + printer.cost_micros();
    session.keep(printer.cost_micros());
    printer.result(&ending, cost_micros)?;
    Ok(ending == Ending::Success)
}

fn no_scene(path: &str, situation: &baton_core::script::Situation) -> String {
    let stage = situation.stage.as_deref().unwrap_or("none");
    let (job, attempt) = (situation.job.map_or("stage", |job| job.as_str()), situation.attempt);
    format!(
        "no scene of {path} is for the stage {stage}, the job {job} and the attempt {attempt}; add one without `when`"
    )
}

#[cfg(test)]
mod tests;
