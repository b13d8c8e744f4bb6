//! One task that waits for changes and tells everybody. It begins with the first listener and ends with the feed.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use baton_view::{Board, Lookout, LookoutError};
use bytes::Bytes;
use serde_json::json;
use tokio::sync::broadcast;
use tokio::task::JoinHandle;
use tokio::time::MissedTickBehavior;

use super::difference::difference;
use super::frame;

/// So many frames may wait for a listener; one that is further behind reads its page again.
const FRAMES_MAX: usize = 64;
/// Changes within this time are told together.
const PACE: Duration = Duration::from_millis(60);
/// A board that could not be read is read again after this time, though nothing changed.
const AGAIN: Duration = Duration::from_secs(2);

/// Who tells what changed.
pub(crate) struct Feed<L> {
    shared: Arc<Shared<L>>,
    task: Mutex<Option<JoinHandle<()>>>,
}

struct Shared<L> {
    lookout: Arc<L>,
    frames: broadcast::Sender<Bytes>,
    /// The board that listeners have drawn; nothing while nobody listens.
    last: Mutex<Option<Arc<Board>>>,
    /// How many frames were told, or would have been.
    told: AtomicU64,
}

/// What is kept is replaced as a whole, so it is right even after a panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<L: Lookout> Feed<L> {
    pub(crate) fn over(lookout: Arc<L>) -> Self {
        let (frames, _) = broadcast::channel(FRAMES_MAX);
        let shared = Shared { lookout, frames, last: Mutex::default(), told: AtomicU64::new(0) };
        Self { shared: Arc::new(shared), task: Mutex::default() }
    }

    /// Returns how many frames were told.
    pub(crate) fn told(&self) -> u64 {
        self.shared.told.load(Ordering::SeqCst)
    }

    /// Tells from this board on, which a page was just drawn of, unless it is told from another already.
    pub(crate) fn begin_from(&self, board: &Arc<Board>) {
        lock(&self.shared.last).get_or_insert_with(|| Arc::clone(board));
    }

    /// Returns how many frames were told, and those that follow.
    pub(crate) async fn listen(&self) -> (u64, broadcast::Receiver<Bytes>) {
        let frames = self.shared.frames.subscribe();
        self.begin();
        if lock(&self.shared.last).is_none() {
            // No page was drawn of what is told from here on, so those that there are read themselves again.
            self.shared.told.fetch_add(1, Ordering::SeqCst);
            if let Ok(board) = self.shared.lookout.board().await {
                self.begin_from(&Arc::new(board));
            }
        }
        (self.told(), frames)
    }

    fn begin(&self) {
        let mut task = lock(&self.task);
        if task.as_ref().is_none_or(JoinHandle::is_finished) {
            *task = Some(tokio::spawn(tell_all(Arc::clone(&self.shared))));
        }
    }
}

impl<L> Drop for Feed<L> {
    fn drop(&mut self) {
        if let Some(task) = lock(&self.task).take() {
            task.abort();
        }
    }
}

async fn tell_all<L: Lookout>(shared: Arc<Shared<L>>) {
    let mut pace = tokio::time::interval(PACE);
    pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut seen = 0;
    let mut is_well = true;
    loop {
        let changed = shared.lookout.changed(seen);
        match is_well {
            true => seen = changed.await,
            // Whoever is out of reach may tell of no change either.
            false => seen = tokio::time::timeout(AGAIN, changed).await.unwrap_or(seen),
        }
        pace.tick().await;
        is_well = shared.tell().await.inspect_err(|error| shared.tell_trouble(error)).is_ok();
    }
}

impl<L: Lookout> Shared<L> {
    /// Tells what changed since the last board.
    async fn tell(&self) -> Result<(), LookoutError> {
        if self.frames.receiver_count() == 0 {
            // Nobody listens. A page drawn before this change must read itself again, should it listen later.
            lock(&self.last).take();
            self.told.fetch_add(1, Ordering::SeqCst);
            return Ok(());
        }
        let board = Arc::new(self.lookout.board().await?);
        let before = lock(&self.last).replace(Arc::clone(&board));
        let mut events = match before {
            Some(before) => difference(&before, &board),
            None => "event: resync\ndata: {}\n\n".to_owned(),
        };
        events.push_str(&format!("event: changed\ndata: {}\n\n", json!({ "now": board.now })));
        self.told.fetch_add(1, Ordering::SeqCst);
        // That nobody listens any more is no failure.
        let _ = self.frames.send(Bytes::from(events));
        Ok(())
    }

    fn tell_trouble(&self, error: &LookoutError) {
        tracing::warn!(%error, "the board could not be read for those who listen");
        let _ = self.frames.send(frame("trouble", &json!({ "words": error.to_string() }).to_string()));
    }
}
