//! Values that statements are given.

use std::borrow::Cow;

use baton_core::time::StoreTime;
use sqlx::postgres::PgArguments;
use sqlx::query::Query;
use sqlx::sqlite::SqliteArguments;
use sqlx::{Postgres, Sqlite};

/// A value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Arg<'a> {
    Int(Option<i64>),
    Text(Option<Cow<'a, str>>),
    Bool(bool),
}

impl<'a> Arg<'a> {
    pub(crate) fn word(word: Option<&'static str>) -> Arg<'a> {
        Arg::Text(word.map(Cow::Borrowed))
    }
}

impl From<i64> for Arg<'_> {
    fn from(value: i64) -> Self {
        Self::Int(Some(value))
    }
}

impl From<Option<i64>> for Arg<'_> {
    fn from(value: Option<i64>) -> Self {
        Self::Int(value)
    }
}

impl From<u32> for Arg<'_> {
    fn from(value: u32) -> Self {
        Self::Int(Some(i64::from(value)))
    }
}

impl From<StoreTime> for Arg<'_> {
    fn from(value: StoreTime) -> Self {
        Self::Int(Some(value.ms))
    }
}

impl From<Option<StoreTime>> for Arg<'_> {
    fn from(value: Option<StoreTime>) -> Self {
        Self::Int(value.map(|time| time.ms))
    }
}

impl<'a> From<&'a str> for Arg<'a> {
    fn from(value: &'a str) -> Self {
        Self::Text(Some(Cow::Borrowed(value)))
    }
}

impl From<String> for Arg<'_> {
    fn from(value: String) -> Self {
        Self::Text(Some(Cow::Owned(value)))
    }
}

impl<'a> From<&'a Option<String>> for Arg<'a> {
    fn from(value: &'a Option<String>) -> Self {
        Self::Text(value.as_deref().map(Cow::Borrowed))
    }
}

impl<'a> From<Option<&'a str>> for Arg<'a> {
    fn from(value: Option<&'a str>) -> Self {
        Self::Text(value.map(Cow::Borrowed))
    }
}

impl From<Option<String>> for Arg<'_> {
    fn from(value: Option<String>) -> Self {
        Self::Text(value.map(Cow::Owned))
    }
}

impl From<bool> for Arg<'_> {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

/// Makes the values of a statement, of whatever types they are.
macro_rules! args {
    ($($value:expr),* $(,)?) => { vec![$($crate::arg::Arg::from($value)),*] };
}
pub(crate) use args;

type SqliteQuery<'q> = Query<'q, Sqlite, SqliteArguments>;
type PostgresQuery<'q> = Query<'q, Postgres, PgArguments>;

pub(crate) fn bind_sqlite<'q>(query: SqliteQuery<'q>, args: &[Arg<'_>]) -> SqliteQuery<'q> {
    args.iter().fold(query, |query, arg| match arg {
        Arg::Int(value) => query.bind(*value),
        Arg::Text(value) => query.bind(value.as_deref()),
        Arg::Bool(value) => query.bind(*value),
    })
}

pub(crate) fn bind_postgres<'q>(query: PostgresQuery<'q>, args: &[Arg<'_>]) -> PostgresQuery<'q> {
    args.iter().fold(query, |query, arg| match arg {
        Arg::Int(value) => query.bind(*value),
        Arg::Text(value) => query.bind(value.as_deref().map(without_zero)),
        Arg::Bool(value) => query.bind(*value),
    })
}

/// PostgreSQL has no zero character in its texts. JSON escapes it; in words for people, its symbol stands for it.
fn without_zero(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { Cow::Owned(text.replace('\0', "\u{2400}")) } else { Cow::Borrowed(text) }
}
