//! How long this machine has seen the same tip on a ref, for tips whose own date cannot be believed.
//!
//! Whoever pushes a commit dates it. A claim that was pushed is therefore expired only when the reader itself has seen
//! the same tip for a whole lease. One-shot commands do not live that long, so the first sight is kept in a file.
//!
//! The boot clock measures. It starts again with the machine, so a first sight counts only within the same boot, which
//! the kernel's boot id tells. After a restart the watch begins anew: recovery comes later and never too early.
//! Deliberately absent: what a tip says, and when it counts as expired.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use baton_core::time::{BootTime, ServerTime};
use baton_ports::Clock;
use serde::{Deserialize, Serialize};

use super::state_file::{StateFile, StateFileError};

/// Tells one run of the kernel from the next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BootId(pub String);

impl BootId {
    /// Asks the kernel. Systems other than Linux have no answer.
    pub fn of_this_machine() -> Option<Self> {
        let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        Some(Self(text.trim().to_owned())).filter(|id| !id.0.is_empty())
    }
}

/// A moment by all of this machine's clocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    /// The boot clock.
    pub boot: BootTime,
    /// Which boot that clock counts from, where the system tells.
    pub boot_id: Option<BootId>,
    /// The wall clock.
    pub wall: ServerTime,
}

impl Moment {
    /// Reads the clocks.
    pub fn now(clock: &impl Clock) -> Self {
        Self { boot: clock.boot_now(), boot_id: BootId::of_this_machine(), wall: clock.wall_now() }
    }
}

/// The tips that this machine watches.
#[derive(Debug, Clone)]
pub struct Watch {
    file: StateFile<Seen>,
}

/// By ref; the caller chooses a text that names the ref on its tracker.
type Seen = BTreeMap<String, FirstSight>;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct FirstSight {
    tip: String,
    boot_ms: u64,
    boot_id: Option<BootId>,
    wall_s: i64,
}

impl Watch {
    /// Names the file. It need not exist.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { file: StateFile::new(path) }
    }

    /// Notes that `tip` is on the ref now, and returns for how long it has certainly been there.
    ///
    /// `key` names the ref on its tracker, such as `api.example.com acme/web refs/baton/claims/7`.
    pub fn observe(&self, key: &str, tip: &str, now: &Moment) -> Result<Duration, StateFileError> {
        // Most sights are not the first. They change nothing and need no lock.
        if let Some(watched) = self.file.read_cache()?.get(key).and_then(|sight| sight.age(tip, now)) {
            return Ok(watched);
        }
        self.file.update_cache(|seen| note(seen, key, tip, now))
    }

    /// Returns whether a ref was ever watched from here.
    pub fn knows(&self, key: &str) -> Result<bool, StateFileError> {
        Ok(self.file.read_cache()?.contains_key(key))
    }

    /// Ends the watch over a ref. One that is not watched is fine.
    pub fn forget(&self, key: &str) -> Result<(), StateFileError> {
        if self.file.read_cache()?.contains_key(key) {
            self.file.update_cache(|seen| seen.remove(key))?;
        }
        Ok(())
    }
}

impl FirstSight {
    fn new(tip: &str, now: &Moment) -> Self {
        Self { tip: tip.to_owned(), boot_ms: now.boot.ms, boot_id: now.boot_id.clone(), wall_s: now.wall.0 }
    }

    /// Returns how long ago this was, or nothing if it was another tip or lies before a restart of the machine.
    fn age(&self, tip: &str, now: &Moment) -> Option<Duration> {
        if self.tip != tip || self.boot_id != now.boot_id {
            return None;
        }
        let boot_age = Duration::from_millis(now.boot.ms.checked_sub(self.boot_ms)?);
        match now.boot_id {
            Some(_) => Some(boot_age),
            // Without a boot id a restart may go unnoticed, and the wall clock may have been set. Neither can make
            // the smaller of the two larger than the truth.
            None => Some(boot_age.min(self.wall_age(now)?)),
        }
    }

    fn wall_age(&self, now: &Moment) -> Option<Duration> {
        u64::try_from(now.wall.0.checked_sub(self.wall_s)?).ok().map(Duration::from_secs)
    }
}

/// Adds a first sight, unless another process was faster. First sights of earlier boots say nothing any more and go.
fn note(seen: &mut Seen, key: &str, tip: &str, now: &Moment) -> Duration {
    seen.retain(|_, sight| sight.boot_id == now.boot_id && sight.boot_ms <= now.boot.ms);
    if let Some(age) = seen.get(key).and_then(|sight| sight.age(tip, now)) {
        return age;
    }
    seen.insert(key.to_owned(), FirstSight::new(tip, now));
    Duration::ZERO
}

#[cfg(test)]
mod tests {
    use super::super::SystemClock;
    use super::*;

    fn moment(boot_s: u64, boot_id: Option<&str>, wall_s: i64) -> Moment {
        let boot_id = boot_id.map(|id| BootId(id.to_owned()));
        Moment { boot: BootTime { ms: boot_s * 1000 }, boot_id, wall: ServerTime(wall_s) }
    }

    /// Sees tip `a` at the first moment and `tip` at the second, and compares how long it was watched then.
    #[track_caller]
    fn check(first: &Moment, tip: &str, second: &Moment, expected_s: u64) {
        let directory = tempfile::tempdir().unwrap();
        let watch = || Watch::new(directory.path().join("watch.json"));
        assert_eq!(watch().observe("key", "a", first).unwrap(), Duration::ZERO);
        assert_eq!(watch().observe("key", tip, second).unwrap(), Duration::from_secs(expected_s));
    }

    #[test]
    fn a_tip_is_watched_since_its_first_sight() {
        check(&moment(10, Some("x"), 1000), "a", &moment(310, Some("x"), 1300), 300);
    }

    #[test]
    fn another_tip_begins_the_watch_anew() {
        check(&moment(10, Some("x"), 1000), "b", &moment(310, Some("x"), 1300), 0);
    }

    #[test]
    fn a_restart_begins_the_watch_anew() {
        check(&moment(10, Some("x"), 1000), "a", &moment(310, Some("y"), 1300), 0);
        check(&moment(310, None, 1000), "a", &moment(10, None, 1300), 0);
        check(&moment(10, None, 1000), "a", &moment(310, Some("x"), 1300), 0);
    }

    #[test]
    fn a_wall_clock_that_was_set_makes_nothing_older() {
        check(&moment(10, Some("x"), 1000), "a", &moment(20, Some("x"), 9_999_999), 10);
        check(&moment(10, None, 1000), "a", &moment(20, None, 9_999_999), 10);
    }

    #[test]
    fn a_restart_that_nobody_noticed_makes_nothing_older() {
        // The machine went down right after the first sight and has been up for 500 s; the truth is 560 s.
        check(&moment(10, None, 1000), "a", &moment(500, None, 1560), 490);
        // The wall clock knows that less time has passed than the boot clock says.
        check(&moment(10, None, 1000), "a", &moment(500, None, 1060), 60);
        check(&moment(10, None, 1000), "a", &moment(500, None, 900), 0);
    }

    #[test]
    fn the_first_sight_stays_the_first_over_many() {
        let directory = tempfile::tempdir().unwrap();
        let watch = Watch::new(directory.path().join("watch.json"));
        for second in 0..5 {
            let watched = watch.observe("key", "a", &moment(second, Some("x"), 0)).unwrap();
            assert_eq!(watched, Duration::from_secs(second));
        }
    }

    #[test]
    fn refs_are_watched_apart_and_forgotten_apart() {
        let directory = tempfile::tempdir().unwrap();
        let watch = Watch::new(directory.path().join("watch.json"));
        let at = |second| moment(second, Some("x"), 0);
        watch.observe("one", "a", &at(0)).unwrap();
        watch.observe("two", "a", &at(5)).unwrap();
        watch.forget("one").unwrap();
        watch.forget("never seen").unwrap();
        assert_eq!(watch.observe("one", "a", &at(10)).unwrap(), Duration::ZERO);
        assert_eq!(watch.observe("two", "a", &at(10)).unwrap(), Duration::from_secs(5));
    }

    #[test]
    fn what_earlier_boots_saw_is_not_kept() {
        let directory = tempfile::tempdir().unwrap();
        let watch = Watch::new(directory.path().join("watch.json"));
        watch.observe("one", "a", &moment(0, Some("x"), 0)).unwrap();
        watch.observe("two", "a", &moment(0, Some("y"), 0)).unwrap();
        assert_eq!(watch.file.read().unwrap().keys().collect::<Vec<_>>(), ["two"]);
    }

    #[test]
    fn a_corrupt_file_begins_the_watch_anew() {
        let directory = tempfile::tempdir().unwrap();
        let watch = Watch::new(directory.path().join("watch.json"));
        watch.observe("key", "a", &moment(0, Some("x"), 0)).unwrap();
        std::fs::write(watch.file.path(), "?").unwrap();
        assert_eq!(watch.observe("key", "a", &moment(9, Some("x"), 0)).unwrap(), Duration::ZERO);
        assert_eq!(watch.observe("key", "a", &moment(10, Some("x"), 0)).unwrap(), Duration::from_secs(1));
    }

    #[test]
    fn this_machine_keeps_its_boot_id_on_linux() {
        assert_eq!(Moment::now(&SystemClock).boot_id, BootId::of_this_machine());
        assert_eq!(BootId::of_this_machine().is_some(), cfg!(target_os = "linux"));
    }
}
