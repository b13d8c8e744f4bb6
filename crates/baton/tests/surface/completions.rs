//! The completion scripts, by the shells that read them.

use std::fs;
use std::process::Command;

use baton_fixtures::TestEnv;

fn script(shell: &str) -> String {
    TestEnv::new().run(&["completions", shell]).exits(0).out
}

#[test]
fn every_shell_gets_a_script_that_knows_the_commands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = script(shell);
        for word in ["claim", "worktrees", "prune", "dry-run"] {
            assert!(script.contains(word), "{shell} does not know {word}");
        }
    }
}

#[test]
fn shells_that_are_installed_can_read_their_scripts() {
    let directory = tempfile::tempdir().unwrap();
    for (shell, check) in [("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")] {
        let path = directory.path().join(shell);
        fs::write(&path, script(shell)).unwrap();
        match Command::new(shell).arg(check).arg(&path).output() {
            Ok(output) => assert!(output.status.success(), "{shell}: {output:?}"),
            Err(error) => {
                assert_ne!(shell, "bash", "the tests need bash: {error}");
                println!("{shell} is not installed: its script was not read by it");
            }
        }
    }
}

/// What bash offers for a line of words, the last of which is being typed.
fn offered(words: &str) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("baton.bash");
    fs::write(&path, script("bash")).unwrap();
    let program = format!(
        "source {}; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
         _baton baton \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        path.display()
    );
    let output = Command::new("bash").args(["--norc", "-c", &program]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().split_whitespace().map(str::to_owned).collect()
}

#[test]
fn bash_completes_commands_flags_and_values() {
    for (words, wanted) in [
        ("baton cla", &["claim"][..]),
        ("baton __", &[]),
        ("baton repo re", &["resume"]),
        ("baton worktrees prune --old", &["--older-than"]),
        ("baton chain wait x --until ''", &["open", "merged"]),
    ] {
        assert_eq!(offered(words), wanted, "{words}");
    }
}
