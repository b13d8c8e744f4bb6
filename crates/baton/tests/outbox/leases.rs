//! Effects that are bound to the tracker's lease, and handing it back, by both protocols and from a process that did not
//! take it.

use std::time::Duration;

use baton_claims::{Fleet, FleetClaims, FleetSettings};
use baton_core::claim::step::Acquired;
use baton_core::claim::{Lease, Protocol};
use baton_core::slot::effect::NewEffect;
use baton_core::slot::start::Started;
use baton_core::tracker::IssueKey;
use baton_engine::claims::{ClaimRequest, ClaimSettings, token_of};
use baton_engine::outbox::{Alone, Performed};
use baton_fixtures::TOKEN;
use baton_ports::Store as _;
use serde_json::json;

use crate::outbox::effects::{MemoryEffects, VISIBLE_WITHIN, comment, outbox, release};
use crate::outbox::setup::{Setup, settings};

const BOTH: [Protocol; 2] = [Protocol::Comment, Protocol::Ref];
/// The default ttl and the margin after it, and a second.
const PAST_HOLD_S: i64 = 4 * 3600 + 31;

struct Scene {
    setup: Setup,
    memory: MemoryEffects,
    issue: IssueKey,
    protocol: Protocol,
}

impl Scene {
    async fn new(protocol: Protocol) -> Self {
        let setup = Setup::new().await;
        let issue = setup.issue().await;
        Self { setup, memory: MemoryEffects::new().await, issue, protocol }
    }

    /// The claims of one machine; each has a memory of its own.
    async fn fleet(&self, login: &str, token: &str) -> Fleet {
        let mut claims = ClaimSettings::new(login);
        claims.forced_protocol = Some(self.protocol);
        claims.timing.settle = Duration::from_millis(100);
        claims.timing.visible_within = VISIBLE_WITHIN;
        let github = settings(&self.setup.forge.url, token);
        let state_dir = self.setup.forge.dir().join(login);
        Fleet::new(FleetSettings { github, claims, state_dir }).unwrap()
    }

    async fn win(&self, fleet: &Fleet, login: &str) -> Lease {
        let holder = fleet.holder(login, fleet.new_firing().as_str()).unwrap();
        let request = ClaimRequest { holder, label: None, nonce: None };
        match fleet.claims.claim(&self.issue, &request).await.unwrap().acquired {
            Acquired::Won(lease) => lease,
            other => panic!("{login} did not win: {other:?}"),
        }
    }

    /// A run that has claimed its issue, as the machine `ann`.
    async fn claimed_run(&self) -> (Started, Fleet) {
        let token = self.setup.account("ann", "write").await;
        let ann = self.fleet("ann", &token).await;
        let started = self.memory.effects.start(&self.issue, "builder").await;
        let lease = self.win(&ann, "ann").await;
        self.memory.effects.keep_lease(&started, token_of(&lease)).await;
        (started, ann)
    }

    async fn finish(&self, started: &Started) {
        let effects = vec![NewEffect::leased(comment("built")), release("success")];
        self.memory.effects.finish(started, effects).await;
    }

    /// The claims of another machine of the same installation, that knows nothing but the token.
    async fn elsewhere(&self) -> FleetClaims {
        self.fleet("elsewhere", TOKEN).await.claims
    }

    async fn holder(&self) -> Option<String> {
        let standing = self.elsewhere().await.standing(&self.issue).await.unwrap();
        standing.holder.map(|holder| holder.codename.to_string())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_machine_that_knows_only_the_token_performs_and_hands_the_lease_back() {
    for protocol in BOTH {
        let scene = Scene::new(protocol).await;
        let (started, _ann) = scene.claimed_run().await;
        scene.finish(&started).await;
        assert_eq!(scene.holder().await.as_deref(), Some("ann"), "{protocol}");
        let outbox = outbox(scene.memory.effects.store(), scene.setup.github(TOKEN), scene.elsewhere().await);
        let performed = scene.memory.perform_due(&outbox).await;
        assert!(
            matches!(&performed[..], [Performed::Done(_), Performed::Done(_)]),
            "{protocol}: {performed:?}"
        );
        assert_eq!(scene.setup.marked(&scene.issue).await, ["built"]);
        assert_eq!(scene.holder().await, None, "{protocol}");
        let item = scene.memory.effects.store().item(&started.item.key).await.unwrap().unwrap();
        assert_eq!(item.lease, None, "what was given back is forgotten: {protocol}");
        let labels = scene.setup.repo.labels(scene.issue.number).await;
        assert_eq!(labels, ["agent:in-flight"], "labels are the decision's: {protocol}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lease_that_was_lost_makes_its_effects_dead_and_is_left_to_its_new_holder() {
    for protocol in BOTH {
        let scene = Scene::new(protocol).await;
        let (started, _ann) = scene.claimed_run().await;
        scene.finish(&started).await;
        let bob = scene.fleet("bob", &scene.setup.account("bob", "write").await).await;
        scene.setup.forge.shift_clock(PAST_HOLD_S).await;
        scene.win(&bob, "bob").await;
        let before = scene.setup.said(&scene.issue).await;
        scene.memory.advance(VISIBLE_WITHIN);
        let outbox = outbox(scene.memory.effects.store(), scene.setup.github(TOKEN), scene.elsewhere().await);
        let performed = scene.memory.perform_all(&outbox).await;
        let is_lost = |it: &Performed| matches!(it, Performed::Dead(_, why) if why.contains("lost to bob"));
        assert!(performed.len() == 2 && performed.iter().all(is_lost), "{protocol}: {performed:?}");
        assert_eq!(scene.setup.said(&scene.issue).await, before, "nothing was written: {protocol}");
        assert_eq!(scene.holder().await.as_deref(), Some("bob"), "{protocol}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lease_that_cannot_be_read_is_not_lost() {
    for protocol in BOTH {
        let scene = Scene::new(protocol).await;
        let (started, _ann) = scene.claimed_run().await;
        scene.finish(&started).await;
        scene.memory.advance(VISIBLE_WITHIN);
        scene
            .setup
            .forge
            .fault(json!({ "method": "GET" }), "before", json!({ "status": 502 }), 0, Some(4))
            .await;
        let outbox = outbox(scene.memory.effects.store(), scene.setup.github(TOKEN), scene.elsewhere().await);
        let performed = scene.memory.perform_due(&outbox).await;
        assert!(matches!(&performed[..], [Performed::Later(..)]), "{protocol}: {performed:?}");
        assert!(scene.setup.marked(&scene.issue).await.is_empty());
        let performed = scene.memory.perform_all(&outbox).await;
        assert!(
            matches!(&performed[..], [Performed::Done(_), Performed::Done(_)]),
            "{protocol}: {performed:?}"
        );
        assert_eq!(scene.holder().await, None, "{protocol}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_may_not_write_leaves_a_dead_effect_and_the_release_is_performed() {
    for protocol in BOTH {
        let scene = Scene::new(protocol).await;
        let (started, ann) = scene.claimed_run().await;
        scene.finish(&started).await;
        let reader = scene.setup.github(&scene.setup.account("reader", "read").await);
        let outbox = outbox(scene.memory.effects.store(), reader, ann.claims);
        let performed = scene.memory.perform_due(&outbox).await;
        assert!(
            matches!(&performed[..], [Performed::Dead(_, why), Performed::Done(_)] if why.contains("not accessible")),
            "{protocol}: {performed:?}"
        );
        assert_eq!(scene.holder().await, None, "{protocol}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_release_whose_answers_are_lost_is_found_released() {
    for protocol in BOTH {
        let scene = Scene::new(protocol).await;
        let (started, _ann) = scene.claimed_run().await;
        scene.memory.effects.finish(&started, vec![release("success")]).await;
        let (method, path) = match protocol {
            Protocol::Comment => ("POST", "/comments"),
            Protocol::Ref => ("PATCH", "/git/refs"),
        };
        let matching = json!({ "method": method, "path_contains": path });
        scene.setup.forge.fault(matching, "after", json!("drop"), 0, Some(20)).await;
        let outbox = outbox(scene.memory.effects.store(), scene.setup.github(TOKEN), scene.elsewhere().await);
        let performed = scene.memory.perform_all(&outbox).await;
        assert!(
            matches!(&performed[..], [Performed::Later(..), Performed::Done(_)]),
            "{protocol}: {performed:?}"
        );
        scene.setup.forge.calm().await;
        assert_eq!(scene.holder().await, None, "{protocol}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_took_no_lease_has_none_to_give_back() {
    let scene = Scene::new(Protocol::Ref).await;
    let started = scene.memory.effects.start(&scene.issue, "builder").await;
    scene.finish(&started).await;
    let outbox = outbox(scene.memory.effects.store(), scene.setup.github(TOKEN), Alone);
    let performed = scene.memory.perform_due(&outbox).await;
    assert!(matches!(&performed[..], [Performed::Done(_), Performed::Done(_)]), "{performed:?}");
}
