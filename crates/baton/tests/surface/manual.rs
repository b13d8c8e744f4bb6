//! The manual pages: one for each command, and each one that a formatter takes.

use std::fs;
use std::process::Command;

use baton_fixtures::TestEnv;

use crate::surface::tree;

#[test]
fn every_command_has_a_manual_page() {
    let env = TestEnv::new();
    env.run(&["docs", "man", "--dir", "man1"]).exits(0);
    let pages = env.path("man1");
    let commands = tree::commands();
    for command in &commands {
        let text = fs::read_to_string(pages.join(format!("{}.1", command.file_name()))).unwrap();
        for section in [".TH ", ".SH NAME", ".SH SYNOPSIS", ".SH EXAMPLES"] {
            assert!(text.contains(section), "{}: {section} is not in\n{text}", command.path);
        }
        assert_eq!(text.contains("EXIT STATUS"), !command.is_group, "{}", command.path);
    }
    assert_eq!(fs::read_dir(&pages).unwrap().count(), commands.len());
}

#[test]
fn the_page_of_one_command_is_printed() {
    let out = TestEnv::new().run(&["docs", "man", "repo", "pause"]).exits(0).out;
    assert!(out.contains("BATON\\-REPO\\-PAUSE") || out.contains("BATON-REPO-PAUSE"), "{out}");
}

#[test]
fn a_formatter_has_nothing_to_complain_about() {
    // Not every machine has one, and the pages are plain enough to be read without.
    if Command::new("groff").arg("--version").output().is_err() {
        println!("groff is not installed: the pages were not formatted");
        return;
    }
    let env = TestEnv::new();
    env.run(&["docs", "man", "--dir", "."]).exits(0);
    for entry in fs::read_dir(env.work()).unwrap() {
        let path = entry.unwrap().path();
        let mut groff = Command::new("groff");
        let output = groff.args(["-man", "-Kutf8", "-Tutf8", "-ww", "-z"]).arg(&path).output().unwrap();
        let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && complaints.is_empty(), "{}: {complaints}", path.display());
    }
}
