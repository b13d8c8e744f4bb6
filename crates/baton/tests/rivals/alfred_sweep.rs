//! Alfred's sweep: claims that are too old are released under their own name, and labels without a claim are taken off.

use baton_core::time::ServerTime;
use serde_json::Value;

use super::Identity;
use super::alfred::{self, View, WINDOW_S};
use super::alfred_words::{self, IMPLEMENT, IN_FLIGHT};
use super::api::{Api, Attempt};

/// Something to sweep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stale {
    pub(crate) issue: u64,
    /// Nobody: the label is there without any claim.
    pub(crate) who: Option<Identity>,
    /// The label is not there although the claim is.
    pub(crate) label_drift: bool,
}

/// Finds what is stale; requests that fail find nothing.
pub(crate) async fn find(api: &Api, max_age_s: i64, now: ServerTime) -> Vec<Stale> {
    let mut numbers = Vec::new();
    for label in [IN_FLIGHT, IMPLEMENT] {
        let path = format!("/issues?state=open&per_page=100&labels={}", label.replace(':', "%3A"));
        let issues = api.ask("GET", &path, &Value::Null).await.success().unwrap_or_default();
        let found = issues.as_array().map(Vec::as_slice).unwrap_or_default().iter();
        numbers.extend(found.filter_map(|issue| issue["number"].as_u64()));
    }
    numbers.sort_unstable();
    numbers.dedup();
    let mut stale = Vec::new();
    for issue in numbers {
        let view = alfred::view(&mut api.attempt(issue)).await;
        stale.extend(of(issue, &view, max_age_s, now));
    }
    stale
}

fn of(issue: u64, view: &View, max_age_s: i64, now: ServerTime) -> Vec<Stale> {
    let claims = alfred_words::open_claims(&view.comments);
    let label_drift = !view.has(IN_FLIGHT);
    if claims.is_empty() && !label_drift {
        return vec![Stale { issue, who: None, label_drift }];
    }
    let old = claims.into_iter().filter(|claim| claim.age_s(now).is_some_and(|age_s| age_s > max_age_s));
    old.map(|claim| Stale { issue, who: Some(claim.who), label_drift }).collect()
}

/// Releases one stale claim; returns whether nothing failed.
pub(crate) async fn evict(api: &Api, stale: &Stale, sweep_id: &str, now: ServerTime) -> bool {
    let mut attempt = api.attempt(stale.issue);
    if let Some(who) = &stale.who {
        let release = alfred_words::release(who, "stale-swept", &[("swept_by", sweep_id)], now);
        if !attempt.comment(&release).await {
            return false;
        }
    }
    let view = alfred::view(&mut attempt).await;
    if stale.label_drift {
        return view.has(IN_FLIGHT) || view.has(IMPLEMENT) || attempt.add_label(IMPLEMENT).await;
    }
    if is_held(&view, now) {
        return true;
    }
    put_back(&mut attempt).await
}

fn is_held(view: &View, now: ServerTime) -> bool {
    let claims = alfred_words::open_claims(&view.comments);
    claims.iter().any(|claim| claim.age_s(now).is_some_and(|age_s| age_s <= WINDOW_S))
}

async fn put_back(attempt: &mut Attempt) -> bool {
    alfred::edit(attempt, IMPLEMENT, IN_FLIGHT).await
}
