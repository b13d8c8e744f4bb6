//! Who may write to a repository, remembered for a while: what people say is acted on only if they may.
//!
//! A yes is good for ten minutes, a no for one: somebody who was just let in should not have to wait. Programs that speak in
//! a repository are installed there, and whoever installed them let them in.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use baton_core::RepoSlug;
use baton_core::tracker::Permission;
use baton_ports::Tracker as _;

use crate::client::{Answer, GitHub};
use crate::graphql::page::is_ghost;
use crate::layers::lock;

const YES_FOR: Duration = Duration::from_mins(10);
const NO_FOR: Duration = Duration::from_mins(1);

/// Bounds how many strangers are remembered.
const KNOWN_MAX: usize = 10_000;

/// What is known of people, until when.
#[derive(Debug, Default)]
pub(crate) struct Writers {
    known: Mutex<BTreeMap<(RepoSlug, String), (bool, Duration)>>,
}

impl Writers {
    fn find(&self, key: &(RepoSlug, String), now: Duration) -> Option<bool> {
        let known = lock(&self.known);
        known.get(key).filter(|(_, until)| now < *until).map(|(may_write, _)| *may_write)
    }

    fn keep(&self, key: (RepoSlug, String), may_write: bool, now: Duration) {
        let mut known = lock(&self.known);
        if known.len() >= KNOWN_MAX {
            known.retain(|_, (_, until)| now < *until);
        }
        if known.len() < KNOWN_MAX {
            known.insert(key, (may_write, now + if may_write { YES_FOR } else { NO_FOR }));
        }
    }
}

impl GitHub {
    /// Returns whether somebody may write to a repository.
    pub(crate) async fn may_write(&self, repo: &RepoSlug, login: &str, is_bot: bool) -> Answer<bool> {
        if is_bot || is_ghost(login) {
            return Ok(is_bot);
        }
        let key = (repo.clone(), login.to_ascii_lowercase());
        let (writers, now) = self.writers();
        if let Some(may_write) = writers.find(&key, now) {
            return Ok(may_write);
        }
        let may_write = self.permission(repo, login).await? >= Permission::Write;
        writers.keep(key, may_write, now);
        Ok(may_write)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_no_is_forgotten_sooner_than_a_yes() {
        let writers = Writers::default();
        let key = |login: &str| ("acme/web".parse().unwrap(), login.to_owned());
        writers.keep(key("ann"), true, Duration::ZERO);
        writers.keep(key("bob"), false, Duration::ZERO);
        let find = |login: &str, seconds| writers.find(&key(login), Duration::from_secs(seconds));
        assert_eq!((find("ann", 599), find("ann", 600)), (Some(true), None));
        assert_eq!((find("bob", 59), find("bob", 60)), (Some(false), None));
        assert_eq!(find("eve", 0), None);
    }
}
