//! A directory with stage files, and the binary started in it.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// A stage in which an agent works, in as few words as possible.
pub(crate) const BUILD: &str =
    "name: Build\norder: 1\nprompt: build it\ncreate_draft_pr: true\nmark_pr_ready_on_complete: true\n";
/// The end of a pipeline.
pub(crate) const DONE: &str = "name: Done\norder: 99\ncleanup_worktree: true\n";

pub(crate) struct Place {
    directory: tempfile::TempDir,
}

/// What a run of `baton` came to.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Place {
    /// A place with these files; their directories are made.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let place = Self { directory: tempfile::tempdir().unwrap() };
        // Whatever is above it is no concern of this place.
        std::fs::create_dir(place.path().join(".git")).unwrap();
        files.iter().for_each(|(name, text)| place.write(name, text));
        place
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Runs `baton` here, without anything of the surroundings that could set a setting.
    pub(crate) fn baton(&self, arguments: &[&str]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_baton"));
        command.args(arguments).current_dir(self.path()).env_clear();
        let output = command.output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap().trim_end().to_owned();
        Ran { code: output.status.code().unwrap_or(-1), out: text(&output.stdout), err: text(&output.stderr) }
    }
}

impl Ran {
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:?}");
        self
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Returns the cells of the line that begins with some cells.
    #[track_caller]
    pub(crate) fn line(&self, first: &[&str]) -> Vec<&str> {
        let found = self.out.lines().map(cells).find(|cells| cells.starts_with(first));
        found.unwrap_or_else(|| panic!("no line begins with {first:?}: {self:?}"))
    }
}

fn cells(line: &str) -> Vec<&str> {
    line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect()
}
