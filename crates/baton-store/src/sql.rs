//! Texts of statements, written once for both databases.
//!
//! [`sql!`] joins literals with names for what differs. Where `NOW`, `NOW_ONCE` or `TODAY` is used, `$1` is the time: SQLite is given it, and
//! PostgreSQL, which reads its own clock, ignores it.

use std::borrow::Cow;

/// A statement for both databases.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sql {
    pub(crate) sqlite: &'static str,
    pub(crate) postgres: &'static str,
}

/// A statement that is the same for both, or that was put together.
pub(crate) enum Text {
    Each(Sql),
    Same(Cow<'static, str>),
}

impl From<Sql> for Text {
    fn from(sql: Sql) -> Self {
        Self::Each(sql)
    }
}

impl From<&'static str> for Text {
    fn from(sql: &'static str) -> Self {
        Self::Same(Cow::Borrowed(sql))
    }
}

impl From<Cow<'static, str>> for Text {
    fn from(sql: Cow<'static, str>) -> Self {
        Self::Same(sql)
    }
}

impl From<String> for Text {
    fn from(sql: String) -> Self {
        Self::Same(Cow::Owned(sql))
    }
}

/// What both databases write alike, under names that other statements use.
macro_rules! shared_part {
    (ITEM) => {
        "item.id, item.key, item.is_open, item.paused, item.held, item.blocked, item.execution_run_id, \
         item.execution_fence, item.lease_token, item.version, item.execution_agent_name_key, \
         item.execution_locked_at"
    };
    // The same of a row that was just made: SQLite knows no other name for its table there.
    (MADE_ITEM) => {
        "id, key, is_open, paused, held, blocked, execution_run_id, execution_fence, lease_token, version, \
         execution_agent_name_key, execution_locked_at"
    };
    (RUN) => {
        "run.id, run.item_id, run.agent, run.wakeup_id, run.status, run.context, run.fence, run.worker_id, \
         run.attempt, run.interruptions, run.retry_of_id, run.not_before, run.stop, run.created_at, \
         run.started_at, run.finished_at, run.cause, run.error, run.cost_micros"
    };
    (WAKEUP) => {
        "wakeup.id, wakeup.item_id, wakeup.agent, wakeup.source, wakeup.reason, wakeup.context, \
         wakeup.asked_by, wakeup.asked_by_person, wakeup.asked_by_run_id, wakeup.key, wakeup.status, \
         wakeup.disposition, wakeup.skip, wakeup.run_id, wakeup.merged_into_id, wakeup.attempt, \
         wakeup.interruptions, wakeup.not_before, wakeup.created_at, wakeup.finished_at"
    };
    (EFFECT) => {
        "effect.id, effect.item_id, effect.version, effect.step, effect.deed, effect.lease_token, effect.fence, \
         effect.status, effect.attempts, effect.not_before, effect.sending_at, effect.created_at, \
         effect.finished_at, effect.error"
    };
    (WORKER) => {
        "worker.id, worker.until, worker.is_buried, worker.name, worker.host, worker.since"
    };
    ($text:literal) => {
        $text
    };
}

macro_rules! sqlite_part {
    (NOW) => {
        "$1"
    };
    (NOW_ONCE) => {
        "$1"
    };
    // The day in UTC, by which budgets are kept.
    (TODAY) => {
        "strftime('%Y-%m-%d', $1 / 1000, 'unixepoch')"
    };
    (NEXT_RUN) => {
        "(SELECT coalesce(max(id), 0) + 1 FROM runs)"
    };
    (NEXT_WAKEUP) => {
        "(SELECT coalesce(max(id), 0) + 1 FROM wakeups)"
    };
    // Said outright, because statistics of a queue that was empty when they were made lead to a search through all items.
    (DUE_RUN) => {
        "likelihood(run.not_before <= $1, 0.0001)"
    };
    (QUEUED_RUNS_JOIN) => {
        "runs run INDEXED BY runs_to_start CROSS JOIN"
    };
    // The whole database is locked, by BEGIN IMMEDIATE.
    (LOCK_ITEM) => {
        ""
    };
    (LOCK_FREE_ITEM) => {
        ""
    };
    (LOCK_FREE_EFFECT) => {
        ""
    };
    ($text:tt) => {
        $crate::sql::shared_part!($text)
    };
}

macro_rules! postgres_part {
    // Not in a subquery: that would not be read again after a lock was waited for.
    (NOW) => {
        "baton_now()"
    };
    // For searches, which would else read the clock for every row.
    (NOW_ONCE) => {
        "(SELECT baton_now())"
    };
    (TODAY) => {
        "(SELECT to_char(to_timestamp(baton_now() / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD'))"
    };
    (NEXT_RUN) => {
        "nextval('run_ids')"
    };
    (NEXT_WAKEUP) => {
        "nextval('wakeup_ids')"
    };
    (DUE_RUN) => {
        "run.not_before <= (SELECT baton_now())"
    };
    (QUEUED_RUNS_JOIN) => {
        "runs run JOIN"
    };
    (LOCK_ITEM) => {
        " FOR UPDATE OF item"
    };
    (LOCK_FREE_ITEM) => {
        " FOR UPDATE OF item SKIP LOCKED"
    };
    (LOCK_FREE_EFFECT) => {
        " FOR UPDATE OF effect SKIP LOCKED"
    };
    ($text:tt) => {
        $crate::sql::shared_part!($text)
    };
}

macro_rules! sql {
    ($($part:tt)+) => {
        $crate::sql::Sql {
            sqlite: concat!($($crate::sql::sqlite_part!($part)),+),
            postgres: concat!($($crate::sql::postgres_part!($part)),+),
        }
    };
}

pub(crate) use {postgres_part, shared_part, sql, sqlite_part};

/// Returns `$from, $from+1, …`.
pub(crate) fn placeholders(from: usize, count: usize) -> String {
    let numbers: Vec<_> = (from..from + count).map(|number| format!("${number}")).collect();
    numbers.join(", ")
}

/// Appends a statement with its placeholders moved up, so that it can be part of a larger one.
pub(crate) fn push_shifted(text: &mut String, part: &str, by: usize) {
    let mut pieces = part.split('$');
    text.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let digits = piece.find(|c: char| !c.is_ascii_digit()).unwrap_or(piece.len());
        let (number, rest) = piece.split_at(digits);
        text.push('$');
        match number.parse::<usize>() {
            Ok(number) => text.push_str(&(number + by).to_string()),
            Err(_) => text.push_str(number),
        }
        text.push_str(rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_move_up_and_nothing_else_does() {
        let mut text = "WITH a AS (".to_owned();
        push_shifted(&mut text, "UPDATE t SET x = $2, y = '10$' WHERE id = $1", 10);
        assert_eq!(text, "WITH a AS (UPDATE t SET x = $12, y = '10$' WHERE id = $11");
    }

    #[test]
    fn a_statement_differs_only_where_the_databases_do() {
        let sql: Sql = sql!("SELECT " ITEM " FROM items item WHERE item.version < " NOW LOCK_ITEM);
        assert!(sql.sqlite.ends_with("WHERE item.version < $1"));
        assert!(sql.postgres.ends_with("WHERE item.version < baton_now() FOR UPDATE OF item"));
        assert_eq!(placeholders(2, 3), "$2, $3, $4");
    }
}
