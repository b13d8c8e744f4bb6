//! A heartbeat that came by a push has its writer's date, which nobody believes: the tip must be watched.
//!
//! The watch is by the boot clock, which no test can move, so this is one of the few that take real seconds.

use std::time::{Duration, Instant};

use baton_fixtures::wait::SOON;
use baton_git::PushOutcome;
use serde_json::Value;

use crate::fencing::{MARGIN_S, Machine, REF, Setup, topic};

const TTL_S: u64 = 20;

fn check(machine: &Machine<'_>) -> (bool, Value) {
    let ran = machine.env.run(&["check", REF, "--json"]);
    assert!(ran.code == 0 || ran.code == 1, "{ran:?}");
    let answer = ran.json();
    (answer["holder"].is_null(), answer)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tip_that_was_pushed_is_taken_over_only_after_the_reader_has_watched_it_for_the_ttl_and_the_margin()
{
    let setup = Setup::new().await;
    let (holder, reader) = (setup.machine("ada", TTL_S), setup.machine("bob", TTL_S));
    let epoch = holder.claim();
    let new = holder.commit("a.txt");
    // The holder pushes and dies before its renewal.
    let outcome = holder.push_whatever_the_clock_says(&holder.lease(), topic(&new, None));
    assert!(matches!(outcome, PushOutcome::Pushed { .. }), "{outcome:?}");
    // By the server's clock its date is hours old, as the date of a writer whose clock is wrong may be.
    setup.forge.shift_clock(10_000).await;
    let first_look = Instant::now();
    let (is_free, answer) = check(&reader);
    assert!(!is_free, "seen for the first time just now: {answer}");
    reader.env.run(&["claim", REF]).exits(1);
    while !check(&reader).0 {
        assert!(first_look.elapsed() < SOON, "it is never taken over");
        tokio::task::yield_now().await;
    }
    assert!(first_look.elapsed() > Duration::from_secs(TTL_S + MARGIN_S), "{:?}", first_look.elapsed());
    assert_eq!(reader.claim(), epoch + 1);
}
