//! Counts requests by token and kind, so that tests and benchmarks can say what a client costs.

use std::collections::BTreeMap;
use std::sync::Mutex;

use serde::Serialize;

use crate::sync::lock;

/// How often one account asked one thing with one result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MeterRow {
    /// The account, or `-` without one.
    pub login: String,
    /// The token's id, or 0 without one.
    pub token_id: i64,
    /// The method and the path's template.
    pub endpoint: String,
    /// The status of the answers; 0 where the connection was dropped.
    pub status: u16,
    /// How many.
    pub count: u64,
}

/// A token, a method, a template and a status.
type Key = (i64, &'static str, &'static str, u16);

#[derive(Debug, Default)]
pub(crate) struct Meter {
    counts: Mutex<BTreeMap<Key, (String, u64)>>,
}

impl Meter {
    pub(crate) fn count(
        &self,
        who: Option<(i64, &str)>,
        method: &'static str,
        template: &'static str,
        status: u16,
    ) {
        let (token_id, login) = who.unwrap_or((0, "-"));
        let mut counts = lock(&self.counts);
        let entry =
            counts.entry((token_id, method, template, status)).or_insert_with(|| (login.to_owned(), 0));
        entry.1 += 1;
    }

    pub(crate) fn rows(&self) -> Vec<MeterRow> {
        let counts = lock(&self.counts);
        let row = |(key, value): (&Key, &(String, u64))| MeterRow {
            login: value.0.clone(),
            token_id: key.0,
            endpoint: format!("{} {}", key.1, key.2),
            status: key.3,
            count: value.1,
        };
        counts.iter().map(row).collect()
    }

    pub(crate) fn clear(&self) {
        lock(&self.counts).clear();
    }
}
