//! A directory with templates, and the binary started in it.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

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
    /// A place with these files; their directories are made. It is the root of a repository, so that nothing above it counts.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let place = Self { directory: tempfile::tempdir().unwrap() };
        std::fs::create_dir(place.path().join(".git")).unwrap();
        for (name, text) in files {
            let path = place.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        place
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap()
    }

    /// Runs `baton prompts` here, without anything of the surroundings that could set a setting.
    pub(crate) fn prompts(&self, arguments: &[&str]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_baton"));
        command.arg("prompts").args(arguments).current_dir(self.path()).env_clear().stdin(Stdio::null());
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
}
