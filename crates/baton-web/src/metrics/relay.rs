//! The relay in numbers, as the lookout sees it when somebody asks.

use baton_view::{Board, CardState, Fleet, LookoutError};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use super::Labels;

type Gauges<const N: usize> = Family<Labels<N>, Gauge>;

/// Writes what could be seen. What could not be seen is left out, and `baton_view_up` says so: a missing number is not 0.
pub(super) fn register(
    registry: &mut Registry,
    board: Result<Board, LookoutError>,
    fleet: Result<Fleet, LookoutError>,
) {
    let up = Gauges::<1>::default();
    for (part, is_up) in [("board", board.is_ok()), ("fleet", fleet.is_ok())] {
        up.get_or_create(&[("part", part.to_owned())]).set(is_up.into());
    }
    registry.register("baton_view_up", "Whether a part of the relay could be looked at", up);
    match board {
        Ok(board) => of_board(registry, &board),
        Err(error) => tracing::warn!(%error, "the board could not be looked at for /metrics"),
    }
    match fleet {
        Ok(fleet) => of_fleet(registry, &fleet),
        Err(error) => tracing::warn!(%error, "the fleet could not be looked at for /metrics"),
    }
}

fn of_board(registry: &mut Registry, board: &Board) {
    let issues = Gauges::<2>::default();
    for card in board.cards() {
        let labels = [("column", card.column.clone()), ("state", word(card.state).to_owned())];
        issues.get_or_create(&labels).inc();
    }
    registry.register("baton_issues", "Issues on the board, by column and state", issues);
    one(
        registry,
        "baton_board_warnings",
        "Things on the board that a person should know",
        len(&board.warnings),
    );
}

fn of_fleet(registry: &mut Registry, fleet: &Fleet) {
    let live = fleet.workers.iter().filter(|worker| worker.is_live).count();
    one(registry, "baton_workers_live", "Workers that may take runs", whole(live));
    one(registry, "baton_runs_running", "Runs that agents are at", len(&fleet.running));
    one(registry, "baton_runs_queued", "Runs that wait for a worker or their time", len(&fleet.queued));
    one(registry, "baton_wakeups_deferred", "Wakeups that wait for a slot", len(&fleet.deferred));
    one(registry, "baton_leases_held", "Claims that are held on the tracker", len(&fleet.leases));
    one(
        registry,
        "baton_effects_dead",
        "Effects that never took place, with nothing after them",
        len(&fleet.dead),
    );
    if let Some(left) = fleet.budget.left_permille {
        let words = "What is left of the tracker's budget, in thousandths";
        one(registry, "baton_tracker_budget_left_permille", words, left.into());
    }
    let words = "Webhooks that were taken since the start";
    one(registry, "baton_webhooks_taken", words, saturated(fleet.hooks.taken));
    one(registry, "baton_webhooks_unread", "Webhooks that are not worked off", saturated(fleet.hooks.unread));
    of_counters(registry, fleet);
}

fn of_counters(registry: &mut Registry, fleet: &Fleet) {
    let (in_use, max) = (Gauges::<1>::default(), Gauges::<1>::default());
    for counter in &fleet.counters {
        let labels = [("counter", counter.name.clone())];
        in_use.get_or_create(&labels).set(counter.in_use);
        if let Some(limit) = counter.max {
            max.get_or_create(&labels).set(limit);
        }
    }
    let used = Gauges::<1>::default();
    for line in &fleet.spending {
        used.get_or_create(&[("budget", line.budget.clone())]).set(saturated(line.used_permille));
    }
    registry.register(
        "baton_budget_used_permille",
        "How much of a day's budget is used, in thousandths",
        used,
    );
    registry.register("baton_counter_in_use", "How much of a limit is in use", in_use);
    registry.register("baton_counter_max", "How much of it may be in use", max);
}

fn one(registry: &mut Registry, name: &str, words: &str, value: i64) {
    let gauge = Gauge::<i64>::default();
    gauge.set(value);
    registry.register(name, words, gauge);
}

fn len<T>(things: &[T]) -> i64 {
    whole(things.len())
}

fn whole(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn saturated(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn word(state: CardState) -> &'static str {
    match state {
        CardState::Asking => "asking",
        CardState::Paused => "paused",
        CardState::Running => "running",
        CardState::Queued => "queued",
        CardState::Waiting => "waiting",
        CardState::Blocked => "blocked",
        CardState::Held => "held",
        CardState::Idle => "idle",
        CardState::Done => "done",
    }
}
