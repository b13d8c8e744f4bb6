//! The commands, as the binary tells of itself.

use baton_fixtures::TestEnv;
use serde_json::Value;

/// What is asked of a command here.
#[derive(Debug)]
pub(crate) struct KnownCommand {
    /// From the program on: `baton repo pause`.
    pub(crate) path: String,
    pub(crate) is_group: bool,
    pub(crate) answers_in_json: bool,
    /// The exit codes that its help names.
    pub(crate) exit_codes: Vec<i64>,
}

impl KnownCommand {
    /// Its names after the program's.
    pub(crate) fn words(&self) -> Vec<&str> {
        self.path.split(' ').skip(1).collect()
    }

    /// A name for files.
    pub(crate) fn file_name(&self) -> String {
        self.path.replace(' ', "-")
    }
}

/// Lists all commands that are not hidden.
pub(crate) fn commands() -> Vec<KnownCommand> {
    let pages = TestEnv::new().run(&["docs", "commands", "--json"]).exits(0).json();
    pages.as_array().unwrap().iter().map(command).collect()
}

fn command(page: &Value) -> KnownCommand {
    let list = |name: &str| page[name].as_array().unwrap().clone();
    KnownCommand {
        path: page["path"].as_str().unwrap().to_owned(),
        is_group: page["is_group"].as_bool().unwrap(),
        answers_in_json: list("arguments").iter().any(|it| it["form"] == "--json"),
        exit_codes: list("exit_codes").iter().map(|it| it["code"].as_i64().unwrap()).collect(),
    }
}
