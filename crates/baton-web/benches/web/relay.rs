//! A large board of which one card changes all the time, and says when.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use baton_core::tracker::IssueKey;
use baton_view::example::{self, ExampleLookout};
use baton_view::{
    Board, Fleet, IssueView, LogPage, Lookout, LookoutError, Order, Period, Reply, Report, RunLine, RunQuery,
    RunView,
};

/// How many issues are on the board.
pub(crate) const ISSUES: u64 = 1_000;
/// How often one of them changes.
const EVERY: Duration = Duration::from_millis(200);
const WORD: &str = "changed-at-";

/// Returns the time, by which both processes go.
pub(crate) fn now_us() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(0)
}

/// Finds when the change happened that a line tells of.
pub(crate) fn stamp_in(line: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(line).ok()?;
    let rest = &text[text.find(WORD)? + WORD.len()..];
    rest[..rest.find(|c: char| !c.is_ascii_digit())?].parse().ok()
}

/// A large board.
pub(crate) struct Crowd {
    board: Board,
    version: AtomicU64,
    changed_at: AtomicU64,
}

impl Crowd {
    pub(crate) fn new() -> Self {
        let mut board = example::board();
        let cards: Vec<_> = board.cards().cloned().collect();
        board.columns.iter_mut().for_each(|column| column.cards.clear());
        for (number, card) in (1..=ISSUES).zip(cards.iter().cycle()) {
            let mut card = card.clone();
            card.number = number;
            card.issue = format!("acme/web#{number}");
            if let Some(column) = board.columns.iter_mut().find(|column| column.name == card.column) {
                column.cards.push(card);
            }
        }
        Self { board, version: AtomicU64::new(1), changed_at: AtomicU64::new(0) }
    }
}

impl Lookout for Crowd {
    async fn board(&self) -> Result<Board, LookoutError> {
        let mut board = self.board.clone();
        let at = self.changed_at.load(Ordering::Relaxed);
        if let Some(card) = board.columns.iter_mut().flat_map(|column| &mut column.cards).next() {
            card.title = format!("{WORD}{at}.");
        }
        Ok(board)
    }

    async fn changed(&self, seen: u64) -> u64 {
        if self.version.load(Ordering::Relaxed) == seen {
            tokio::time::sleep(EVERY).await;
            self.changed_at.store(now_us(), Ordering::Relaxed);
            self.version.fetch_add(1, Ordering::Relaxed);
        }
        self.version.load(Ordering::Relaxed)
    }

    async fn issue(&self, issue: &IssueKey) -> Result<IssueView, LookoutError> {
        ExampleLookout.issue(issue).await
    }

    async fn runs(&self, query: &RunQuery) -> Result<Vec<RunLine>, LookoutError> {
        ExampleLookout.runs(query).await
    }

    async fn run(&self, run: i64) -> Result<RunView, LookoutError> {
        ExampleLookout.run(run).await
    }

    async fn log(&self, run: i64, from: u64) -> Result<LogPage, LookoutError> {
        ExampleLookout.log(run, from).await
    }

    async fn fleet(&self) -> Result<Fleet, LookoutError> {
        ExampleLookout.fleet().await
    }

    async fn report(&self, period: Period) -> Result<Report, LookoutError> {
        ExampleLookout.report(period).await
    }

    async fn order(&self, issue: &IssueKey, order: &Order, by: &str) -> Result<Reply, LookoutError> {
        ExampleLookout.order(issue, order, by).await
    }
}
