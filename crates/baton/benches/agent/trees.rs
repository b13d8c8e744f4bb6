//! A work tree from a mirror that was fetched, beside a bare `git worktree add` of the same commit.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use baton_core::RepoSlug;
use baton_core::config::PipelineDialect;
use baton_core::tracker::IssueKey;
use baton_core::workspace::OpenAsk;
use baton_git::{GitWorkspaces, WorkspaceSettings};
use baton_ports::Workspaces as _;

use crate::{Row, median, ms};

const FILES: usize = 2_000;

pub(crate) async fn measure(rounds: usize) -> Vec<Row> {
    let directory = tempfile::tempdir().unwrap();
    let remote = directory.path().join("acme/web.git");
    make_remote(directory.path(), &remote);
    let workspaces = GitWorkspaces::new(
        WorkspaceSettings {
            remote: format!("{}/{{repo}}.git", directory.path().display()),
            mirrors: directory.path().join("mirrors"),
            worktrees: directory.path().join("worktrees"),
            run_hooks: false,
            dialect: PipelineDialect::Baton,
        },
        |_| None,
    )
    .unwrap();
    let repo = RepoSlug::new("acme", "web").unwrap();
    let issue = |number| IssueKey { repo: repo.clone(), number };
    let ask = OpenAsk { issue: issue(1), base: None, is_read_only: false, updates: false };
    workspaces.open(&ask).await.unwrap();
    let mirror = std::fs::read_dir(directory.path().join("mirrors")).unwrap().flatten();
    let mirror = mirror.map(|entry| entry.path()).find(|path| path.is_dir()).unwrap();
    let (mut bare, mut ours) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        let tree = directory.path().join(format!("bare-{round}"));
        bare.push(timed(|| {
            git(
                &mirror,
                &[
                    "worktree",
                    "add",
                    "-q",
                    "-b",
                    &format!("bare-{round}"),
                    tree.to_str().unwrap(),
                    "origin/main",
                ],
            )
        }));
        let issue = issue(100 + round as u64);
        ours.push(timed(|| drop(workspaces.make_worktree(&issue).unwrap())));
    }
    let (bare, ours) = (median(&mut bare), median(&mut ours));
    let ratio = ours.as_secs_f64() / bare.as_secs_f64();
    vec![Row {
        what: "a work tree of 2,000 files",
        ours: ms(ours),
        yardstick: format!("`git worktree add` {}", ms(bare)),
        ratio,
        aim: "≤ 1.2",
        is_met: Some(ratio <= 1.2),
    }]
}

fn make_remote(directory: &Path, remote: &Path) {
    let seed = directory.join("seed");
    std::fs::create_dir_all(&seed).unwrap();
    git(&seed, &["init", "-q", "-b", "main"]);
    for number in 0..FILES {
        let path = seed.join(format!("src/part-{}/file-{number}.rs", number % 40));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, format!("// file {number}\n").repeat(100)).unwrap();
    }
    git(&seed, &["add", "."]);
    git(&seed, &["-c", "user.name=b", "-c", "user.email=b@b", "commit", "-qm", "seed"]);
    std::fs::create_dir_all(remote.parent().unwrap()).unwrap();
    git(directory, &["clone", "-q", "--bare", "seed", remote.to_str().unwrap()]);
}

fn timed(act: impl FnOnce()) -> Duration {
    let began = Instant::now();
    act();
    began.elapsed()
}

fn git(directory: &Path, arguments: &[&str]) {
    let status = Command::new("git").arg("-C").arg(directory).args(arguments).status().unwrap();
    assert!(status.success(), "{arguments:?}");
}
