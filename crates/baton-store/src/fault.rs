//! How the store fails, from the driver's errors to the port's.
//!
//! Addresses are told without passwords; that is seen to where a connection is made.

use baton_ports::{StoreError, StoreErrorKind};
use sqlx::error::DatabaseError;

/// What went wrong, before it is said what was tried.
#[derive(Debug)]
pub(crate) enum Fault {
    Sql(sqlx::Error),
    Corrupt(String),
    /// Others kept it busy for too long.
    Busy(String),
    /// It cannot be reached.
    Unreachable(String),
    /// It has a newer schema.
    Newer(String),
}

impl From<sqlx::Error> for Fault {
    fn from(error: sqlx::Error) -> Self {
        Self::Sql(error)
    }
}

impl Fault {
    /// Returns whether the database ended a transaction because of another. It has committed nothing then.
    pub(crate) fn is_lock_conflict(&self) -> bool {
        self.postgres_code().is_some_and(|code| code == "40P01" || code == "40001")
    }

    fn postgres_code(&self) -> Option<String> {
        let Self::Sql(sqlx::Error::Database(error)) = self else { return None };
        error.try_downcast_ref::<sqlx::postgres::PgDatabaseError>().map(|error| error.code().to_owned())
    }

    pub(crate) fn kind(&self) -> StoreErrorKind {
        match self {
            Self::Sql(sqlx::Error::Database(error)) => kind_of(error.as_ref()),
            Self::Sql(error) => kind_without_database(error),
            Self::Corrupt(_) => StoreErrorKind::Corrupt,
            Self::Busy(_) => StoreErrorKind::Busy,
            Self::Unreachable(_) => StoreErrorKind::Unreachable,
            Self::Newer(_) => StoreErrorKind::NewerSchema,
        }
    }

    fn answer(self) -> String {
        match self {
            Self::Sql(sqlx::Error::Database(error)) => match error.constraint() {
                Some(constraint) => format!("{} (constraint {constraint})", error.message()),
                None => error.message().to_owned(),
            },
            Self::Sql(error) => error.to_string(),
            Self::Corrupt(why) | Self::Busy(why) | Self::Unreachable(why) | Self::Newer(why) => why,
        }
    }

    /// Says what was tried, and on which store.
    pub(crate) fn told(self, tried: &str, address: &str) -> StoreError {
        StoreError::new(self.kind(), format!("{tried} in the store {address}"), self.answer())
    }
}

fn kind_of(error: &dyn DatabaseError) -> StoreErrorKind {
    let code = error.code().unwrap_or_default();
    if error.try_downcast_ref::<sqlx::postgres::PgDatabaseError>().is_some() {
        kind_of_postgres(&code)
    } else {
        kind_of_sqlite(code.parse().unwrap_or(0), error.message())
    }
}

/// Sorts by the classes of SQLSTATE.
fn kind_of_postgres(code: &str) -> StoreErrorKind {
    match (code, code.get(..2).unwrap_or_default()) {
        ("55P03", _) | (_, "40") => StoreErrorKind::Busy,
        // A read-only server, a transaction that was ended from outside, missing rights, and what class 08 and its like
        // tell.
        ("25006" | "25P03" | "42501", _) | (_, "08" | "28" | "3D" | "53" | "57" | "58") => {
            StoreErrorKind::Unreachable
        }
        ("42P01" | "42703" | "42883", _) | (_, "XX") => StoreErrorKind::Corrupt,
        _ => StoreErrorKind::Refused,
    }
}

/// Sorts by SQLite's primary result codes, which are the low byte of the extended ones.
fn kind_of_sqlite(code: i64, message: &str) -> StoreErrorKind {
    match code & 0xff {
        5 | 6 => StoreErrorKind::Busy,
        11 | 26 => StoreErrorKind::Corrupt,
        1 if message.starts_with("no such ") => StoreErrorKind::Corrupt,
        // Permission, read-only, input and output, full, cannot open, authorization.
        3 | 8 | 10 | 13 | 14 | 23 => StoreErrorKind::Unreachable,
        _ => StoreErrorKind::Refused,
    }
}

fn kind_without_database(error: &sqlx::Error) -> StoreErrorKind {
    match error {
        sqlx::Error::Configuration(_) => StoreErrorKind::Address,
        sqlx::Error::Decode(_)
        | sqlx::Error::ColumnDecode { .. }
        | sqlx::Error::ColumnIndexOutOfBounds { .. }
        | sqlx::Error::RowNotFound
        | sqlx::Error::TypeNotFound { .. } => StoreErrorKind::Corrupt,
        sqlx::Error::Encode(_) => StoreErrorKind::Refused,
        _ => StoreErrorKind::Unreachable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_both_databases_become_kinds() {
        use StoreErrorKind::{Busy, Corrupt, Refused, Unreachable};
        let postgres = [
            ("23505", Refused),
            ("40P01", Busy),
            ("55P03", Busy),
            ("57P01", Unreachable),
            ("28P01", Unreachable),
            ("3D000", Unreachable),
            ("42P01", Corrupt),
            ("42601", Refused),
        ];
        for (code, kind) in postgres {
            assert_eq!(kind_of_postgres(code), kind, "{code}");
        }
        let sqlite = [(5, Busy), (517, Busy), (2067, Refused), (26, Corrupt), (14, Unreachable)];
        for (code, kind) in sqlite {
            assert_eq!(kind_of_sqlite(code, ""), kind, "{code}");
        }
        assert_eq!(kind_of_sqlite(1, "no such table: runs"), Corrupt);
    }
}
