//! Counters: locked rows, changed by one statement, in the order that the core gives.

use baton_core::slot::limits::{Count, Limit};

use crate::arg::{Arg, args};
use crate::fault::Fault;
use crate::session::Session;

/// A new counter has the limit of the one it is made like. One that exists has its own, which is looked at again when
/// its row is locked.
const MAKE_OR_ADD: &str = "INSERT INTO counters (name, made_like, in_use, max) \
     SELECT wanted.name, wanted.made_like, wanted.added, \
         (SELECT model.max FROM counters model WHERE model.name = wanted.made_like) \
     FROM wanted WHERE NOT $1 \
         OR EXISTS (SELECT 1 FROM counters old WHERE old.name = wanted.name) \
         OR coalesce((SELECT model.max FROM counters model WHERE model.name = wanted.made_like), 1) > 0 \
     ORDER BY wanted.place \
     ON CONFLICT (name) DO UPDATE SET in_use = counters.in_use + excluded.in_use \
     WHERE NOT $1 OR counters.max IS NULL OR counters.in_use < counters.max RETURNING name";

/// Counters that can be changed by one statement: none twice, and all with or all without a need for room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Counting<'a>(Vec<&'a Count>);

impl<'a> Counting<'a> {
    /// Splits changes into statements.
    pub(crate) fn split(counts: &[&'a Count]) -> Vec<Self> {
        let mut statements: Vec<Self> = Vec::new();
        for count in counts {
            match statements.last_mut() {
                Some(last) if last.takes(count) => last.0.push(count),
                _ => statements.push(Self(vec![count])),
            }
        }
        statements
    }

    fn takes(&self, count: &Count) -> bool {
        self.0.iter().all(|other| other.name != count.name && other.needs_room == count.needs_room)
    }

    /// Returns the statement, which answers with the names of the counters that had room.
    pub(crate) fn sql(&self) -> String {
        let row = |place: usize| {
            let first = 2 + 3 * place;
            format!("({place}, ${}, ${}, ${})", first, first + 1, first + 2)
        };
        let rows: Vec<_> = (0..self.0.len()).map(row).collect();
        format!("WITH wanted (place, name, made_like, added) AS (VALUES {}) {MAKE_OR_ADD}", rows.join(", "))
    }

    pub(crate) fn args(&self) -> Vec<Arg<'a>> {
        let mut args = args![self.0.first().is_some_and(|count| count.needs_room)];
        for count in &self.0 {
            args.extend(args![count.name.as_str(), count.like.as_str(), count.add]);
        }
        args
    }

    /// Returns whether these can fail.
    pub(crate) fn needs_room(&self) -> bool {
        self.0.iter().any(|count| count.needs_room)
    }

    /// Returns the first that had no room, when these had.
    pub(crate) fn full(&self, had_room: &[String]) -> Option<String> {
        let full = self.0.iter().find(|count| !had_room.contains(&count.name));
        full.map(|count| count.name.clone())
    }
}

/// Changes counters, and returns the first that has no room.
pub(crate) async fn count(session: &mut Session, counting: &Counting<'_>) -> Result<Option<String>, Fault> {
    let rows = session.rows(counting.sql(), counting.args()).await?;
    let names: Result<Vec<_>, _> = rows.iter().map(|row| row.columns("counters").text()).collect();
    Ok(counting.full(&names?))
}

const SET_LIMIT: &str = "INSERT INTO counters (name, max) VALUES ($1, $2) \
     ON CONFLICT (name) DO UPDATE SET max = excluded.max";
const SET_LIKE: &str = "UPDATE counters SET max = $2 WHERE made_like = $1 AND made_like <> ''";

/// Sets limits, also of the counters that were made like them.
pub(crate) async fn set_limits(session: &mut Session, limits: &[Limit]) -> Result<(), Fault> {
    if session.is_postgres() {
        // Whoever counts takes one row after another; who takes many at once must be alone. It also sees every counter
        // that is just being made with the old limit.
        session.simple("LOCK TABLE counters IN SHARE ROW EXCLUSIVE MODE").await?;
    }
    for limit in limits {
        session.execute(SET_LIMIT, args![limit.name.as_str(), limit.max]).await?;
        session.execute(SET_LIKE, args![limit.name.as_str(), limit.max]).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_that_comes_twice_or_needs_no_room_gets_a_statement_of_its_own() {
        let count = |name: &str, needs_room| Count { name: name.into(), like: "".into(), add: 1, needs_room };
        let counts = [count("all", true), count("a", true), count("all", true), count("b", false)];
        let split = Counting::split(&counts.iter().collect::<Vec<_>>());
        let names: Vec<Vec<_>> =
            split.iter().map(|part| part.0.iter().map(|count| count.name.as_str()).collect()).collect();
        assert_eq!(names, [vec!["all", "a"], vec!["all"], vec!["b"]]);
        assert_eq!(split[0].full(&["all".to_owned()]), Some("a".to_owned()));
    }
}
