//! Keeps what GitHub last said about the budget, and sends nothing while it is spent.
//!
//! Budgets belong to a token and a resource; what GitHub calls a secondary limit holds for all that a token asks, so that one
//! call that meets it makes the others wait too. Time is the server's: its last `Date` plus what has passed here since. The
//! waiting is done by `retry`, which sees a refusal like any other limit.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use baton_core::time::ServerTime;
use http::HeaderValue;
use serde::Deserialize;
use tower::{Layer, Service, ServiceExt as _};

use super::limits::secondary_limit_of;
use super::lock;
use crate::call::{Call, Exchange, Failure, Pending, Reply};
use crate::pace::SharedPace;

/// Windows are dropped once they have ended; this bounds how many tokens' can pile up in between.
const BUDGETS_MAX: usize = 64;

/// The resource of GraphQL.
const GRAPHQL: &str = "graphql";

/// Where a token stands in one resource, as the last answer said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RateBudget {
    /// `core`, `search`, …
    pub resource: String,
    /// Requests per window.
    pub limit: u64,
    /// Requests left in it.
    pub remaining: u64,
    /// When the next window begins.
    pub reset: ServerTime,
}

#[derive(Debug, Clone)]
struct Standing {
    budget: RateBudget,
    date: ServerTime,
    seen_at: Duration,
}

impl Standing {
    fn permille(&self) -> u32 {
        let left = self.budget.remaining.saturating_mul(1000).checked_div(self.budget.limit).unwrap_or(0);
        u32::try_from(left.min(1000)).unwrap_or(1000)
    }

    /// Returns whether its window has not ended.
    fn is_current(&self, now: Duration) -> bool {
        let window = u64::try_from(self.budget.reset.seconds_since(self.date)).unwrap_or(0);
        now.saturating_sub(self.seen_at) < Duration::from_secs(window)
    }

    /// Returns how long the budget is spent from now, if it is.
    fn wait(&self, now: Duration) -> Option<Duration> {
        if self.budget.remaining > 0 {
            return None;
        }
        let window = u64::try_from(self.budget.reset.seconds_since(self.date)).ok()?;
        let left = Duration::from_secs(window).checked_sub(now.saturating_sub(self.seen_at))?;
        (!left.is_zero()).then_some(left)
    }
}

/// The standings, and the newest time the server has told.
#[derive(Debug)]
pub(crate) struct Budgets {
    standings: Mutex<BTreeMap<(u64, String), Standing>>,
    /// Until when tokens were asked to send nothing at all.
    blocked: Mutex<BTreeMap<u64, Duration>>,
    last_date: AtomicI64,
    pace: SharedPace,
}

impl Budgets {
    pub(crate) fn new(pace: SharedPace) -> Self {
        Self {
            standings: Mutex::default(),
            blocked: Mutex::default(),
            last_date: AtomicI64::new(i64::MIN),
            pace,
        }
    }

    pub(crate) fn all(&self) -> Vec<RateBudget> {
        lock(&self.standings).values().map(|standing| standing.budget.clone()).collect()
    }

    pub(crate) fn last_date(&self) -> Option<ServerTime> {
        let date = self.last_date.load(Ordering::Relaxed);
        (date != i64::MIN).then_some(ServerTime(date))
    }

    /// Returns how much is left of the budget that is most nearly spent, in thousandths, as far as budgets are known.
    pub(crate) fn left_permille(&self) -> Option<u32> {
        let now = self.pace.now();
        lock(&self.standings)
            .values()
            .filter(|standing| standing.is_current(now))
            .map(Standing::permille)
            .min()
    }

    fn wait(&self, token: u64, resource: &str) -> Option<Duration> {
        let now = self.pace.now();
        let standings = lock(&self.standings);
        let spent = standings.get(&(token, resource.to_owned())).and_then(|standing| standing.wait(now));
        let left = |until: &Duration| until.checked_sub(now).filter(|left| !left.is_zero());
        spent.max(lock(&self.blocked).get(&token).and_then(left))
    }

    /// Notes that a token is to send nothing for a while.
    fn block(&self, token: u64, reply: &Reply) {
        let Some(wait) = secondary_limit_of(reply) else { return };
        let (mut blocked, now) = (lock(&self.blocked), self.pace.now());
        blocked.retain(|_, until| now < *until);
        let until = blocked.entry(token).or_default();
        *until = (now + wait).max(*until);
    }

    fn note(&self, token: u64, resource: &'static str, reply: &Reply) {
        let Some(date) = reply.date() else { return };
        self.last_date.store(date.0, Ordering::Relaxed);
        let told = budget_of(reply, resource);
        let told = told.or_else(|| (resource == GRAPHQL).then(|| budget_in(reply)).flatten());
        let Some(budget) = told else { return };
        let (mut standings, now) = (lock(&self.standings), self.pace.now());
        if standings.len() >= BUDGETS_MAX {
            standings.retain(|_, standing| standing.wait(now).is_some());
        }
        standings.insert((token, budget.resource.clone()), Standing { budget, date, seen_at: now });
    }
}

fn budget_of(reply: &Reply, resource: &str) -> Option<RateBudget> {
    Some(RateBudget {
        resource: reply.header("x-ratelimit-resource").unwrap_or(resource).to_owned(),
        limit: reply.number("x-ratelimit-limit")?,
        remaining: reply.number("x-ratelimit-remaining")?,
        reset: ServerTime(reply.number("x-ratelimit-reset")?),
    })
}

/// Returns what the answer itself says, where documents ask for it: servers need not send the headers with GraphQL.
fn budget_in(reply: &Reply) -> Option<RateBudget> {
    let told = serde_json::from_slice::<Told>(&reply.body).ok()?.data?.rate_limit?;
    let RateLimitWire { limit, remaining, reset_at } = told;
    Some(RateBudget { resource: GRAPHQL.to_owned(), limit, remaining, reset: reset_at })
}

#[derive(Deserialize)]
struct Told {
    data: Option<ToldData>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToldData {
    rate_limit: Option<RateLimitWire>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RateLimitWire {
    limit: u64,
    remaining: u64,
    reset_at: ServerTime,
}

/// Tells tokens apart without keeping them.
fn token_of(authorization: Option<&HeaderValue>) -> u64 {
    let mut hasher = DefaultHasher::new();
    authorization.map(HeaderValue::as_bytes).hash(&mut hasher);
    hasher.finish()
}

/// Puts budgets before a service.
#[derive(Debug, Clone)]
pub(crate) struct BudgetLayer(pub(crate) Arc<Budgets>);

impl<S> Layer<S> for BudgetLayer {
    type Service = Budgeted<S>;

    fn layer(&self, inner: S) -> Budgeted<S> {
        Budgeted { inner, budgets: Arc::clone(&self.0) }
    }
}

/// A service that is not asked while the budget is spent.
#[derive(Debug, Clone)]
pub(crate) struct Budgeted<S> {
    inner: S,
    budgets: Arc<Budgets>,
}

impl<S: Exchange> Service<Call> for Budgeted<S> {
    type Response = Reply;
    type Error = Failure;
    type Future = Pending;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Failure>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: Call) -> Pending {
        let (inner, budgets) = (self.inner.clone(), Arc::clone(&self.budgets));
        Box::pin(async move {
            let token = token_of(call.authorization.as_ref());
            let resource = call.resource();
            if let Some(wait) = budgets.wait(token, resource) {
                return Err(Failure::Spent { wait });
            }
            let reply = inner.oneshot(call).await?;
            budgets.block(token, &reply);
            budgets.note(token, resource, &reply);
            Ok(reply)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::fake::{FakeNetwork, get, reply};
    use super::*;
    use crate::pace::fake::FakePace;

    const DATE: (&str, &str) = ("date", "Tue, 14 Nov 2023 22:13:20 GMT");

    fn answer(remaining: &str) -> Reply {
        let reset = ("x-ratelimit-reset", "1700000050");
        reply(200, &[DATE, ("x-ratelimit-limit", "60"), ("x-ratelimit-remaining", remaining), reset], "")
    }

    fn with(replies: Vec<Reply>) -> (Budgeted<FakeNetwork>, Arc<FakePace>) {
        let pace = Arc::new(FakePace::default());
        let layer = BudgetLayer(Arc::new(Budgets::new(pace.clone())));
        (layer.layer(FakeNetwork::answering(replies.into_iter().map(Ok))), pace)
    }

    #[tokio::test]
    async fn nothing_is_sent_while_the_budget_is_spent() {
        let (service, pace) = with(vec![answer("0"), answer("59")]);
        service.clone().oneshot(get("/thing")).await.unwrap();
        pace.advance(Duration::from_secs(20));
        let refused = service.clone().oneshot(get("/thing")).await.unwrap_err();
        assert_eq!(refused, Failure::Spent { wait: Duration::from_secs(30) }, "the server's window is kept");
        assert_eq!(service.inner.count(), 1);
        pace.advance(Duration::from_secs(30));
        service.clone().oneshot(get("/thing")).await.unwrap();
        assert_eq!(service.budgets.all()[0].remaining, 59);
    }

    #[tokio::test]
    async fn a_spent_token_does_not_hold_up_another() {
        let (service, _) = with(vec![answer("0"), answer("59")]);
        service.clone().oneshot(get("/thing")).await.unwrap();
        let authorization = Some("Bearer other".parse().unwrap());
        service.clone().oneshot(Call { authorization, ..get("/thing") }).await.unwrap();
        assert_eq!(service.inner.count(), 2);
    }

    #[tokio::test]
    async fn a_secondary_limit_holds_for_everything_that_the_token_asks() {
        let limited = reply(403, &[DATE, ("retry-after", "30")], "You have exceeded a secondary rate limit.");
        let (service, pace) = with(vec![limited, answer("59"), answer("58")]);
        service.clone().oneshot(get("/thing")).await.unwrap();
        pace.advance(Duration::from_secs(10));
        let question = Call { title: Some("Sight"), ..get("/graphql") };
        for call in [get("/other"), question.clone()] {
            let refused = service.clone().oneshot(call).await.unwrap_err();
            assert_eq!(refused, Failure::Spent { wait: Duration::from_secs(20) });
        }
        let authorization = Some("Bearer other".parse().unwrap());
        service.clone().oneshot(Call { authorization, ..get("/thing") }).await.unwrap();
        pace.advance(Duration::from_secs(20));
        service.clone().oneshot(question).await.unwrap();
        assert_eq!(service.inner.count(), 3);
    }

    #[tokio::test]
    async fn the_newest_answer_is_what_is_told() {
        let (service, _) = with(vec![answer("7"), answer("6"), reply(200, &[DATE], "")]);
        for _ in 0..3 {
            service.clone().oneshot(get("/thing")).await.unwrap();
        }
        let budget =
            RateBudget { resource: "core".into(), limit: 60, remaining: 6, reset: ServerTime(1_700_000_050) };
        assert_eq!(service.budgets.all(), [budget]);
        assert_eq!(service.budgets.last_date(), Some(ServerTime(1_700_000_000)));
    }
}
