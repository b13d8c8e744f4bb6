//! `baton worktrees`, as people use it: the real binary on places that an engine has left.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use baton_core::config::PipelineDialect;
use baton_core::tracker::IssueKey;
use baton_core::workspace::{OpenAsk, Opened};
use baton_fixtures::TestEnv;
use baton_fixtures::git::git;
use baton_git::{GitWorkspaces, WorkspaceSettings};
use baton_ports::Workspaces as _;

/// A remote, and a configuration that names it.
fn with_remote() -> TestEnv {
    let env = TestEnv::new();
    let path = remote(&env);
    fs::create_dir_all(&path).unwrap();
    git(&path, &["init", "--quiet", "--bare", "--initial-branch=main"]);
    let tree = git(&path, &["write-tree"]);
    let commit = git(&path, &["commit-tree", &tree, "-m", "first"]);
    git(&path, &["update-ref", "refs/heads/main", &commit]);
    env.write("baton.yaml", &format!("git:\n  remote: {}\n", remotes(&env)));
    env
}

fn remote(env: &TestEnv) -> PathBuf {
    env.path("remote/acme/web.git")
}

/// Where remotes are, as settings name it.
fn remotes(env: &TestEnv) -> String {
    format!("{}/remote/{{repo}}.git", env.work().display())
}

/// Opens the place of an issue as an engine does.
fn open(env: &TestEnv, number: u64) -> Opened {
    let settings = WorkspaceSettings {
        remote: remotes(env),
        mirrors: env.path(".baton/mirrors"),
        worktrees: env.path(".baton/worktrees"),
        run_hooks: false,
        dialect: PipelineDialect::Baton,
    };
    let engine = GitWorkspaces::new(settings, |_| None).unwrap();
    let issue = IssueKey { repo: "acme/web".parse().unwrap(), number };
    let ask = OpenAsk { issue, base: None, is_read_only: false, updates: true };
    tokio::runtime::Runtime::new().unwrap().block_on(engine.open(&ask)).unwrap()
}

/// Returns how `baton worktrees` ends, and what it prints.
fn worktrees(env: &TestEnv, arguments: &[&str]) -> (i32, String) {
    let ran = env.run(&[&["worktrees"], arguments].concat());
    (ran.code, ran.out)
}

#[test]
fn places_are_listed_for_people_and_for_programs() {
    let env = with_remote();
    assert_eq!(worktrees(&env, &["list"]), (0, String::new()));
    open(&env, 1);
    fs::write(open(&env, 2).path.join("new"), "x").unwrap();
    let (code, said) = worktrees(&env, &["list"]);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!((code, lines.len()), (0, 3), "{said}");
    assert!(lines[1].contains("acme/web#1") && lines[1].contains("clean"), "{said}");
    assert!(lines[2].contains("baton/issue-2") && lines[2].contains("changed"), "{said}");
    let (_, said) = worktrees(&env, &["list", "--json", "--repo", "acme/web"]);
    let listed: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(listed["worktrees"][1]["issue"], "acme/web#2");
    assert_eq!(
        (listed["worktrees"][0]["dirty"].as_bool(), listed["worktrees"][1]["dirty"].as_bool()),
        (Some(false), Some(true))
    );
    assert_eq!(worktrees(&env, &["list", "--json", "--repo", "acme/api"]).1, "{\"worktrees\":[]}");
}

#[test]
fn without_names_only_what_nobody_misses_is_removed() {
    let env = with_remote();
    let (clean, dirty) = (open(&env, 1), open(&env, 2));
    fs::write(dirty.path.join("new"), "x").unwrap();
    assert_eq!(worktrees(&env, &["prune"]), (0, String::new()), "they are not old");
    let (code, said) = worktrees(&env, &["prune", "--older-than", "0s", "--dry-run"]);
    assert_eq!((code, said.as_str()), (0, "would remove acme/web#1 (clean)"));
    assert!(clean.path.exists());
    let (code, said) = worktrees(&env, &["prune", "--older-than", "0s"]);
    assert_eq!((code, said.as_str()), (0, "removed acme/web#1"));
    assert!(!clean.path.exists() && dirty.path.exists());
}

#[test]
fn what_is_named_is_removed_once_the_remote_has_it() {
    let env = with_remote();
    let opened = open(&env, 2);
    fs::write(opened.path.join("new"), "x").unwrap();
    let away = env.path("away");
    fs::rename(remote(&env), &away).unwrap();
    let (code, said) = worktrees(&env, &["prune", "acme/web#2"]);
    assert!(code == 3 && said.starts_with("kept acme/web#2") && opened.path.exists(), "{code} {said}");
    fs::rename(&away, remote(&env)).unwrap();
    let (code, said) = worktrees(&env, &["prune", "acme/web#2", "acme/web#9"]);
    assert_eq!(code, 0, "{said}");
    let name = said.lines().next().unwrap().split_whitespace().last().unwrap();
    assert_eq!(git(&remote(&env), &["show", &format!("{name}:new")]), "x");
    assert!(said.ends_with("acme/web#9 has no work tree here") && !opened.path.exists(), "{said}");
}

#[test]
fn what_is_in_use_is_kept_and_that_is_a_no() {
    let env = with_remote();
    let opened = open(&env, 1);
    let mut process = Command::new("cat").current_dir(&opened.path).stdin(Stdio::piped()).spawn().unwrap();
    let (code, said) = worktrees(&env, &["prune", "acme/web#1"]);
    assert!(code == 1 && said.contains(&process.id().to_string()), "{code} {said}");
    drop(process.stdin.take());
    process.wait().unwrap();
}

#[test]
fn what_cannot_be_meant_is_a_usage_error() {
    let env = with_remote();
    for arguments in
        [&["prune", "--older-than", "5x"][..], &["prune", "nonsense"], &["list", "--repo", "a b/c"]]
    {
        assert_eq!(worktrees(&env, arguments).0, 2, "{arguments:?}");
    }
}
