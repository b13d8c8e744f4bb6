//! What is known of each issue of the demo, from the engine's words and from the forge.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use baton_core::slot::ItemKey;
use baton_core::slot::effect::Deed;
use baton_engine::marshal::Happened;
use baton_engine::outbox::Performed;
use baton_engine::worker::News;
use tokio::sync::Notify;

use super::ground::{LANGUAGES, WANTED};
use super::screen::Screen;
use crate::flow::station::Witness;
use crate::flow::teller;

/// One issue.
#[derive(Debug, Clone, Default)]
pub(super) struct Row {
    pub(super) number: u64,
    pub(super) title: String,
    /// The column.
    pub(super) stage: String,
    /// How many columns it was in.
    pub(super) stages: usize,
    /// What happens with it.
    pub(super) doing: String,
    pub(super) runs: u32,
    pub(super) pull: Option<u64>,
    /// How long it took to the end.
    pub(super) took: Option<Duration>,
    /// What was special about it.
    pub(super) notes: Vec<String>,
}

/// All of them.
pub(super) struct Score {
    rows: Mutex<Vec<Row>>,
    began: Instant,
    screen: Screen,
    /// Told when an agent begins with the issue that two workers want.
    pub(super) is_held: Notify,
}

impl Score {
    pub(super) fn new() -> Self {
        let row = |(at, language): (usize, &&str)| Row {
            number: at as u64 + 1,
            title: format!("Greet in {language}"),
            ..Row::default()
        };
        let rows: Vec<_> = LANGUAGES.iter().enumerate().map(row).collect();
        let screen = Screen::new(&rows);
        Self { rows: Mutex::new(rows), began: Instant::now(), screen, is_held: Notify::new() }
    }

    /// Returns how long the demo has been running.
    pub(super) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// Returns all rows as they are.
    pub(super) fn rows(&self) -> Vec<Row> {
        self.locked().clone()
    }

    /// Changes a row, and shows it if it looks different then.
    pub(super) fn change(&self, number: u64, change: impl FnOnce(&mut Row)) {
        let mut rows = self.locked();
        let Some(row) = rows.iter_mut().find(|row| row.number == number) else { return };
        let before = (row.stage.clone(), row.doing.clone(), row.took);
        change(row);
        // What the engine says about an issue that is done is of no more interest.
        if before.2.is_none() && before != (row.stage.clone(), row.doing.clone(), row.took) {
            self.screen.show(row, self.began.elapsed());
        }
    }

    /// Keeps what was special about an issue, and tells it.
    pub(super) fn note(&self, number: u64, note: &str) {
        self.screen.tell(number, note, self.began.elapsed());
        self.change(number, |row| row.notes.push(note.to_owned()));
    }

    /// Leaves the terminal to others.
    pub(super) fn close(&self) {
        self.screen.close();
    }

    fn locked(&self) -> MutexGuard<'_, Vec<Row>> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn doing(&self, item: &ItemKey, doing: String) {
        if let Some(number) = number(item) {
            self.change(number, |row| row.doing = doing);
        }
    }
}

fn number(item: &ItemKey) -> Option<u64> {
    match item {
        ItemKey::Issue(issue) => Some(issue.number),
        ItemKey::Task { .. } => None,
    }
}

impl Witness for Score {
    fn happened(&self, happened: &Happened<'_>) {
        match happened {
            Happened::Looked(issue, step) => {
                self.change(issue.number, |row| row.doing = teller::words(step));
            }
            Happened::NotLooked(issue, error) => {
                self.change(issue.number, |row| row.doing = format!("could not be looked at: {error}"));
            }
            Happened::TreeKept(issue, why) => {
                self.change(issue.number, |row| row.doing = format!("the work tree stays: {why}"));
            }
            Happened::NotSurveyed(_)
            | Happened::Gone(_)
            | Happened::OutOfReach(_)
            | Happened::Surveyed { .. }
            | Happened::Decided(..)
            | Happened::Delivered(_)
            | Happened::SlackHeard
            | Happened::SlackUnheard { .. }
            | Happened::Swept(_) => {}
        }
    }

    fn run(&self, news: &News<'_>) {
        match news {
            News::Started(started) => {
                if let Some(number) = number(&started.item.key) {
                    if number == WANTED {
                        self.is_held.notify_one();
                    }
                    self.change(number, |row| {
                        row.runs += 1;
                        row.doing = format!("the agent is at work (run {})", started.run.id);
                    });
                }
            }
            News::Ended(started, status, _) => {
                self.doing(&started.item.key, format!("run {} has {status}", started.run.id));
            }
            _ => {}
        }
    }

    fn deed(&self, item: &ItemKey, _: &Deed, performed: &Performed) {
        if let Performed::Dead(id, why) = performed {
            self.doing(item, format!("effect {id} never takes effect: {why}"));
        }
    }
}
