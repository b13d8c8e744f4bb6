//! A directory to explain from, and the binary in it.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// What a run of `baton` came to.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        Self { code: output.status.code().unwrap(), out: text(&output.stdout), err: text(&output.stderr) }
    }

    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:?}");
        self
    }
}

/// A directory that nothing above it concerns, and that has no configuration.
pub(crate) struct Place {
    directory: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let place = Self { directory: tempfile::tempdir().unwrap() };
        // Whatever is above it is no concern of this place.
        std::fs::create_dir(place.directory.path().join(".git")).unwrap();
        place
    }

    pub(crate) fn with(self, name: &str, text: &str) -> Self {
        let path = self.directory.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_baton"));
        command.current_dir(self.directory.path()).args(arguments).env_clear();
        command
    }

    pub(crate) fn baton(&self, arguments: &[&str]) -> Ran {
        Ran::of(&self.command(arguments).stdin(Stdio::null()).output().unwrap())
    }

    /// Runs it with something on standard input.
    pub(crate) fn told(&self, arguments: &[&str], text: &str) -> Ran {
        let mut command = self.command(arguments);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        Ran::of(&child.wait_with_output().unwrap())
    }

    /// Explains one of the examples of the documentation.
    pub(crate) fn explain(&self, example: &str, further: &[&str]) -> Ran {
        let path = example_path(example);
        let arguments = [&["explain", "--from", path.to_str().unwrap()], further].concat();
        self.baton(&arguments).exits(0)
    }
}

pub(crate) fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples/items")
}

pub(crate) fn example_path(name: &str) -> PathBuf {
    examples().join(format!("{name}.json"))
}

pub(crate) fn example(name: &str) -> String {
    std::fs::read_to_string(example_path(name)).unwrap()
}
