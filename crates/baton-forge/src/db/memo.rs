//! What every request asks first, remembered for as long as the snapshot it was read from.
//!
//! A memo belongs to one snapshot and is emptied with it, so nothing here can be out of date and nothing is ever
//! invalidated.

use std::sync::Arc;

use rusqlite::Connection;

use super::accounts::{self, Account, Token};
use super::repos::{self, Repo};

/// A snapshot lives for milliseconds; more than this many tokens or repositories in that time are asked for again.
const ENTRIES_MAX: usize = 64;

#[derive(Default)]
pub(crate) struct Memo {
    tokens: Vec<(String, Arc<Account>, Token)>,
    repos: Vec<Arc<Repo>>,
}

impl Memo {
    pub(super) fn clear(&mut self) {
        self.tokens.clear();
        self.repos.clear();
    }

    /// The account and the token behind a secret.
    pub(crate) fn by_token(
        &mut self,
        conn: &Connection,
        secret: &str,
    ) -> rusqlite::Result<Option<(Arc<Account>, Token)>> {
        if let Some((_, account, token)) = self.tokens.iter().find(|(known, _, _)| known == secret) {
            return Ok(Some((Arc::clone(account), *token)));
        }
        let Some((account, token)) = accounts::by_token(conn, secret)? else { return Ok(None) };
        let account = Arc::new(account);
        if self.tokens.len() < ENTRIES_MAX {
            self.tokens.push((secret.to_owned(), Arc::clone(&account), token));
        }
        Ok(Some((account, token)))
    }

    /// The repository of that name.
    pub(crate) fn repo(
        &mut self,
        conn: &Connection,
        owner: &str,
        name: &str,
    ) -> rusqlite::Result<Option<Arc<Repo>>> {
        let is_named = |repo: &&Arc<Repo>| repo.name == name && repo.owner.login == owner;
        if let Some(known) = self.repos.iter().find(is_named) {
            return Ok(Some(Arc::clone(known)));
        }
        let found = repos::find(conn, owner, name)?.map(Arc::new);
        if let Some(repo) = found.as_ref().filter(|_| self.repos.len() < ENTRIES_MAX) {
            self.repos.push(Arc::clone(repo));
        }
        Ok(found)
    }
}
