//! What a holder cannot push once another has taken over, or once its branch is not where it left it.

use baton_git::PushOutcome;

use crate::fencing::{LONG_TTL_S, Machine, PAST_LEASE_S, REF, Setup, TOPIC, topic};

/// The server's clock passes the end of the first lease, and another machine takes the issue.
async fn take_over(successor: &Machine<'_>, first_epoch: u64) {
    successor.setup.forge.shift_clock(PAST_LEASE_S).await;
    assert_eq!(successor.claim(), first_epoch + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stale_holders_push_is_refused_whole_although_its_own_clock_says_it_holds() {
    let setup = Setup::new().await;
    let (stale, successor) = (setup.machine("ada", LONG_TTL_S), setup.machine("bob", LONG_TTL_S));
    let epoch = stale.claim();
    let first = stale.commit("a.txt");
    stale.push(&[]).exits(0);
    let lease = stale.lease();
    take_over(&successor, epoch).await;
    let before = setup.tips().await;
    let second = stale.commit("late.txt");
    // The branch is where the stale holder expects it: only the claim tells.
    let outcome = stale.push_whatever_the_clock_says(&lease, topic(&second, Some(&first)));
    assert_eq!(outcome, PushOutcome::Stale { name: "refs/baton/claims/1".to_owned() });
    assert_eq!(setup.tips().await, before, "neither the branch nor the claim has moved");
    assert_eq!(before, (successor.lease().tip, Some(first.to_string())));
}

#[tokio::test(flavor = "multi_thread")]
async fn baton_push_of_a_stale_holder_says_that_it_is_over_and_forgets_the_lease() {
    let setup = Setup::new().await;
    let (stale, successor) = (setup.machine("ada", LONG_TTL_S), setup.machine("bob", LONG_TTL_S));
    let epoch = stale.claim();
    stale.commit("a.txt");
    take_over(&successor, epoch).await;
    let before = setup.tips().await;
    let ran = stale.push(&[]).exits(1);
    assert!(ran.err.contains("is not held any more") && ran.err.contains("baton check"), "{ran:?}");
    assert_eq!(setup.tips().await, before);
    assert_eq!(before.1, None, "the branch was never made");
    stale.push(&[]).exits(1).says("holds no lease");
    successor.commit("b.txt");
    successor.push(&[]).exits(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_that_was_handed_back_and_taken_again_is_another_claim() {
    let setup = Setup::new().await;
    let (stale, successor) = (setup.machine("ada", LONG_TTL_S), setup.machine("bob", LONG_TTL_S));
    let epoch = stale.claim();
    let lease = stale.lease();
    stale.env.run(&["release", REF, "--outcome", "cancelled"]).exits(0);
    let new = stale.commit("a.txt");
    let is_refused = || {
        let outcome = stale.push_whatever_the_clock_says(&lease, topic(&new, None));
        matches!(outcome, PushOutcome::Stale { .. })
    };
    assert!(is_refused(), "released");
    assert_eq!(successor.claim(), epoch + 1);
    assert!(is_refused(), "taken");
    let delete = ["push", "-q", "origin", ":refs/baton/claims/1"];
    successor.git(&delete);
    assert!(is_refused(), "deleted by hand");
    assert_eq!(setup.tips().await, (None, None));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_branch_that_someone_else_moved_is_left_alone_and_so_is_the_claim() {
    let setup = Setup::new().await;
    let (holder, other) = (setup.machine("ada", LONG_TTL_S), setup.machine("bob", LONG_TTL_S));
    holder.claim();
    let first = holder.commit("a.txt");
    holder.push(&[]).exits(0);
    other.follow_topic();
    let theirs = other.commit("theirs.txt");
    other.git(&["push", "-q", "origin", "topic"]);
    let before = setup.tips().await;
    let second = holder.commit("b.txt");
    holder.push(&["--force"]).exits(1).says("not where this checkout last saw it");
    let outcome = holder.push_whatever_the_clock_says(&holder.lease(), topic(&second, Some(&first)));
    assert_eq!(outcome, PushOutcome::BranchMoved { name: TOPIC.to_owned() });
    let outcome = holder.push_whatever_the_clock_says(&holder.lease(), topic(&second, None));
    assert_eq!(outcome, PushOutcome::BranchMoved { name: TOPIC.to_owned() }, "it must not exist, and does");
    assert_eq!(setup.tips().await, before);
    assert_eq!(before.1, Some(theirs.to_string()));
    holder.git(&["fetch", "-q", "origin"]);
    holder.git(&["rebase", "-q", "origin/topic"]);
    holder.push(&[]).exits(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bare_force_with_lease_after_a_fetch_overwrites_a_successor_and_a_fenced_push_does_not() {
    let setup = Setup::new().await;
    let (stale, successor) = (setup.machine("ada", LONG_TTL_S), setup.machine("bob", LONG_TTL_S));
    let epoch = stale.claim();
    stale.commit("a.txt");
    stale.push(&[]).exits(0);
    let lease = stale.lease();
    take_over(&successor, epoch).await;
    successor.follow_topic();
    let theirs = successor.commit("theirs.txt");
    successor.push(&[]).exits(0);
    let mine = stale.commit("late.txt");
    // Anything may fetch in the background: an editor, an agent, a schedule.
    stale.git(&["fetch", "-q", "origin"]);
    let before = setup.tips().await;
    let mut branch = topic(&mine, Some(&theirs));
    branch.allows_rewrite = true;
    assert!(matches!(stale.push_whatever_the_clock_says(&lease, branch), PushOutcome::Stale { .. }));
    assert_eq!((before.1.as_deref(), &setup.tips().await), (Some(theirs.as_str()), &before));
    let bare = stale.try_git(&["push", "-q", "--force-with-lease", "origin", "topic"]);
    assert_eq!(bare.code, 0, "git takes what was fetched for what is known");
    assert_eq!(setup.repo.tip(TOPIC).await, Some(mine.to_string()), "the successor's commit is gone");
}
