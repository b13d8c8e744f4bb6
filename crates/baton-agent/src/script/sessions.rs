//! Sessions of the scripted agent: an id for each run, and what it has cost so far, in a file of its home.
//!
//! As with the real programs, a session is known only where it was begun, and costs are told for the whole of it.

use std::path::{Path, PathBuf};

use baton_core::script::Situation;
use sha2::{Digest as _, Sha256};

use super::ScriptedRun;

/// The session of an invocation.
#[derive(Debug)]
pub(super) enum Session {
    /// It is begun or gone on with.
    Known { id: String, file: Option<PathBuf>, spent_before: u64 },
    /// There is none of this id.
    Unknown(String),
}

impl Session {
    pub(super) fn open(run: &ScriptedRun, situation: &Situation) -> Self {
        let file = |id: &str| run.home.as_deref().map(|home| directory(home).join(id));
        let Some(id) = run.resume.clone() else {
            let id = new_id(run, situation);
            return Self::Known { file: file(&id), spent_before: 0, id };
        };
        let read = |path: &PathBuf| std::fs::read_to_string(path).ok()?.trim().parse().ok();
        match file(&id) {
            // Without a home nothing is kept, so nothing can be missed.
            None => Self::Known { id, file: None, spent_before: 0 },
            Some(path) => match read(&path) {
                Some(spent_before) => Self::Known { id, file: Some(path), spent_before },
                None => Self::Unknown(id),
            },
        }
    }

    pub(super) fn id(&self) -> &str {
        match self {
            Self::Known { id, .. } | Self::Unknown(id) => id,
        }
    }

    pub(super) fn spent_before(&self) -> u64 {
        match self {
            Self::Known { spent_before, .. } => *spent_before,
            Self::Unknown(_) => 0,
        }
    }

    /// Keeps the session. One that cannot be kept is not known the next time, which callers must bear anyway.
    pub(super) fn keep(&self, cost_micros: u64) {
        if let Self::Known { file: Some(file), spent_before, .. } = self {
            let _ = file.parent().map(std::fs::create_dir_all);
            let _ = std::fs::write(file, (spent_before + cost_micros).to_string());
        }
    }
}

fn directory(home: &Path) -> PathBuf {
    home.join(".baton-script")
}

/// An id that looks like those of the real programs and is the same for the same run.
fn new_id(run: &ScriptedRun, situation: &Situation) -> String {
    let seed = format!("{}\n{}\n{}\n{}", run.cwd.display(), situation.issue, situation.agent, situation.run);
    let digest = Sha256::digest(seed.as_bytes());
    let hex: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{}-4{}-8{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..32])
}
