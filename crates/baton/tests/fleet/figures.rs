//! What a season came to, in numbers for people.

use std::collections::BTreeMap;

use baton_core::slot::RunStatus;

use crate::fleet::audit::Books;
use crate::fleet::diary::Diary;
use crate::fleet::trouble::Done;

/// The numbers that show whether the trouble was trouble at all.
pub(crate) struct Figures {
    pub(crate) interrupted: usize,
    /// Agents that began and did not come to their end.
    pub(crate) cut_short: usize,
    text: String,
}

impl Figures {
    pub(crate) fn of(books: &Books, diaries: &[Diary], done: Done, turned_away: usize) -> Self {
        let runs = || books.runs.values().map(|row| &row.run);
        let lives = || diaries.iter().flat_map(|diary| diary.lives.values());
        let interrupted = runs().filter(|run| run.status == RunStatus::Interrupted).count();
        let cut_short = lives().filter(|life| !life.has_ended).count();
        let is_ours = |error: &String| !error.starts_with("exit code") && !error.starts_with("the worker's");
        let mut excuses: BTreeMap<String, usize> = BTreeMap::new();
        let errors = runs().filter_map(|run| run.error.as_ref()).filter(|error| is_ours(error));
        errors.for_each(|error| *excuses.entry(error.chars().take(80).collect()).or_default() += 1);
        let mut by_status: BTreeMap<&str, usize> = BTreeMap::new();
        runs().for_each(|run| *by_status.entry(run.status.as_str()).or_default() += 1);
        let Done { kills, stops, cuts, sessions_cut, outages } = done;
        let text = format!(
            "trouble: {kills} workers killed, {stops} stopped past their lease, {cuts} cuts of {sessions_cut} sessions, \
             {outages} outages, {turned_away} workers turned away\n\
             wakeups: {:?}\n\
             runs: {} {by_status:?}, {} of them retries; {} transfers\n\
             runs that ended in other ways: {excuses:?}\n\
             agents: {} lived, {cut_short} of them to no end of their own, in {} processes",
            books.ends(),
            books.runs.len(),
            runs().filter(|run| run.retry_of.is_some()).count(),
            books.transfers.len(),
            lives().count(),
            lives().map(|life| life.processes.len()).sum::<usize>(),
        );
        Self { interrupted, cut_short, text }
    }
}

impl std::fmt::Display for Figures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}
