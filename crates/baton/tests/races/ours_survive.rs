//! The eleven races that are open in Alfred's algorithm, each shown closed in ours: R1 to R11.
//!
//! Every test chooses its interleaving; none depends on luck. Where a race needs time to pass, the forge's clock is moved.

use std::time::Duration;

use baton_claims::Fleet;
use baton_core::claim::handback::{HandedBack, Handover};
use baton_core::claim::renewal::Renewed;
use baton_core::claim::step::Acquired;
use baton_core::claim::{Lease, Outcome, Protocol, Refusal};
use baton_core::labels::{DO_NOT_PICKUP, IMPLEMENT, IN_FLIGHT, PR_OPEN};
use baton_core::tracker::IssueKey;
use baton_engine::claims::{ClaimRequest, SweepOptions};
use serde_json::json;

use crate::races::ours::{self, OurOrders};
use crate::races::setup::Setup;
use crate::rivals::Identity;
use crate::rivals::alfred;

const BOTH: [Protocol; 2] = [Protocol::Comment, Protocol::Ref];
/// The default ttl and the margin after it, and a second.
const PAST_HOLD_S: i64 = 4 * 3600 + 31;
/// The ttl of a bid and the margin after it, and a second.
const PAST_BID_S: i64 = 120 + 31;

/// A forge with one issue and workers of ours.
struct Scene {
    setup: Setup,
    key: IssueKey,
    protocol: Protocol,
}

impl Scene {
    async fn new(protocol: Protocol) -> Self {
        let setup = Setup::new().await;
        let key =
            IssueKey { repo: setup.repo.name.parse().expect("a repository"), number: setup.issue().await };
        Self { setup, key, protocol }
    }

    async fn worker(&self, name: &str) -> Worker {
        self.worker_with(name, OurOrders::default()).await
    }

    async fn worker_beside_alfred(&self, name: &str) -> Worker {
        self.worker_with(name, OurOrders { beside_alfred: true, ..OurOrders::default() }).await
    }

    async fn worker_with(&self, name: &str, orders: OurOrders) -> Worker {
        let api = self.setup.claimant(name).await;
        let state_dir = self.setup.state_dir(name).into();
        let settle = Duration::from_millis(200);
        let orders = OurOrders { state_dir, settle, ..orders };
        let who = Identity::fresh(name, 1);
        Worker { fleet: ours::fleet(self.protocol, &api, &who, &orders), who, key: self.key.clone() }
    }

    async fn labels(&self) -> Vec<String> {
        let mut labels = self.setup.aftermath(self.key.number).await.labels;
        labels.retain(|label| label.starts_with("agent:"));
        labels.sort();
        labels
    }

    async fn fault(&self, login: &str, method: &str, path: &str, skip: u64, times: u64) {
        let matching = json!({ "method": method, "path_contains": path, "login": login });
        self.setup.forge.fault(matching, "before", json!("drop"), skip, Some(times)).await;
    }
}

struct Worker {
    fleet: Fleet,
    who: Identity,
    key: IssueKey,
}

impl Worker {
    async fn claim(&self) -> Acquired {
        let holder = self.fleet.holder(&self.who.codename, &self.who.firing_id).expect("a name");
        let request = ClaimRequest { holder, label: None, nonce: None };
        self.fleet.claims.claim(&self.key, &request).await.expect("the forge answers").acquired
    }

    async fn win(&self) -> Lease {
        match self.claim().await {
            Acquired::Won(lease) => lease,
            other => panic!("{} did not win: {other:?}", self.who.codename),
        }
    }

    async fn release(&self, lease: Lease, to: &str) -> HandedBack {
        let handover =
            Handover { outcome: Outcome::Success, to: Some(to.to_owned()), pr: None, leaves_labels: false };
        self.fleet.claims.release(&self.key, lease, handover).await
    }

    async fn sweep(&self) -> baton_engine::claims::IssueSweep {
        let options = SweepOptions { max_age: None, is_dry_run: false, sweep_id: "test".to_owned() };
        self.fleet.claims.sweep_one(&self.key, &options).await.expect("the forge answers")
    }
}

fn is_lost(acquired: &Acquired, to: &str) -> bool {
    matches!(acquired, Acquired::Lost { to: Some(holder) } if holder.codename.as_str() == to)
}

#[tokio::test(flavor = "multi_thread")]
async fn r1_of_two_bids_in_the_same_second_the_smaller_id_wins() {
    let scene = Scene::new(Protocol::Comment).await;
    let (ann, bob) = (scene.worker("ann").await, scene.worker("bob").await);
    let now = alfred::now().0;
    scene.setup.forge.freeze_clock(now).await;
    let thaw = async {
        while scene.setup.repo.bodies(scene.key.number).await.len() < 2 {
            tokio::task::yield_now().await;
        }
        scene.setup.forge.freeze_clock(now + 1).await;
    };
    let (first, second, ()) = tokio::join!(ann.claim(), bob.claim(), thaw);
    let winners = [&first, &second].into_iter().filter(|it| matches!(it, Acquired::Won(_))).count();
    assert_eq!(winners, 1, "{first:?} {second:?}");
    let bids = scene.setup.repo.bodies(scene.key.number).await;
    let first_bidder = if bids[0].contains("codename=ann") { &first } else { &second };
    assert!(matches!(first_bidder, Acquired::Won(_)), "the first bid is {}", bids[0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn r2_a_loser_touches_no_label_of_the_winner() {
    for protocol in BOTH {
        let scene = Scene::new(protocol).await;
        let (ann, bob) = (scene.worker("ann").await, scene.worker("bob").await);
        ann.win().await;
        assert_eq!(scene.labels().await, [IN_FLIGHT]);
        // Someone puts the label back by hand, so that the issue looks free.
        let labels = json!({ "labels": [IMPLEMENT] });
        scene.setup.repo.send("PUT", &format!("/issues/{}/labels", scene.key.number), labels).await;
        let before = scene.setup.aftermath(scene.key.number).await.label_events.len();
        assert!(is_lost(&bob.claim().await, "ann"), "{protocol}");
        assert_eq!(scene.setup.aftermath(scene.key.number).await.label_events.len(), before, "{protocol}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn r3_a_failed_first_read_claims_nothing() {
    for protocol in BOTH {
        let scene = Scene::new(protocol).await;
        let ann = scene.worker("ann").await;
        let label = json!({ "labels": [DO_NOT_PICKUP] });
        scene.setup.repo.send("POST", &format!("/issues/{}/labels", scene.key.number), label).await;
        let refused = ann.claim().await;
        let is_blocked = |it: &Acquired| matches!(it, Acquired::Refused(Refusal::Blocked { label }) if label == DO_NOT_PICKUP);
        assert!(is_blocked(&refused), "{protocol}: {refused:?}");
        scene.fault("ann", "GET", &format!("/issues/{}", scene.key.number), 0, 1_000).await;
        let failed = ann.claim().await;
        assert!(matches!(failed, Acquired::Failed(_)), "{protocol}: {failed:?}");
        scene.setup.forge.calm().await;
        assert!(is_blocked(&scene.worker("bob").await.claim().await), "nothing is held: {protocol}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn r4_a_failed_second_read_fails_closed_and_takes_the_bid_back() {
    let scene = Scene::new(Protocol::Comment).await;
    let (ann, bob) = (scene.worker("ann").await, scene.worker("bob").await);
    scene.fault("ann", "GET", "/comments", 0, 1_000).await;
    let failed = ann.claim().await;
    assert!(matches!(failed, Acquired::Failed(_)), "{failed:?}");
    scene.setup.forge.calm().await;
    let comments = scene.setup.repo.bodies(scene.key.number).await;
    assert!(comments[1].contains("outcome=claim-unverified"), "{comments:?}");
    bob.win().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn r4_a_bid_that_stays_invisible_is_taken_back() {
    let scene = Scene::new(Protocol::Comment).await;
    let mut ann = scene.worker("ann").await;
    ann.fleet.claims.settings.timing.visible_within = Duration::from_secs(1);
    scene.setup.stop_reads().await;
    let failed = ann.claim().await;
    assert!(matches!(&failed, Acquired::Failed(why) if why.contains("visible")), "{failed:?}");
    scene.setup.forge.calm().await;
    scene.worker("bob").await.win().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn r5_a_sweep_leaves_a_label_alone_whose_claim_may_be_on_its_way() {
    for protocol in BOTH {
        let scene = Scene::new(protocol).await;
        let ann = scene.worker("ann").await;
        let labels = json!({ "labels": [IN_FLIGHT] });
        scene.setup.repo.send("PUT", &format!("/issues/{}/labels", scene.key.number), labels).await;
        assert!(!ann.sweep().await.swept.is_requeued, "{protocol}");
        assert_eq!(scene.labels().await, [IN_FLIGHT]);
        scene.setup.forge.shift_clock(601).await;
        assert!(ann.sweep().await.swept.is_requeued, "{protocol}: nobody came within ten minutes");
        assert_eq!(scene.labels().await, [IMPLEMENT]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn r6_a_late_release_after_a_takeover_changes_nothing() {
    for protocol in BOTH {
        let scene = Scene::new(protocol).await;
        let (ann, bob) = (scene.worker("ann").await, scene.worker("bob").await);
        let old = ann.win().await;
        scene.setup.forge.shift_clock(PAST_HOLD_S).await;
        assert_eq!(bob.sweep().await.swept.ended.len(), 1, "{protocol}");
        bob.win().await;
        let before = scene.setup.aftermath(scene.key.number).await.label_events.len();
        let late = ann.release(old, PR_OPEN).await;
        assert!(matches!(late, HandedBack::Lost { .. }), "{protocol}: {late:?}");
        assert_eq!(scene.labels().await, [IN_FLIGHT]);
        assert_eq!(scene.setup.aftermath(scene.key.number).await.label_events.len(), before);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn r7_a_losers_release_that_is_lost_blocks_for_minutes_and_not_for_hours() {
    let scene = Scene::new(Protocol::Comment).await;
    let (ann, bob) = (scene.worker("ann").await, scene.worker("bob").await);
    // Bob's bid is in the way, and what he writes afterwards is lost.
    scene.fault("bob", "GET", "/comments", 0, 1_000).await;
    let lost_release = json!({ "matching": { "method": "POST", "path_contains": "/comments", "login": "bob" },
                               "when": "before", "kind": "drop", "skip": 1, "times": 1_000 });
    let blind = json!({ "matching": { "method": "GET", "path_contains": "/comments", "login": "bob" },
                        "when": "before", "kind": "drop", "times": 1_000 });
    scene.setup.forge.turn(json!({ "faults": [lost_release, blind] })).await;
    assert!(matches!(bob.claim().await, Acquired::Failed(_)));
    scene.setup.forge.calm().await;
    assert!(is_lost(&ann.claim().await, "bob"), "the bid counts while it lasts");
    scene.setup.forge.shift_clock(PAST_BID_S).await;
    ann.win().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn r8_a_claim_is_seen_behind_any_number_of_comments() {
    for protocol in BOTH {
        let scene = Scene::new(protocol).await;
        let (ann, bob) = (scene.worker("ann").await, scene.worker("bob").await);
        ann.win().await;
        for _ in 0..120 {
            let body = json!({ "body": "me too" });
            scene.setup.repo.send("POST", &format!("/issues/{}/comments", scene.key.number), body).await;
        }
        assert!(is_lost(&bob.claim().await, "ann"), "{protocol}");
        let standing = bob.fleet.claims.standing(&scene.key).await.expect("the forge answers");
        assert_eq!(standing.holder.map(|it| it.codename.to_string()).as_deref(), Some("ann"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn r9_a_holder_that_dies_frees_its_issue_after_its_ttl_and_not_before() {
    for protocol in BOTH {
        let scene = Scene::new(protocol).await;
        let (ann, bob) = (scene.worker("ann").await, scene.worker("bob").await);
        ann.win().await;
        scene.setup.forge.shift_clock(PAST_HOLD_S - 10).await;
        assert!(is_lost(&bob.claim().await, "ann"), "{protocol}");
        assert!(bob.sweep().await.swept.ended.is_empty(), "{protocol}");
        scene.setup.forge.shift_clock(PAST_HOLD_S + 10).await;
        bob.win().await;
        assert_eq!(scene.labels().await, [IN_FLIGHT], "{protocol}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn r10_a_hold_that_is_renewed_is_never_evicted() {
    for protocol in BOTH {
        let scene = Scene::new(protocol).await;
        let (ann, bob) = (scene.worker("ann").await, scene.worker("bob").await);
        let mut lease = ann.win().await;
        for hours in [3, 6, 9] {
            scene.setup.forge.shift_clock(hours * 3600).await;
            lease = match ann.fleet.claims.renew(&scene.key, lease).await {
                Renewed::Held(lease) => lease,
                other => panic!("{protocol}: {other:?}"),
            };
            assert!(bob.sweep().await.swept.ended.is_empty(), "{protocol}");
            assert!(is_lost(&bob.claim().await, "ann"), "{protocol}");
        }
        assert_eq!(ann.release(lease, PR_OPEN).await, HandedBack::Released);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn r11_of_three_claimants_one_wins_and_the_others_yield_to_it() {
    for protocol in BOTH {
        let scene = Scene::new(protocol).await;
        let workers = [scene.worker("ann").await, scene.worker("bob").await, scene.worker("cat").await];
        let [ann, bob, cat] = &workers;
        let (first, second, third) = tokio::join!(ann.claim(), bob.claim(), cat.claim());
        let verdicts = [first, second, third];
        let won = verdicts.iter().position(|it| matches!(it, Acquired::Won(_))).expect("a winner");
        let name = &workers[won].who.codename;
        for (at, verdict) in verdicts.iter().enumerate().filter(|(at, _)| *at != won) {
            let knows = matches!(verdict, Acquired::Lost { to: None }) || is_lost(verdict, name);
            assert!(knows, "{protocol}: {} said {verdict:?}", workers[at].who.codename);
        }
    }
}

/// Rows of the table of guarantees that say no, and what is left then.
mod rows {
    use super::*;
    use crate::rivals::alfred::Alfred;

    #[tokio::test(flavor = "multi_thread")]
    async fn by_comment_beyond_its_settle_two_may_hold_and_the_younger_stops_at_its_renewal() {
        let scene = Scene::new(Protocol::Comment).await;
        let (ann, bob) = (scene.worker("ann").await, scene.worker("bob").await);
        // Bob reads only what was there before Ann bid, and his own bid as if it were alone: lag beyond any settle. The
        // forge's lag is the same for all, so Bob's view is made by hiding Ann's claim for as long as he decides.
        let old = ann.win().await;
        let claim = scene.setup.repo.bodies(scene.key.number).await.remove(0);
        let id = old.comment.expect("a comment");
        let path = format!("/issues/comments/{id}");
        scene.setup.repo.send("PATCH", &path, json!({ "body": "hidden by lag" })).await;
        let labels = json!({ "labels": [IMPLEMENT] });
        scene.setup.repo.send("PUT", &format!("/issues/{}/labels", scene.key.number), labels).await;
        let younger = bob.win().await;
        scene.setup.repo.send("PATCH", &path, json!({ "body": claim })).await;
        let stopped = bob.fleet.claims.renew(&scene.key, younger).await;
        assert!(
            matches!(&stopped, Renewed::Lost { to: Some(to), .. } if to.codename.as_str() == "ann"),
            "{stopped:?}"
        );
        assert!(matches!(ann.fleet.claims.renew(&scene.key, old).await, Renewed::Held(_)));
        assert_eq!(scene.labels().await, [IN_FLIGHT], "the elder's renewal puts the label right");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn by_ref_beside_alfred_ours_waits_for_a_claim_of_alfreds_and_yields_unless_it_does() {
        let scene = Scene::new(Protocol::Ref).await;
        let ann = scene.worker_beside_alfred("ann").await;
        let api = scene.setup.claimant("lucius").await;
        let who = Identity::fresh("lucius", 2);
        assert!(alfred::contend(&api, scene.key.number, &who).await.won());
        // Alfred holds: its label and its claim are there, and no ref is.
        let lost = ann.claim().await;
        assert!(is_lost(&lost, "lucius"), "{lost:?}");
        assert!(alfred::release(&api, scene.key.number, &who, "success", IMPLEMENT).await);
        let lease = ann.win().await;
        // And Alfred sees ours.
        let refused = alfred::contend(&api, scene.key.number, &Identity::fresh("lucius", 3)).await;
        assert!(!refused.won(), "{refused:?}");
        assert_eq!(ann.release(lease, IMPLEMENT).await, HandedBack::Released);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn by_ref_beside_an_alfred_that_misses_its_own_comment_ours_yields_at_its_renewal() {
        let scene = Scene::new(Protocol::Ref).await;
        let ann = scene.worker_beside_alfred("ann").await;
        let api = scene.setup.claimant("lucius").await;
        let mut lucius = Alfred::new(&api, scene.key.number, &Identity::fresh("lucius", 2));
        assert_eq!(lucius.look().await, None);
        let lease = ann.win().await;
        scene.setup.stop_reads().await;
        assert!(lucius.mark().await && lucius.bid().await);
        assert!(lucius.settle().await.won(), "it does not see its own comment, and takes that for a win");
        scene.setup.forge.calm().await;
        let yielded = ann.fleet.claims.renew(&scene.key, lease).await;
        assert!(
            matches!(&yielded, Renewed::Lost { to: Some(to), .. } if to.codename.as_str() == "lucius"),
            "{yielded:?}"
        );
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_hold_beside_alfred_ends_before_four_hours_however_long_its_ttl() {
        let scene = Scene::new(Protocol::Ref).await;
        let mut ann = scene.worker_beside_alfred("ann").await;
        ann.fleet.claims.settings.timing.ttl = Duration::from_secs(12 * 3600);
        let four_hours = Duration::from_secs(4 * 3600);
        let lease = ann.win().await;
        let started = lease.sent_at;
        assert!(lease.deadline.since(started) < four_hours, "{lease:?}");
        let Renewed::Held(renewed) = ann.fleet.claims.renew(&scene.key, lease).await else {
            panic!("it was held")
        };
        assert!(renewed.deadline.since(started) < four_hours, "a renewal does not move the end: {renewed:?}");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn beside_scripts_and_fabrik_their_labels_are_put_on_and_taken_off() {
        let scene = Scene::new(Protocol::Ref).await;
        let orders = OurOrders { beside_scripts: true, beside_fabrik: true, ..OurOrders::default() };
        let ann = scene.worker_with("ann", orders).await;
        let lease = ann.win().await;
        let labels = scene.setup.aftermath(scene.key.number).await.labels;
        let has = |labels: &[String], name: &str| labels.iter().any(|label| label == name);
        assert!(
            has(&labels, "claimed") && has(&labels, "fabrik:locked:ann") && has(&labels, IN_FLIGHT),
            "{labels:?}"
        );
        let comments = scene.setup.repo.bodies(scene.key.number).await;
        assert!(comments.iter().any(|body| body.starts_with("<!-- claim run=")), "{comments:?}");
        assert_eq!(ann.release(lease, PR_OPEN).await, HandedBack::Released);
        let labels = scene.setup.aftermath(scene.key.number).await.labels;
        assert!(
            !has(&labels, "claimed") && !has(&labels, "fabrik:locked:ann") && has(&labels, PR_OPEN),
            "{labels:?}"
        );
        let comments = scene.setup.repo.bodies(scene.key.number).await;
        assert!(!comments.iter().any(|body| body.starts_with("<!-- claim run=")), "{comments:?}");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn beside_a_fabrik_engine_that_does_not_yield_ours_does_and_takes_its_lock_off() {
        let scene = Scene::new(Protocol::Ref).await;
        let orders = OurOrders { beside_fabrik: true, ..OurOrders::default() };
        let ann = scene.worker_with("ann", orders).await;
        let lock = json!({ "labels": ["fabrik:locked:bob"] });
        scene.setup.repo.send("POST", &format!("/issues/{}/labels", scene.key.number), lock).await;
        let lost = ann.claim().await;
        assert!(
            matches!(&lost, Acquired::Lost { to: Some(to) } if to.firing_id.as_str() == "bob"),
            "{lost:?}"
        );
        let labels = scene.setup.aftermath(scene.key.number).await.labels;
        assert!(!labels.iter().any(|label| label == "fabrik:locked:ann" || label == IN_FLIGHT), "{labels:?}");
        assert!(labels.iter().any(|label| label == IMPLEMENT), "{labels:?}");
    }
}
