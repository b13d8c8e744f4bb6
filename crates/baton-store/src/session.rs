//! One connection to one of the databases, as the rest of the crate sees it: texts and values in, rows out.

use std::borrow::Cow;

use baton_core::time::StoreTime;
use sqlx::sqlite::SqliteConnection;
use sqlx::{AssertSqlSafe, PgConnection, SqlSafeStr as _, SqlStr};

use crate::arg::{Arg, bind_postgres, bind_sqlite};
use crate::fault::Fault;
use crate::row::Row;
use crate::sql::Text;

pub(crate) enum Link {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

/// A connection.
pub(crate) struct Session {
    pub(crate) link: Link,
    /// The time that SQLite's statements are given; it is read when a transaction has the lock.
    pub(crate) now: StoreTime,
    /// What begins the transaction, together with the first statement.
    pub(crate) begins_with: Option<&'static str>,
    /// The transaction was committed together with the last statement.
    pub(crate) is_committed: bool,
}

impl Session {
    pub(crate) fn new(link: Link) -> Self {
        Self { link, now: StoreTime { ms: 0 }, begins_with: None, is_committed: false }
    }

    pub(crate) fn is_postgres(&self) -> bool {
        matches!(self.link, Link::Postgres(_))
    }

    /// Returns what stands for `$1` in statements that know the time.
    pub(crate) fn time(&self) -> Arg<'static> {
        Arg::from(self.now)
    }

    fn text(&mut self, text: Text) -> SqlStr {
        let text = match (self.begins_with.take(), text) {
            (Some(begin), Text::Each(sql)) => Text::from(format!("{begin}; {}", sql.sqlite)),
            (Some(begin), Text::Same(sql)) => Text::from(format!("{begin}; {sql}")),
            (None, text) => text,
        };
        match (text, &self.link) {
            (Text::Each(sql), Link::Sqlite(_)) => SqlStr::from_static(sql.sqlite),
            (Text::Each(sql), Link::Postgres(_)) => SqlStr::from_static(sql.postgres),
            (Text::Same(Cow::Borrowed(sql)), _) => SqlStr::from_static(sql),
            // What is put together is made of this crate's literals; values are bound.
            (Text::Same(Cow::Owned(sql)), _) => AssertSqlSafe(sql).into_sql_str(),
        }
    }

    /// Runs a statement and returns how many rows it changed. It is prepared once for each connection.
    pub(crate) async fn execute(
        &mut self,
        text: impl Into<Text> + Send,
        args: Vec<Arg<'_>>,
    ) -> Result<u64, Fault> {
        let sql = self.text(text.into());
        Ok(match &mut self.link {
            Link::Sqlite(link) => bind_sqlite(sqlx::query(sql), &args).execute(link).await?.rows_affected(),
            Link::Postgres(link) => {
                bind_postgres(sqlx::query(sql), &args).execute(link).await?.rows_affected()
            }
        })
    }

    /// Runs a statement and returns its rows.
    pub(crate) async fn rows(
        &mut self,
        text: impl Into<Text> + Send,
        args: Vec<Arg<'_>>,
    ) -> Result<Vec<Row>, Fault> {
        let sql = self.text(text.into());
        Ok(match &mut self.link {
            Link::Sqlite(link) => {
                let rows = bind_sqlite(sqlx::query(sql), &args).fetch_all(link).await?;
                rows.into_iter().map(Row::Sqlite).collect()
            }
            Link::Postgres(link) => {
                let rows = bind_postgres(sqlx::query(sql), &args).fetch_all(link).await?;
                rows.into_iter().map(Row::Postgres).collect()
            }
        })
    }

    /// Runs a statement and returns its first row, if it has one.
    pub(crate) async fn row(
        &mut self,
        text: impl Into<Text> + Send,
        args: Vec<Arg<'_>>,
    ) -> Result<Option<Row>, Fault> {
        Ok(self.rows(text, args).await?.into_iter().next())
    }

    /// Runs statements that need no values and no preparation.
    pub(crate) async fn simple(&mut self, statements: impl sqlx::SqlSafeStr + Send) -> Result<(), Fault> {
        match &mut self.link {
            Link::Sqlite(link) => sqlx::raw_sql(statements).execute(link).await.map(drop)?,
            Link::Postgres(link) => sqlx::raw_sql(statements).execute(link).await.map(drop)?,
        }
        Ok(())
    }
}
