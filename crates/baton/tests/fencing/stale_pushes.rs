//! What a holder cannot push once another has taken over, or once its branch is not where it left it.

use baton_git::PushOutcome;

use crate::fencing::{LONG_TTL_S, Machine, TOPIC, World, git, topic, try_git};

/// The server's clock passes the end of the first lease, and another machine takes the issue.
async fn take_over(successor: &Machine<'_>, first_epoch: u64) {
    successor.world.turn_clock_to(LONG_TTL_S + 60).await;
    assert_eq!(successor.claim(), first_epoch + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stale_holders_push_is_refused_whole_although_its_own_clock_says_it_holds() {
    let world = World::new().await;
    let (stale, successor) = (world.machine("ada", LONG_TTL_S), world.machine("bob", LONG_TTL_S));
    let epoch = stale.claim();
    let first = stale.commit("a.txt");
    stale.must_push();
    let lease = stale.lease();
    take_over(&successor, epoch).await;
    let before = world.tips().await;
    let second = stale.commit("late.txt");
    // The branch is where the stale holder expects it: only the claim tells.
    let outcome = stale.push_whatever_the_clock_says(&lease, topic(&second, Some(&first)));
    assert_eq!(outcome, PushOutcome::Stale { name: "refs/baton/claims/1".to_owned() });
    assert_eq!(world.tips().await, before, "neither the branch nor the claim has moved");
    assert_eq!(before, (successor.lease().tip, Some(first.to_string())));
}

#[tokio::test(flavor = "multi_thread")]
async fn baton_push_of_a_stale_holder_says_that_it_is_over_and_forgets_the_lease() {
    let world = World::new().await;
    let (stale, successor) = (world.machine("ada", LONG_TTL_S), world.machine("bob", LONG_TTL_S));
    let epoch = stale.claim();
    stale.commit("a.txt");
    take_over(&successor, epoch).await;
    let before = world.tips().await;
    let (code, _, complaint) = stale.push(&[]);
    assert_eq!(code, 1, "{complaint}");
    assert!(complaint.contains("is not held any more") && complaint.contains("baton check"), "{complaint}");
    assert_eq!(world.tips().await, before);
    assert_eq!(before.1, None, "the branch was never made");
    let (code, _, complaint) = stale.push(&[]);
    assert_eq!(code, 1);
    assert!(complaint.contains("holds no lease"), "{complaint}");
    successor.commit("b.txt");
    successor.must_push();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_that_was_handed_back_and_taken_again_is_another_claim() {
    let world = World::new().await;
    let (stale, successor) = (world.machine("ada", LONG_TTL_S), world.machine("bob", LONG_TTL_S));
    let epoch = stale.claim();
    let lease = stale.lease();
    let (code, _, complaint) = stale.baton(&["release", crate::fencing::REF, "--outcome", "cancelled"]);
    assert_eq!(code, 0, "{complaint}");
    let new = stale.commit("a.txt");
    let is_refused = || {
        let outcome = stale.push_whatever_the_clock_says(&lease, topic(&new, None));
        matches!(outcome, PushOutcome::Stale { .. })
    };
    assert!(is_refused(), "released");
    assert_eq!(successor.claim(), epoch + 1);
    assert!(is_refused(), "taken");
    let delete = ["push", "-q", "origin", ":refs/baton/claims/1"];
    git(&successor.clone, &delete);
    assert!(is_refused(), "deleted by hand");
    assert_eq!(world.tips().await, (None, None));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_branch_that_someone_else_moved_is_left_alone_and_so_is_the_claim() {
    let world = World::new().await;
    let (holder, other) = (world.machine("ada", LONG_TTL_S), world.machine("bob", LONG_TTL_S));
    holder.claim();
    let first = holder.commit("a.txt");
    holder.must_push();
    other.follow_topic();
    let theirs = other.commit("theirs.txt");
    git(&other.clone, &["push", "-q", "origin", "topic"]);
    let before = world.tips().await;
    let second = holder.commit("b.txt");
    let (code, _, complaint) = holder.push(&["--force"]);
    assert_eq!(code, 1, "{complaint}");
    assert!(complaint.contains("not where this checkout last saw it"), "{complaint}");
    let outcome = holder.push_whatever_the_clock_says(&holder.lease(), topic(&second, Some(&first)));
    assert_eq!(outcome, PushOutcome::BranchMoved { name: TOPIC.to_owned() });
    let outcome = holder.push_whatever_the_clock_says(&holder.lease(), topic(&second, None));
    assert_eq!(outcome, PushOutcome::BranchMoved { name: TOPIC.to_owned() }, "it must not exist, and does");
    assert_eq!(world.tips().await, before);
    assert_eq!(before.1, Some(theirs.to_string()));
    git(&holder.clone, &["fetch", "-q", "origin"]);
    git(&holder.clone, &["rebase", "-q", "origin/topic"]);
    holder.must_push();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bare_force_with_lease_after_a_fetch_overwrites_a_successor_and_a_fenced_push_does_not() {
    let world = World::new().await;
    let (stale, successor) = (world.machine("ada", LONG_TTL_S), world.machine("bob", LONG_TTL_S));
    let epoch = stale.claim();
    stale.commit("a.txt");
    stale.must_push();
    let lease = stale.lease();
    take_over(&successor, epoch).await;
    successor.follow_topic();
    let theirs = successor.commit("theirs.txt");
    successor.must_push();
    let mine = stale.commit("late.txt");
    // Anything may fetch in the background: an editor, an agent, a schedule.
    git(&stale.clone, &["fetch", "-q", "origin"]);
    let before = world.tips().await;
    let mut branch = topic(&mine, Some(&theirs));
    branch.allows_rewrite = true;
    assert!(matches!(stale.push_whatever_the_clock_says(&lease, branch), PushOutcome::Stale { .. }));
    assert_eq!((before.1.as_deref(), &world.tips().await), (Some(theirs.as_str()), &before));
    let bare = try_git(&stale.clone, &["push", "-q", "--force-with-lease", "origin", "topic"]);
    assert!(bare.status.success(), "git takes what was fetched for what is known");
    assert_eq!(world.tip(TOPIC).await, Some(mine.to_string()), "the successor's commit is gone");
}
