//! The schema's versions, applied in order when the forge opens its file.
//!
//! `PRAGMA user_version` holds the number of migrations applied. A migration is never edited once released: what
//! changes comes as a later entry.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use super::OpenError;

const MIGRATIONS: [&str; 2] = [include_str!("schema/0001_ground.sql"), include_str!("schema/0002_relay.sql")];

pub(super) fn migrate(connection: &mut Connection, path: &Path) -> Result<(), OpenError> {
    let sqlite = |source| OpenError::Sqlite { path: path.to_owned(), source };
    // The write lock is taken first, so that two processes opening a new file do not both create it.
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(sqlite)?;
    let found: i64 = tx.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(sqlite)?;
    let known = i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX);
    if found > known {
        return Err(OpenError::Newer { path: path.to_owned(), found, known });
    }
    for migration in MIGRATIONS.iter().skip(usize::try_from(found).unwrap_or(0)) {
        tx.execute_batch(migration).map_err(sqlite)?;
    }
    tx.pragma_update(None, "user_version", known).map_err(sqlite)?;
    tx.commit().map_err(sqlite)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_schema_is_refused_and_left_as_it_is() {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.pragma_update(None, "user_version", 99).unwrap();
        let refusal = migrate(&mut connection, Path::new("forge.db")).unwrap_err();
        assert!(matches!(refusal, OpenError::Newer { found: 99, known: 2, .. }), "{refusal}");
        let tables: i64 =
            connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).unwrap();
        assert_eq!(tables, 0);
    }

    #[test]
    fn opening_twice_migrates_once() {
        let mut connection = Connection::open_in_memory().unwrap();
        for _ in 0..2 {
            migrate(&mut connection, Path::new("forge.db")).unwrap();
        }
    }
}
