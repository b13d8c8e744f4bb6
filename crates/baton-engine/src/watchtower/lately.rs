//! Issues as they were read lately, so that people who look at the same issue again and again do not spend the tracker's budget.
//!
//! What was read is shown again for [`FRESH`], unless something was heard of the issue since. What is heard while an issue is being
//! read makes that reading worth showing once, and not worth keeping.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use baton_core::time::BootTime;
use baton_core::tracker::IssueKey;

/// How long what was read is shown again.
const FRESH: Duration = Duration::from_secs(20);
/// So many issues are kept at most; the one that was asked for longest ago goes first.
const ISSUES_MAX: usize = 64;

/// What was read of issues, by issue.
#[derive(Debug)]
pub(super) struct Lately<T>(Mutex<Kept<T>>);

#[derive(Debug)]
struct Kept<T> {
    readings: u64,
    issues: BTreeMap<IssueKey, Reading<T>>,
}

/// One reading, under way or done.
#[derive(Debug)]
struct Reading<T> {
    ticket: Ticket,
    began_at: BootTime,
    read: Option<Arc<T>>,
}

/// Which reading it is. Later ones are greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ticket(u64);

impl<T> Default for Lately<T> {
    fn default() -> Self {
        Self(Mutex::new(Kept { readings: 0, issues: BTreeMap::new() }))
    }
}

impl<T> Lately<T> {
    /// Returns what was read of an issue, if it is still worth showing, and how long ago.
    pub(super) fn read(&self, issue: &IssueKey, now: BootTime) -> Option<(Arc<T>, Duration)> {
        let kept = self.kept();
        let reading = kept.issues.get(issue)?;
        let age = now.since(reading.began_at);
        reading.read.as_ref().filter(|_| age < FRESH).map(|read| (Arc::clone(read), age))
    }

    /// Notes that an issue is about to be read.
    pub(super) fn begin(&self, issue: &IssueKey, now: BootTime) -> Ticket {
        let mut kept = self.kept();
        kept.readings += 1;
        let ticket = Ticket(kept.readings);
        kept.issues.insert(issue.clone(), Reading { ticket, began_at: now, read: None });
        if kept.issues.len() > ISSUES_MAX {
            let oldest = kept.issues.iter().min_by_key(|(_, reading)| reading.ticket);
            let oldest = oldest.map(|(issue, _)| issue.clone());
            oldest.map(|issue| kept.issues.remove(&issue));
        }
        ticket
    }

    /// Keeps what was read, unless something was heard of the issue meanwhile.
    pub(super) fn keep(&self, issue: &IssueKey, ticket: Ticket, read: &Arc<T>) {
        let mut kept = self.kept();
        if let Some(reading) = kept.issues.get_mut(issue).filter(|reading| reading.ticket == ticket) {
            reading.read = Some(Arc::clone(read));
        }
    }

    /// Notes that something was heard of an issue: it is read again when somebody asks.
    pub(super) fn heard_of(&self, issue: &IssueKey) {
        self.kept().issues.remove(&crate::marshal::folded(issue));
    }

    fn kept(&self) -> MutexGuard<'_, Kept<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn issue(number: u64) -> IssueKey {
        format!("acme/web#{number}").parse().unwrap()
    }

    fn at(second: u64) -> BootTime {
        BootTime { ms: second * 1_000 }
    }

    fn read(lately: &Lately<u32>, number: u64, second: u64) -> Option<(u32, u64)> {
        lately.read(&issue(number), at(second)).map(|(read, age)| (*read, age.as_secs()))
    }

    #[test]
    fn what_was_read_is_shown_again_for_a_while() {
        let lately = Lately::default();
        assert_eq!(read(&lately, 1, 0), None);
        let ticket = lately.begin(&issue(1), at(100));
        assert_eq!(read(&lately, 1, 100), None, "it is being read");
        lately.keep(&issue(1), ticket, &Arc::new(7));
        assert_eq!(read(&lately, 1, 119), Some((7, 19)));
        assert_eq!(read(&lately, 2, 119), None);
        assert_eq!(read(&lately, 1, 120), None);
    }

    #[test]
    fn an_issue_of_which_something_was_heard_is_read_again() {
        let lately = Lately::default();
        let ticket = lately.begin(&issue(1), at(0));
        lately.keep(&issue(1), ticket, &Arc::new(7));
        lately.heard_of(&"Acme/Web#1".parse().unwrap());
        assert_eq!(read(&lately, 1, 1), None);
        let ticket = lately.begin(&issue(1), at(1));
        lately.heard_of(&issue(1));
        lately.keep(&issue(1), ticket, &Arc::new(8));
        assert_eq!(read(&lately, 1, 1), None, "what was read may be older than what was heard");
    }

    #[test]
    fn many_issues_take_no_more_room_than_some() {
        let lately = Lately::default();
        for number in 1..=500 {
            let ticket = lately.begin(&issue(number), at(0));
            lately.keep(&issue(number), ticket, &Arc::new(0));
        }
        assert_eq!(lately.kept().issues.len(), ISSUES_MAX);
        assert!(read(&lately, 500, 1).is_some() && read(&lately, 1, 1).is_none());
    }
}
