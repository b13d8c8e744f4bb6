//! Those who wake: several at once, in a hurry at times, and persistent. What they ask has a key and a comment of its own, so
//! that asking again after a broken connection asks nothing twice.

use std::time::{Duration, Instant};

use baton_claims::machine::SystemEntropy;
use baton_core::slot::wake::{WakeAsk, WakeOutcome};
use baton_core::slot::{AgentName, Asker, Context, ItemKey, Reason, Source};
use baton_core::tracker::IssueKey;
use baton_engine::relay::Relay;
use baton_fixtures::Dice;
use baton_store::SqlStore;
use tokio::task::JoinSet;

/// How many ask at once.
const WAKERS: u64 = 16;
/// How long a wakeup is tried; there is no outage as long as this.
const TRY_FOR: Duration = Duration::from_secs(60);
const TRY_AGAIN: Duration = Duration::from_millis(100);
/// The agents as people write them.
const AGENTS: [&str; 5] = ["dev", "cto", "qa", "Dev", " QA "];

pub(crate) type FleetRelay = Relay<SqlStore, SystemEntropy>;

/// What was asked and committed.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) item: ItemKey,
    pub(crate) key: String,
    pub(crate) comment: u64,
}

pub(crate) fn issue(number: u64) -> ItemKey {
    ItemKey::issue(&IssueKey { repo: "acme/fleet".parse().unwrap(), number })
}

/// Asks so often, over about so long.
pub(crate) async fn wake(
    relay: FleetRelay,
    seed: u64,
    wakeups: u64,
    issues: u64,
    about: Duration,
) -> Vec<Asked> {
    let mut wakers = JoinSet::new();
    for number in 0..WAKERS {
        let count = wakeups / WAKERS + u64::from(number < wakeups % WAKERS);
        let dice = Dice::new(seed, 1_000_000_007 + number);
        let waker = Waker { relay: relay.clone(), dice, number, issues };
        wakers.spawn(waker.work(count, about));
    }
    wakers.join_all().await.into_iter().flatten().collect()
}

struct Waker {
    relay: FleetRelay,
    dice: Dice,
    number: u64,
    issues: u64,
}

impl Waker {
    async fn work(mut self, count: u64, about: Duration) -> Vec<Asked> {
        let mut asked = Vec::new();
        let mean_ms = u64::try_from(about.as_millis()).unwrap() / count.max(1);
        let mut number = issue(1);
        for nth in 0..count {
            // Now and then several ask about the same issue at the same moment.
            let in_a_burst = self.dice.percent(40);
            if !in_a_burst {
                number = issue(self.dice.between(1, self.issues));
                let pause = self.dice.up_to(mean_ms * 10 / 3);
                tokio::time::sleep(Duration::from_millis(pause)).await;
            }
            asked.push(self.ask(number.clone(), nth).await);
        }
        asked
    }

    async fn ask(&mut self, item: ItemKey, nth: u64) -> Asked {
        let comment = self.number * 1_000_000 + nth + 1;
        let key = format!("comment-{comment}");
        let ask = WakeAsk {
            agent: AgentName::from(*self.dice.choose(&AGENTS).unwrap()),
            source: Source::Webhook,
            reason: Reason::IssueCommented,
            context: Context::of_comments([comment]),
            asked_by: Asker {
                who: format!("waker {}", self.number),
                is_person: self.dice.percent(20),
                run: None,
            },
            key: Some(key.clone()),
        };
        self.insist(&item, &ask).await;
        Asked { item, key, comment }
    }

    async fn insist(&self, item: &ItemKey, ask: &WakeAsk) {
        let began = Instant::now();
        loop {
            match self.relay.wake(item, ask).await {
                Ok(WakeOutcome::Refused(why)) => panic!("{ask:?} was refused: {why}"),
                Ok(_) => return,
                Err(error) if error.is_retryable() && began.elapsed() < TRY_FOR => {
                    tokio::time::sleep(TRY_AGAIN).await;
                }
                Err(error) => panic!("{ask:?} of {item}: {error}"),
            }
        }
    }
}
