//! Every help, as it is printed where there is no terminal.

use std::process::Command;

use crate::surface::snapshot::Snapshots;
use crate::surface::tree;

#[test]
fn every_help_is_as_it_was() {
    let mut snapshots = Snapshots::of("help");
    for command in tree::commands() {
        let mut process = Command::new(baton_fixtures::baton());
        let output = process.args(command.words()).arg("--help").env_clear().output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", command.path);
        let text = String::from_utf8(output.stdout).unwrap();
        let lines = text.lines().map(str::trim_end).collect::<Vec<_>>();
        snapshots.compare(&format!("{}.txt", command.file_name()), &format!("{}\n", lines.join("\n")));
    }
    snapshots.finish();
}
