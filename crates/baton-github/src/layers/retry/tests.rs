//! What is repeated, and what is not.

use http::Method;

use super::super::fake::{FakeNetwork, get, reply, write};
use super::*;
use crate::pace::fake::FakePace;

struct Run {
    outcome: Outcome,
    attempts: usize,
    pauses_ms: Vec<u128>,
}

async fn run(call: Call, outcomes: Vec<Outcome>) -> Run {
    let pace = Arc::new(FakePace::default());
    let network = FakeNetwork::answering(outcomes);
    let layer = RetryLayer { settings: RetrySettings::default(), pace: pace.clone() };
    let outcome = layer.layer(network.clone()).oneshot(call).await;
    let pauses_ms = super::super::lock(&pace.pauses).iter().map(Duration::as_millis).collect();
    Run { outcome, attempts: network.count(), pauses_ms }
}

fn ok() -> Outcome {
    Ok(reply(200, &[], ""))
}

fn status(status: u16) -> Outcome {
    Ok(reply(status, &[], ""))
}

fn limited(seconds: &str) -> Outcome {
    Ok(reply(403, &[("retry-after", seconds)], "secondary rate limit"))
}

fn lost() -> Outcome {
    Err(Failure::Lost("reset".into()))
}

fn unsent() -> Outcome {
    Err(Failure::Unsent("refused".into()))
}

fn comment() -> Call {
    write(Method::POST, Repeat::IfNotDone)
}

fn edit() -> Call {
    write(Method::PATCH, Repeat::Always)
}

#[tokio::test]
async fn reads_and_repeatable_writes_are_repeated_after_a_failure() {
    for failed in [lost(), unsent(), status(500), status(502), status(503), status(504)] {
        for call in [get("/thing"), edit()] {
            let result = run(call, vec![failed.clone(), ok()]).await;
            assert_eq!(result.outcome.unwrap().status, 200, "{failed:?}");
            assert_eq!(result.pauses_ms, [250]);
        }
    }
}

#[tokio::test]
async fn a_write_that_may_have_been_done_is_never_sent_again() {
    for failed in [lost(), status(500), status(502), status(503)] {
        let result = run(comment(), vec![failed]).await;
        assert_eq!((result.attempts, result.pauses_ms.len()), (1, 0));
    }
}

#[tokio::test]
async fn a_write_that_was_not_sent_or_was_turned_away_is_sent_again() {
    for (failed, pause_ms) in [(unsent(), 250), (limited("1"), 1125), (status(429), 62_000)] {
        let result = run(comment(), vec![failed, ok()]).await;
        assert_eq!(result.outcome.unwrap().status, 200);
        assert_eq!(result.pauses_ms, [pause_ms]);
    }
}

#[tokio::test]
async fn refusals_are_not_repeated() {
    for code in [400, 401, 403, 404, 409, 410, 422] {
        assert_eq!(run(get("/thing"), vec![status(code)]).await.attempts, 1, "{code}");
    }
}

#[tokio::test]
async fn pauses_grow_and_attempts_end() {
    let result = run(get("/thing"), vec![lost(); 4]).await;
    assert_eq!((result.attempts, result.pauses_ms), (4, vec![250, 500, 1000]));
    assert!(matches!(result.outcome, Err(Failure::Lost(_))));
}

#[tokio::test]
async fn a_limit_that_asks_for_too_long_a_wait_is_told() {
    let result = run(get("/thing"), vec![limited("61")]).await;
    assert_eq!((result.attempts, result.outcome.unwrap().status.as_u16()), (1, 403));
    let result = run(get("/thing"), vec![limited("40"), limited("40")]).await;
    assert_eq!((result.attempts, result.pauses_ms), (2, vec![42_000]), "waits add up");
    let spent = Err(Failure::Spent { wait: Duration::from_secs(61) });
    assert_eq!(run(comment(), vec![spent]).await.attempts, 1);
    let spent = Err(Failure::Spent { wait: Duration::from_secs(2) });
    assert_eq!(run(comment(), vec![spent, ok()]).await.pauses_ms, [2250], "not all at once");
}

#[tokio::test]
async fn a_server_in_maintenance_is_given_the_time_it_asks_for() {
    let down = |seconds| Ok(reply(503, &[("retry-after", seconds)], ""));
    assert_eq!(run(get("/thing"), vec![down("5"), ok()]).await.pauses_ms, [5000]);
    assert_eq!(run(get("/thing"), vec![down("31")]).await.attempts, 1, "longer than the whole call may take");
}

#[tokio::test]
async fn an_answer_after_a_doubtful_attempt_says_so() {
    assert!(!run(edit(), vec![unsent(), ok()]).await.outcome.unwrap().is_after_doubt);
    assert!(!run(edit(), vec![limited("1"), ok()]).await.outcome.unwrap().is_after_doubt);
    assert!(run(edit(), vec![lost(), ok()]).await.outcome.unwrap().is_after_doubt);
    assert!(run(edit(), vec![status(500), status(422)]).await.outcome.unwrap().is_after_doubt);
    let result = run(edit(), vec![lost(), unsent(), unsent(), unsent()]).await;
    assert!(matches!(result.outcome, Err(Failure::Lost(_))), "it may have been carried out at first");
}
