//! What cannot be pushed, and that the answer says why and what to do.

use baton_fixtures::TOKEN;
use baton_git::{BranchMove, Checkout, GitError, UnfencedPush};

use crate::fencing::{LONG_TTL_S, Machine, Setup, topic};

fn check(machine: &Machine<'_>, more: &[&str], code: i32, words: &[&str]) {
    let ran = machine.push(more);
    assert_eq!(ran.code, code, "{more:?}: {ran:?}");
    for word in words {
        assert!(ran.err.contains(word), "{more:?}: `{word}` is not in {ran:?}");
    }
    assert!(!ran.err.contains(TOKEN), "{ran:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_lease_nothing_is_pushed() {
    let setup = Setup::new().await;
    let machine = setup.machine("ada", LONG_TTL_S);
    machine.commit("a.txt");
    check(&machine, &[], 1, &["holds no lease", "baton check"]);
    assert_eq!(setup.tips().await, (None, None));
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_branches_and_remotes_are_usage_errors() {
    let setup = Setup::new().await;
    let machine = setup.machine("ada", LONG_TTL_S);
    machine.claim();
    machine.commit("a.txt");
    let before = setup.tips().await;
    check(&machine, &["--branch", "nope"], 2, &["no branch `nope`", "--branch NAME"]);
    check(&machine, &["--branch", "a..b"], 2, &["a..b"]);
    check(&machine, &["--branch=--all"], 2, &["--all"]);
    check(&machine, &["--remote", "upstream"], 2, &["no remote `upstream`", "git remote"]);
    check(&machine, &["--remote=--upload-pack=x"], 2, &["cannot be a remote"]);
    machine.git(&["remote", "add", "fork", "http://127.0.0.1:1/bob/web.git"]);
    check(&machine, &["--remote", "fork"], 2, &["bob/web", "admin/web"]);
    machine.git(&["checkout", "-q", "--detach"]);
    check(&machine, &[], 2, &["--branch NAME"]);
    assert_eq!(setup.tips().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_remote_out_of_reach_is_exit_code_3_and_shows_no_password() {
    let setup = Setup::new().await;
    let machine = setup.machine("ada", LONG_TTL_S);
    machine.claim();
    machine.commit("a.txt");
    let address = "http://ada:hunter2@127.0.0.1:1/admin/web.git";
    machine.git(&["remote", "add", "gone", address]);
    let ran = machine.push(&["--remote", "gone"]).exits(3);
    assert!(ran.err.contains("nothing was pushed") && !ran.err.contains("hunter2"), "{ran:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_of_the_checkout_can_refuse_and_nothing_moves() {
    use std::os::unix::fs::PermissionsExt as _;
    let setup = Setup::new().await;
    let machine = setup.machine("ada", LONG_TTL_S);
    machine.claim();
    machine.commit("a.txt");
    let hook = machine.env.path(".git/hooks/pre-push");
    std::fs::write(&hook, "#!/bin/sh\necho not on my watch >&2\nexit 1\n").unwrap();
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    let before = setup.tips().await;
    check(&machine, &[], 1, &["not on my watch"]);
    assert_eq!(setup.tips().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_branch_or_no_commit_here_is_refused_before_anything_is_sent() {
    let setup = Setup::new().await;
    let machine = setup.machine("ada", LONG_TTL_S);
    let new = machine.commit("a.txt");
    let missing = "1234567890123456789012345678901234567890".parse().unwrap();
    let clone = machine.env.work();
    let send = |branch: BranchMove<'_>| {
        let push =
            UnfencedPush { checkout: Checkout::new(&clone), remote: "origin", branch, skips_hooks: false };
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
    assert_eq!(setup.tips().await, (None, None));
}
