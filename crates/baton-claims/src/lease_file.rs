//! Holds that outlive the command which made them: `claim` leaves one behind, `renew` and `release` find it again.
//!
//! A deadline is by the boot clock, so a hold of an earlier boot has none and is over.

use std::path::PathBuf;
use std::time::Duration;

use baton_core::claim::{Holder, Lease, Nonce, Protocol};
use baton_core::time::BootTime;
use baton_core::tracker::IssueKey;
use serde::{Deserialize, Serialize};

use crate::machine::BootId;
use crate::machine::{StateFile, StateFileError};

/// The holds of this machine.
#[derive(Debug, Clone)]
pub struct LeaseFiles {
    directory: PathBuf,
    tracker: String,
}

/// A hold as it is kept.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Saved {
    issue: String,
    tracker: String,
    boot_id: Option<BootId>,
    holder: Holder,
    nonce: Nonce,
    protocol: Protocol,
    ttl_ms: u64,
    comment: Option<u64>,
    run_comment: Option<u64>,
    tip: Option<String>,
    unclear_tip: Option<String>,
    epoch: Option<u64>,
    sent_at_ms: u64,
    deadline_ms: u64,
    #[serde(default)]
    ends_at_ms: Option<u64>,
    #[serde(default)]
    label: Option<String>,
}

/// A hold that was found again.
#[derive(Debug, Clone)]
pub struct FoundLease {
    /// The hold; of an earlier boot its deadline is long past.
    pub lease: Lease,
    /// The label that it was taken for.
    pub label: Option<String>,
}

impl LeaseFiles {
    /// Keeps holds in a directory, for one tracker.
    pub fn new(directory: impl Into<PathBuf>, tracker: &str) -> Self {
        Self { directory: directory.into(), tracker: tracker.to_owned() }
    }

    /// Makes sure that a hold can be kept, before there is one; a hold that nobody can find again blocks its issue.
    pub fn prepare(&self) -> Result<(), StateFileError> {
        StateFile::<Option<Saved>>::new(self.directory.join("probe.json")).update_cache(|_| ())?;
        // State is of this machine and no part of the repository that it may lie in.
        let ignore = self.directory.parent().unwrap_or(&self.directory).join(".gitignore");
        if !ignore.exists() && std::fs::write(&ignore, "*\n").is_err() {
            tracing::debug!("no .gitignore could be written");
        }
        Ok(())
    }

    fn file(&self, issue: &IssueKey) -> StateFile<Option<Saved>> {
        let name = format!("{}__{}__{}.json", issue.repo.owner(), issue.repo.name(), issue.number);
        StateFile::new(self.directory.join(name.to_ascii_lowercase()))
    }

    /// Keeps a hold.
    pub fn keep(&self, issue: &IssueKey, lease: &Lease, label: Option<&str>) -> Result<(), StateFileError> {
        let saved = Saved {
            issue: issue.to_string(),
            tracker: self.tracker.clone(),
            boot_id: BootId::of_this_machine(),
            holder: lease.holder.clone(),
            nonce: lease.nonce,
            protocol: lease.protocol,
            ttl_ms: baton_core::time::millis(lease.ttl),
            comment: lease.comment,
            run_comment: lease.run_comment,
            tip: lease.tip.clone(),
            unclear_tip: lease.unclear_tip.clone(),
            epoch: lease.epoch,
            sent_at_ms: lease.sent_at.ms,
            deadline_ms: lease.deadline.ms,
            ends_at_ms: lease.ends_at.map(|end| end.ms),
            label: label.map(str::to_owned),
        };
        self.file(issue).update_cache(|kept| {
            // A slow command must not put an older hold, or an older state of the same one, in the place of a newer.
            let is_newer = |own: &Saved| own.boot_id == saved.boot_id && own.sent_at_ms > saved.sent_at_ms;
            if !kept.as_ref().is_some_and(is_newer) {
                *kept = Some(saved);
            }
        })
    }

    /// Finds the hold of an issue on this machine.
    pub fn find(&self, issue: &IssueKey) -> Result<Option<FoundLease>, StateFileError> {
        let kept = self.file(issue).read_cache()?;
        Ok(kept.filter(|saved| saved.tracker == self.tracker).map(found))
    }

    /// Forgets the hold of an issue, if it is the one with this nonce.
    pub fn forget(&self, issue: &IssueKey, nonce: Nonce) -> Result<(), StateFileError> {
        self.file(issue).update_cache(|kept| {
            if kept.as_ref().is_some_and(|saved| saved.nonce == nonce) {
                *kept = None;
            }
        })
    }
}

fn found(saved: Saved) -> FoundLease {
    let is_this_boot = saved.boot_id == BootId::of_this_machine();
    let deadline = if is_this_boot { saved.deadline_ms } else { 0 };
    let lease = Lease {
        holder: saved.holder,
        nonce: saved.nonce,
        protocol: saved.protocol,
        ttl: Duration::from_millis(saved.ttl_ms),
        comment: saved.comment,
        run_comment: saved.run_comment,
        tip: saved.tip,
        unclear_tip: saved.unclear_tip,
        epoch: saved.epoch,
        sent_at: BootTime { ms: saved.sent_at_ms },
        deadline: BootTime { ms: deadline },
        ends_at: saved.ends_at_ms.map(|ms| BootTime { ms }),
    };
    FoundLease { lease, label: saved.label }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lease() -> Lease {
        Lease {
            holder: "lucius:20260501-194217-643a".parse().unwrap(),
            nonce: Nonce(7),
            protocol: Protocol::Ref,
            ttl: Duration::from_secs(600),
            comment: Some(5),
            run_comment: None,
            tip: Some("abc".to_owned()),
            unclear_tip: None,
            epoch: Some(3),
            sent_at: BootTime { ms: 10 },
            deadline: BootTime { ms: 20 },
            ends_at: None,
        }
    }

    #[test]
    fn a_hold_is_found_again_by_the_next_command_and_forgotten_by_its_nonce() {
        let directory = tempfile::tempdir().unwrap();
        let files = LeaseFiles::new(directory.path().join("leases"), "http://127.0.0.1:1");
        let issue = IssueKey { repo: "acme/web".parse().unwrap(), number: 7 };
        assert!(files.find(&issue).unwrap().is_none());
        files.keep(&issue, &lease(), Some("stage:ready")).unwrap();
        let found = files.find(&issue).unwrap().unwrap();
        assert_eq!((found.lease, found.label.as_deref()), (lease(), Some("stage:ready")));
        files.forget(&issue, Nonce(8)).unwrap();
        assert!(files.find(&issue).unwrap().is_some(), "another hold's nonce forgets nothing");
        files.forget(&issue, Nonce(7)).unwrap();
        assert!(files.find(&issue).unwrap().is_none());
    }

    #[test]
    fn a_hold_on_another_tracker_is_not_taken_for_one_here() {
        let directory = tempfile::tempdir().unwrap();
        let issue = IssueKey { repo: "acme/web".parse().unwrap(), number: 7 };
        LeaseFiles::new(directory.path(), "http://127.0.0.1:1").keep(&issue, &lease(), None).unwrap();
        assert!(LeaseFiles::new(directory.path(), "http://127.0.0.1:2").find(&issue).unwrap().is_none());
    }
}
