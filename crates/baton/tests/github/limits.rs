//! Limits: waited for when the wait is short, told when it is long, and nothing done either way.

use std::time::Duration;

use baton_fixtures::TOKEN;
use baton_github::{Auth, GitHub, RetrySettings, Settings};
use baton_ports::{Tracker as _, TrackerErrorKind};
use serde_json::json;

use crate::github::{Setup, github, issue, refused, settings};

#[tokio::test(flavor = "multi_thread")]
async fn a_short_limit_is_waited_for_and_then_even_a_comment_is_sent_again() {
    let setup = Setup::new().await;
    for kind in [
        json!({ "secondary_limit": { "retry_after_s": 1 } }),
        json!({ "too_many_requests": { "retry_after_s": 1 } }),
    ] {
        setup.fault("POST", "/comments", "before", kind, 1).await;
        let (before, began) = (setup.github.requests_sent(), std::time::Instant::now());
        setup.github.post_comment(&issue(1), "x").await.unwrap();
        assert_eq!(setup.github.requests_sent() - before, 2);
        assert!(began.elapsed() >= Duration::from_secs(1), "{:?}", began.elapsed());
    }
    assert_eq!(setup.comments().await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_limit_is_told_at_once_with_the_time_to_wait() {
    let setup = Setup::new().await;
    for kind in ["secondary_limit", "too_many_requests"] {
        setup.fault("POST", "/comments", "before", json!({ kind: { "retry_after_s": 61 } }), 1).await;
        let limited = TrackerErrorKind::RateLimited { retry_after: Some(Duration::from_secs(61)) };
        let github = github(&setup.forge.url, TOKEN);
        let error = refused(github.post_comment(&issue(1), "x").await, limited);
        assert!(error.is_retryable() && !error.may_have_happened());
        let before = github.requests_sent();
        let error = github.sight(&issue(1), "none").await.unwrap_err();
        assert!(matches!(error.kind, TrackerErrorKind::RateLimited { .. }), "{error}");
        assert_eq!(github.requests_sent(), before, "the limit holds for all that the token asks");
    }
    assert_eq!(setup.comments().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_spent_budget_is_known_and_nothing_more_is_sent() {
    let setup = Setup::new().await;
    let impatient = RetrySettings { limit_wait_max: Duration::ZERO, ..RetrySettings::default() };
    let url = &setup.forge.url;
    let github = GitHub::new(Settings { retry: impatient, ..settings(url, Auth::token(TOKEN)) }).unwrap();
    github.issue(&issue(1)).await.unwrap();
    let used = github.budgets()[0].limit - github.budgets()[0].remaining;
    setup.forge.turn(json!({ "rate_limit": used + 1 })).await;
    github.post_comment(&issue(1), "the last one").await.unwrap();
    assert_eq!(github.budgets()[0].remaining, 0);
    let before = github.requests_sent();
    let error = github.post_comment(&issue(1), "one too many").await.unwrap_err();
    let TrackerErrorKind::RateLimited { retry_after: Some(wait) } = error.kind else { panic!("{error}") };
    assert!(wait > Duration::from_secs(3000) && wait <= Duration::from_secs(3600), "{wait:?}");
    assert_eq!(github.requests_sent(), before, "the budget was known to be spent");
    // A client that does not know it yet is told by the server.
    let other = GitHub::new(Settings { retry: impatient, ..settings(url, Auth::token(TOKEN)) }).unwrap();
    let error = other.post_comment(&issue(1), "from another").await.unwrap_err();
    assert!(matches!(error.kind, TrackerErrorKind::RateLimited { retry_after: Some(_) }), "{error}");
    setup.forge.turn(json!({ "rate_limit": 1_000_000 })).await;
    assert_eq!(setup.comments().await, 1);
}
