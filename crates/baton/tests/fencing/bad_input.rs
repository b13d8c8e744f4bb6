//! What cannot be pushed, and that the answer says why and what to do.

use crate::fencing::{LONG_TTL_S, Machine, World, git, topic};
use baton_git::{BranchMove, Checkout, GitError, UnfencedPush};

fn check(machine: &Machine<'_>, more: &[&str], code: i32, words: &[&str]) {
    let (own, _, complaint) = machine.push(more);
    assert_eq!(own, code, "{more:?}: {complaint}");
    for word in words {
        assert!(complaint.contains(word), "{more:?}: `{word}` is not in {complaint}");
    }
    assert!(!complaint.contains(crate::support::TOKEN), "{complaint}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_lease_nothing_is_pushed() {
    let world = World::new().await;
    let machine = world.machine("ada", LONG_TTL_S);
    machine.commit("a.txt");
    check(&machine, &[], 1, &["holds no lease", "baton check"]);
    assert_eq!(world.tips().await, (None, None));
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_branches_and_remotes_are_usage_errors() {
    let world = World::new().await;
    let machine = world.machine("ada", LONG_TTL_S);
    machine.claim();
    machine.commit("a.txt");
    let before = world.tips().await;
    check(&machine, &["--branch", "nope"], 2, &["no branch `nope`", "--branch NAME"]);
    check(&machine, &["--branch", "a..b"], 2, &["a..b"]);
    check(&machine, &["--branch=--all"], 2, &["--all"]);
    check(&machine, &["--remote", "upstream"], 2, &["no remote `upstream`", "git remote"]);
    check(&machine, &["--remote=--upload-pack=x"], 2, &["cannot be a remote"]);
    git(&machine.clone, &["remote", "add", "fork", "http://127.0.0.1:1/bob/web.git"]);
    check(&machine, &["--remote", "fork"], 2, &["bob/web", "admin/web"]);
    git(&machine.clone, &["checkout", "-q", "--detach"]);
    check(&machine, &[], 2, &["--branch NAME"]);
    assert_eq!(world.tips().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_remote_out_of_reach_is_exit_code_3_and_shows_no_password() {
    let world = World::new().await;
    let machine = world.machine("ada", LONG_TTL_S);
    machine.claim();
    machine.commit("a.txt");
    let address = "http://ada:hunter2@127.0.0.1:1/admin/web.git";
    git(&machine.clone, &["remote", "add", "gone", address]);
    let (code, _, complaint) = machine.push(&["--remote", "gone"]);
    assert_eq!(code, 3, "{complaint}");
    assert!(complaint.contains("nothing was pushed") && !complaint.contains("hunter2"), "{complaint}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_of_the_checkout_can_refuse_and_nothing_moves() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new().await;
    let machine = world.machine("ada", LONG_TTL_S);
    machine.claim();
    machine.commit("a.txt");
    let hook = machine.clone.join(".git/hooks/pre-push");
    std::fs::write(&hook, "#!/bin/sh\necho not on my watch >&2\nexit 1\n").unwrap();
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    let before = world.tips().await;
    check(&machine, &[], 1, &["not on my watch"]);
    assert_eq!(world.tips().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_branch_or_no_commit_here_is_refused_before_anything_is_sent() {
    let world = World::new().await;
    let machine = world.machine("ada", LONG_TTL_S);
    let new = machine.commit("a.txt");
    let missing = "1234567890123456789012345678901234567890".parse().unwrap();
    let send = |branch: BranchMove<'_>| {
        let push = UnfencedPush {
            checkout: Checkout::new(&machine.clone),
            remote: "origin",
            branch,
            skips_hooks: false,
        };
        push.send()
    };
    for branch in [
        topic(&missing, None),
        topic(&new, Some(&missing)),
        BranchMove { name: "topic", ..topic(&new, None) },
        BranchMove { name: "refs/tags/v1", ..topic(&new, None) },
        BranchMove { name: "refs/heads/a:b", ..topic(&new, None) },
    ] {
        let answer = send(branch.clone());
        assert!(matches!(answer, Err(GitError::Input(_))), "{branch:?}: {answer:?}");
    }
    assert_eq!(world.tips().await, (None, None));
}
