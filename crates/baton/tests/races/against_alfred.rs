//! Alfred's algorithm, in the interleavings that it does not survive.

use serde_json::json;

use crate::races::setup::Setup;
use crate::rivals::alfred::{self, Alfred};
use crate::rivals::alfred_sweep;
use crate::rivals::alfred_words::{IMPLEMENT, IN_FLIGHT};
use crate::rivals::{Api, Identity, Outcome};

/// Two accounts that want one issue.
struct Pair {
    setup: Setup,
    issue: u64,
    apis: [Api; 2],
    who: [Identity; 2],
}

impl Pair {
    async fn new() -> Self {
        let setup = Setup::new().await;
        let issue = setup.issue().await;
        let apis = [setup.claimant("lucius").await, setup.claimant("bane").await];
        Self { setup, issue, apis, who: [Identity::fresh("lucius", 1), Identity::fresh("bane", 2)] }
    }

    fn claims(&self) -> [Alfred; 2] {
        [0, 1].map(|index| self.claim(index))
    }

    fn claim(&self, index: usize) -> Alfred {
        Alfred::new(&self.apis[index], self.issue, &self.who[index])
    }

    async fn labels(&self) -> Vec<String> {
        let mut labels = self.setup.aftermath(self.issue).await.labels;
        labels.retain(|label| label.starts_with("agent:"));
        labels
    }

    /// Lets both look and mark before either posts.
    async fn marked(&self) -> [Alfred; 2] {
        let [mut first, mut second] = self.claims();
        assert_eq!((first.look().await, second.look().await), (None, None));
        assert!(first.mark().await && second.mark().await);
        [first, second]
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn alfred_has_two_winners_when_both_post_in_one_second() {
    let pair = Pair::new().await;
    pair.setup.forge.freeze_clock(alfred::now().0).await;
    let [mut first, mut second] = pair.marked().await;
    assert!(first.bid().await && second.bid().await);
    let verdicts = [first.settle().await, second.settle().await];
    assert!(verdicts.iter().all(|verdict| verdict.won()), "{verdicts:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn alfreds_loser_takes_the_label_off_the_winners_issue() {
    let pair = Pair::new().await;
    let now = alfred::now().0;
    let [mut first, mut second] = pair.marked().await;
    pair.setup.forge.freeze_clock(now).await;
    assert!(first.bid().await);
    pair.setup.forge.freeze_clock(now + 1).await;
    assert!(second.bid().await);
    let (first, second) = (first.settle().await, second.settle().await);
    assert_eq!((first.outcome, second.outcome), (Outcome::Won, Outcome::Lost));
    let named = format!("lucius:{}", pair.who[0].firing_id);
    assert_eq!(second.lost_to, Some(named));
    assert_eq!(pair.labels().await, [IMPLEMENT], "the issue is held and reads as free");
}

#[tokio::test(flavor = "multi_thread")]
async fn alfred_claims_what_is_forbidden_when_its_first_view_fails() {
    let pair = Pair::new().await;
    let label = json!({ "labels": ["do-not-pickup"] });
    pair.setup.repo.send("POST", &format!("/issues/{}/labels", pair.issue), label).await;
    let refused = pair.claim(0).claim().await;
    assert_eq!((refused.outcome, refused.lost_to.as_deref()), (Outcome::Refused, Some("do-not-pickup")));
    let matching = json!({ "method": "GET", "login": "bane" });
    pair.setup.forge.fault(matching, "before", json!({ "status": 502 }), 0, Some(1)).await;
    assert_eq!(pair.claim(1).claim().await.outcome, Outcome::Won);
}

#[tokio::test(flavor = "multi_thread")]
async fn alfred_has_two_winners_when_the_later_ones_second_view_fails() {
    let pair = Pair::new().await;
    let now = alfred::now().0;
    let [mut first, mut second] = pair.marked().await;
    pair.setup.forge.freeze_clock(now).await;
    assert!(first.bid().await);
    pair.setup.forge.freeze_clock(now + 1).await;
    assert!(second.bid().await);
    let matching = json!({ "method": "GET", "login": "bane" });
    pair.setup.forge.fault(matching, "before", json!("drop"), 0, None).await;
    assert!(first.settle().await.won() && second.settle().await.won());
}

#[tokio::test(flavor = "multi_thread")]
async fn alfred_has_two_winners_when_reads_lag_behind_its_own_comment() {
    let pair = Pair::new().await;
    pair.setup.stop_reads().await;
    let (first, second) = (pair.claim(0).claim().await, pair.claim(1).claim().await);
    assert!(first.won() && second.won(), "{first:?} {second:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn alfreds_sweep_strips_a_claim_between_its_label_and_its_comment() {
    let pair = Pair::new().await;
    let mut first = pair.claim(0);
    assert_eq!(first.look().await, None);
    assert!(first.mark().await);
    let sweeper = &pair.apis[1];
    let stale = alfred_sweep::find(sweeper, alfred::WINDOW_S, alfred::now()).await;
    let [missing] = &stale[..] else { panic!("{stale:?}") };
    assert_eq!((missing.who.as_ref(), missing.label_drift), (None, false));
    assert!(alfred_sweep::evict(sweeper, missing, "20270101-030000-cleanup", alfred::now()).await);
    assert!(first.bid().await);
    assert!(first.settle().await.won());
    assert_eq!(pair.labels().await, [IMPLEMENT], "the issue is held and reads as free");
}

#[tokio::test(flavor = "multi_thread")]
async fn alfreds_late_release_takes_the_label_off_its_successors_issue() {
    let pair = Pair::new().await;
    let now = alfred::now().0;
    pair.setup.forge.freeze_clock(now - 5 * 3_600).await;
    assert!(pair.claim(0).claim().await.won());
    pair.setup.forge.freeze_clock(now).await;
    let stale = alfred_sweep::find(&pair.apis[1], alfred::WINDOW_S, alfred::now()).await;
    assert_eq!(stale.len(), 1, "{stale:?}");
    assert_eq!(stale[0].who.as_ref(), Some(&pair.who[0]));
    assert!(alfred_sweep::evict(&pair.apis[1], &stale[0], "20270101-030000-cleanup", alfred::now()).await);
    assert!(pair.claim(1).claim().await.won());
    assert_eq!(pair.labels().await, [IN_FLIGHT]);
    assert!(alfred::release(&pair.apis[0], pair.issue, &pair.who[0], "no-commit", IMPLEMENT).await);
    assert_eq!(pair.labels().await, [IMPLEMENT], "the successor still works on it");
}

/// A third account, for races that two cannot show.
async fn third(pair: &Pair) -> Alfred {
    let api = pair.setup.claimant("robin").await;
    Alfred::new(&api, pair.issue, &Identity::fresh("robin", 3))
}

#[tokio::test(flavor = "multi_thread")]
async fn alfreds_loser_blocks_everybody_when_its_release_cannot_be_posted() {
    let pair = Pair::new().await;
    let now = alfred::now().0;
    let [mut first, mut second] = pair.marked().await;
    pair.setup.forge.freeze_clock(now).await;
    assert!(first.bid().await && first.settle().await.won());
    pair.setup.forge.freeze_clock(now + 1).await;
    assert!(second.bid().await);
    let matching = json!({ "method": "POST", "path_contains": "/comments", "login": "bane" });
    pair.setup.forge.fault(matching, "before", json!({ "status": 502 }), 0, None).await;
    assert_eq!(second.settle().await.outcome, Outcome::Lost);
    assert!(alfred::release(&pair.apis[0], pair.issue, &pair.who[0], "no-commit", IMPLEMENT).await);
    pair.setup.forge.freeze_clock(now + 2).await;
    let late = third(&pair).await.claim().await;
    let named = format!("bane:{}", pair.who[1].firing_id);
    assert_eq!((late.outcome, late.lost_to), (Outcome::Lost, Some(named)), "nobody holds the issue");
}

#[tokio::test(flavor = "multi_thread")]
async fn alfred_blocks_everybody_when_it_dies_between_its_label_and_its_comment() {
    let pair = Pair::new().await;
    let mut dies = pair.claim(0);
    assert_eq!(dies.look().await, None);
    assert!(dies.mark().await);
    drop(dies);
    let other = pair.claim(1).claim().await;
    assert_eq!((other.outcome, other.lost_to.as_deref()), (Outcome::Refused, Some(IN_FLIGHT)));
}

#[tokio::test(flavor = "multi_thread")]
async fn alfreds_third_claimant_yields_to_one_that_is_yielding_itself() {
    let pair = Pair::new().await;
    let now = alfred::now().0;
    let mut third = third(&pair).await;
    let [mut first, mut second] = pair.marked().await;
    assert!(third.mark().await);
    for (claim, second) in [(&mut first, 0), (&mut second, 1), (&mut third, 2)] {
        pair.setup.forge.freeze_clock(now + second).await;
        assert!(claim.bid().await);
    }
    assert!(first.settle().await.won());
    let yielding = second.verify().await;
    assert_eq!(yielding.outcome, Outcome::Lost);
    assert!(alfred::release(&pair.apis[0], pair.issue, &pair.who[0], "no-commit", IMPLEMENT).await);
    let named = format!("bane:{}", pair.who[1].firing_id);
    assert_eq!(third.settle().await.lost_to, Some(named), "the issue is free, and nobody takes it");
    second.give_way(&yielding).await;
}
