//! `baton worktrees`, as people use it: the real binary on places that an engine has left.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use baton_core::config::PipelineDialect;
use baton_core::tracker::IssueKey;
use baton_core::workspace::{OpenAsk, Opened};
use baton_git::{GitWorkspaces, WorkspaceSettings};
use baton_ports::Workspaces as _;

/// A directory with a remote, a configuration, and places of an engine.
struct Desk(tempfile::TempDir);

impl Desk {
    fn new() -> Self {
        let desk = Self(tempfile::tempdir().unwrap());
        let remote = desk.remote();
        fs::create_dir_all(&remote).unwrap();
        git(&remote, &["init", "--quiet", "--bare", "--initial-branch=main"]);
        let tree = git(&remote, &["write-tree"]);
        let commit = git(&remote, &["commit-tree", &tree, "-m", "first"]);
        git(&remote, &["update-ref", "refs/heads/main", &commit]);
        let config = format!("git:\n  remote: {}/remote/{{repo}}.git\n", desk.0.path().display());
        fs::write(desk.0.path().join("baton.yaml"), config).unwrap();
        desk
    }

    fn remote(&self) -> PathBuf {
        self.0.path().join("remote/acme/web.git")
    }

    fn open(&self, number: u64) -> Opened {
        let settings = WorkspaceSettings {
            remote: format!("{}/remote/{{repo}}.git", self.0.path().display()),
            mirrors: self.0.path().join(".baton/mirrors"),
            worktrees: self.0.path().join(".baton/worktrees"),
            run_hooks: false,
            dialect: PipelineDialect::Baton,
        };
        let engine = GitWorkspaces::new(settings, |_| None).unwrap();
        let issue = IssueKey { repo: "acme/web".parse().unwrap(), number };
        let ask = OpenAsk { issue, base: None, is_read_only: false, updates: true };
        tokio::runtime::Runtime::new().unwrap().block_on(engine.open(&ask)).unwrap()
    }

    /// What the binary prints, and how it ends.
    fn baton(&self, arguments: &[&str]) -> (i32, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_baton"))
            .arg("worktrees")
            .args(arguments)
            .current_dir(self.0.path())
            .env_remove("BATON_TOKEN")
            .output()
            .unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
    }
}

fn git(directory: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.env("GIT_AUTHOR_NAME", "ann").env("GIT_AUTHOR_EMAIL", "ann@example.com");
    command.env("GIT_COMMITTER_NAME", "ann").env("GIT_COMMITTER_EMAIL", "ann@example.com");
    let output = command.arg("-C").arg(directory).args(arguments).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn places_are_listed_for_people_and_for_programs() {
    let desk = Desk::new();
    assert_eq!(desk.baton(&["list"]), (0, String::new()));
    desk.open(1);
    fs::write(desk.open(2).path.join("new"), "x").unwrap();
    let (code, said) = desk.baton(&["list"]);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!((code, lines.len()), (0, 3), "{said}");
    assert!(lines[1].contains("acme/web#1") && lines[1].contains("clean"), "{said}");
    assert!(lines[2].contains("baton/issue-2") && lines[2].contains("changed"), "{said}");
    let (_, said) = desk.baton(&["list", "--json", "--repo", "acme/web"]);
    let listed: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(listed["worktrees"][1]["issue"], "acme/web#2");
    assert_eq!(
        (listed["worktrees"][0]["dirty"].as_bool(), listed["worktrees"][1]["dirty"].as_bool()),
        (Some(false), Some(true))
    );
    assert_eq!(desk.baton(&["list", "--json", "--repo", "acme/api"]).1, "{\"worktrees\":[]}\n");
}

#[test]
fn without_names_only_what_nobody_misses_is_removed() {
    let desk = Desk::new();
    let (clean, dirty) = (desk.open(1), desk.open(2));
    fs::write(dirty.path.join("new"), "x").unwrap();
    assert_eq!(desk.baton(&["prune"]), (0, String::new()), "they are not old");
    let (code, said) = desk.baton(&["prune", "--older-than", "0s", "--dry-run"]);
    assert_eq!((code, said.as_str()), (0, "would remove acme/web#1 (clean)\n"));
    assert!(clean.path.exists());
    let (code, said) = desk.baton(&["prune", "--older-than", "0s"]);
    assert_eq!((code, said.as_str()), (0, "removed acme/web#1\n"));
    assert!(!clean.path.exists() && dirty.path.exists());
}

#[test]
fn what_is_named_is_removed_once_the_remote_has_it() {
    let desk = Desk::new();
    let opened = desk.open(2);
    fs::write(opened.path.join("new"), "x").unwrap();
    let away = desk.0.path().join("away");
    fs::rename(desk.remote(), &away).unwrap();
    let (code, said) = desk.baton(&["prune", "acme/web#2"]);
    assert!(code == 3 && said.starts_with("kept acme/web#2") && opened.path.exists(), "{code} {said}");
    fs::rename(&away, desk.remote()).unwrap();
    let (code, said) = desk.baton(&["prune", "acme/web#2", "acme/web#9"]);
    assert_eq!(code, 0, "{said}");
    let name = said.lines().next().unwrap().split_whitespace().last().unwrap();
    assert_eq!(git(&desk.remote(), &["show", &format!("{name}:new")]), "x");
    assert!(said.ends_with("acme/web#9 has no work tree here\n") && !opened.path.exists(), "{said}");
}

#[test]
fn what_is_in_use_is_kept_and_that_is_a_no() {
    let desk = Desk::new();
    let opened = desk.open(1);
    let mut process =
        Command::new("cat").current_dir(&opened.path).stdin(std::process::Stdio::piped()).spawn().unwrap();
    let (code, said) = desk.baton(&["prune", "acme/web#1"]);
    assert!(code == 1 && said.contains(&process.id().to_string()), "{code} {said}");
    drop(process.stdin.take());
    process.wait().unwrap();
}

#[test]
fn what_cannot_be_meant_is_a_usage_error() {
    let desk = Desk::new();
    for arguments in
        [&["prune", "--older-than", "5x"][..], &["prune", "nonsense"], &["list", "--repo", "a b/c"]]
    {
        assert_eq!(desk.baton(arguments).0, 2, "{arguments:?}");
    }
}
