//! What a program printed, and how it ended.

use std::process::Output;

use serde_json::Value;

/// The end of a program: its exit code (-1 if a signal ended it) and what it printed, trimmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandOutput {
    /// The exit code.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl From<Output> for CommandOutput {
    fn from(output: Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        let code = output.status.code().unwrap_or(-1);
        Self { code, out: text(&output.stdout), err: text(&output.stderr) }
    }
}

impl CommandOutput {
    /// Insists on an exit code.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "out:\n{}\nerr:\n{}", self.out, self.err);
        self
    }

    /// Insists on words in either stream.
    #[track_caller]
    pub fn says(self, words: &str) -> Self {
        assert!(self.out.contains(words) || self.err.contains(words), "`{words}` is not in {self:?}");
        self
    }

    /// Returns both streams, standard output first.
    pub fn both(&self) -> String {
        format!("{}\n{}", self.out, self.err)
    }

    /// Reads standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Returns the cells of the line of a table that begins with some cells.
    #[track_caller]
    pub fn line(&self, first: &[&str]) -> Vec<&str> {
        let cells = |line| str::split(line, "  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
        let found = self.out.lines().map(cells).find(|cells: &Vec<_>| cells.starts_with(first));
        found.unwrap_or_else(|| panic!("no line begins with {first:?}: {self:?}"))
    }
}
