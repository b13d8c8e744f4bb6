//! Judging the store: whether it can be used, and whether anything in it waits for nobody.

use std::time::Duration;

use super::setup::{one_line, plural};
use super::{CheckId, Finding};
use crate::slot::{RunId, RunStatus, WakeupId, WakeupStatus};

/// How the store is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreFacts {
    /// It is a file that is not there yet; whether it can be made.
    Absent(Result<(), String>),
    /// It cannot be reached, for this reason.
    Unreachable(String),
    /// It is there.
    Open {
        /// The version of its schema; 0 for none.
        version: i64,
        /// The version that this program knows.
        known: i64,
        /// Whether it can be written, or why not.
        write: Result<(), String>,
    },
}

/// Judges the store. The address is told without its password.
pub fn store(address: &str, facts: &StoreFacts) -> Finding {
    let check = CheckId::Store;
    let fix = "check `store:` in baton.yaml (BATON_STORE), and that the database is up and may be written";
    match facts {
        StoreFacts::Absent(Ok(())) => Finding::ok(check, format!("{address} is made at the first start")),
        StoreFacts::Absent(Err(why)) => {
            Finding::fail(check, format!("{address} cannot be made: {}", one_line(why)), fix).out_of_reach()
        }
        StoreFacts::Unreachable(why) => {
            Finding::fail(check, format!("{address} cannot be reached: {}", one_line(why)), fix)
                .out_of_reach()
        }
        StoreFacts::Open { write: Err(why), .. } => {
            Finding::fail(check, format!("{address} cannot be written: {}", one_line(why)), fix)
        }
        StoreFacts::Open { write: Ok(()), .. } => Finding::ok(check, format!("{address} can be written")),
    }
}

/// Judges the version of the schema.
pub fn schema(facts: &StoreFacts) -> Finding {
    let check = CheckId::Schema;
    let StoreFacts::Open { version, known, .. } = facts else {
        return match facts {
            StoreFacts::Absent(_) => Finding::ok(check, "there is no store yet"),
            _ => Finding::skip(check, "the store cannot be reached (see `store`)"),
        };
    };
    let found = format!("version {version}, and this program knows {known}");
    match version.cmp(known) {
        std::cmp::Ordering::Equal => Finding::ok(check, format!("version {version}")),
        std::cmp::Ordering::Less => Finding::warn(
            check,
            format!("{found}; the next start brings it up to date"),
            "stop engines of the older version, then: baton runs",
        ),
        std::cmp::Ordering::Greater => Finding::fail(
            check,
            found,
            "use the version of baton that made it, or a newer one; or set another `store:`",
        ),
    }
}

/// The run that has the slot which a wakeup waits for, or got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnerFacts {
    /// Which.
    pub run: RunId,
    /// Where it stands.
    pub status: RunStatus,
    /// Whether a worker executes it that is alive.
    pub has_worker: bool,
}

/// A wakeup that is not over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WakeupFacts {
    /// Which.
    pub id: WakeupId,
    /// What it is about.
    pub item: String,
    /// Who is to look.
    pub agent: String,
    /// Whether such an agent is configured.
    pub is_agent_known: bool,
    /// What became of it.
    pub status: WakeupStatus,
    /// How long ago it was asked.
    pub age: Duration,
    /// Who has the slot.
    pub owner: Option<OwnerFacts>,
}

/// Judges the wakeups that are not over, given the alarm and whether a worker is alive at all.
pub fn wakeups(wakeups: &[WakeupFacts], alarm: Duration, is_worker_alive: bool) -> Vec<Finding> {
    let late = wakeups.iter().filter(|wakeup| wakeup.age > alarm);
    let mut findings: Vec<_> = late.map(|wakeup| wakeup_finding(wakeup, is_worker_alive)).collect();
    if findings.is_empty() {
        let found = match wakeups.len() {
            0 => "none waits".to_owned(),
            count => format!(
                "{} not over, none for longer than {} min",
                plural(count, "wakeup"),
                alarm.as_secs() / 60
            ),
        };
        findings.push(Finding::ok(CheckId::Wakeups, found));
    }
    findings
}

fn wakeup_finding(facts: &WakeupFacts, is_worker_alive: bool) -> Finding {
    let (check, WakeupFacts { id, item, agent, .. }) = (CheckId::Wakeups, facts);
    let minutes = facts.age.as_secs() / 60;
    let begins = format!("wakeup {id} of {agent} for {item} waits since {minutes} min");
    if !facts.is_agent_known {
        let fix = format!("add the agent `{agent}` to baton.yaml again{}", or_cancel(facts));
        return Finding::fail(check, format!("{begins}, and there is no such agent any more"), fix);
    }
    let is_promoted = facts.owner.is_some_and(|owner| match owner.status {
        RunStatus::Running => owner.has_worker,
        _ => is_worker_alive,
    });
    match (is_promoted, is_worker_alive) {
        (true, _) => {
            let run = facts.owner.map_or_else(String::new, |owner| format!(" for run {}", owner.run));
            Finding::warn(
                check,
                format!("{begins}{run}"),
                format!("baton explain {item}{}", or_cancel(facts)),
            )
        }
        (false, true) => Finding::warn(
            check,
            format!("{begins} for a slot that nobody has; a worker is alive and will find it"),
            format!("look again in a minute; then: baton explain {item}"),
        ),
        (false, false) => Finding::fail(
            check,
            format!("{begins}, and no worker is alive that would follow it"),
            format!("baton up{}", or_cancel(facts)),
        ),
    }
}

fn or_cancel(facts: &WakeupFacts) -> String {
    facts.owner.map_or_else(String::new, |owner| format!("; or give it up: baton cancel {}", owner.run))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Grade;

    fn open(version: i64, write: Result<(), String>) -> StoreFacts {
        StoreFacts::Open { version, known: 2, write }
    }

    #[test]
    fn a_store_is_good_when_it_can_be_written_or_made() {
        let why = || Err("no".to_owned());
        for (facts, grade, is_out_of_reach) in [
            (StoreFacts::Absent(Ok(())), Grade::Ok, false),
            (StoreFacts::Absent(why()), Grade::Fail, true),
            (StoreFacts::Unreachable("no".to_owned()), Grade::Fail, true),
            (open(2, why()), Grade::Fail, false),
            (open(2, Ok(())), Grade::Ok, false),
        ] {
            let finding = store("sqlite:x", &facts);
            assert_eq!((finding.grade, finding.is_out_of_reach), (grade, is_out_of_reach), "{facts:?}");
        }
    }

    #[test]
    fn a_schema_may_be_older_and_never_newer() {
        for (facts, grade) in [
            (open(2, Ok(())), Grade::Ok),
            (open(1, Ok(())), Grade::Warn),
            (open(0, Ok(())), Grade::Warn),
            (open(3, Ok(())), Grade::Fail),
            (StoreFacts::Absent(Ok(())), Grade::Ok),
            (StoreFacts::Unreachable("no".to_owned()), Grade::Skip),
        ] {
            assert_eq!(schema(&facts).grade, grade, "{facts:?}");
        }
    }

    fn wakeup(status: WakeupStatus, owner: Option<(RunStatus, bool)>) -> WakeupFacts {
        WakeupFacts {
            id: WakeupId(1),
            item: "a/b#1".to_owned(),
            agent: "coder".to_owned(),
            is_agent_known: true,
            status,
            age: Duration::from_secs(7200),
            owner: owner.map(|(status, has_worker)| OwnerFacts { run: RunId(3), status, has_worker }),
        }
    }

    #[test]
    fn a_wakeup_is_stranded_when_nobody_would_ever_follow_it() {
        use RunStatus::{Queued, Running};
        use WakeupStatus::Deferred;
        for (owner, is_worker_alive, grade) in [
            (Some((Running, true)), true, Grade::Warn),
            (Some((Running, true)), false, Grade::Warn),
            (Some((Running, false)), true, Grade::Warn),
            (Some((Running, false)), false, Grade::Fail),
            (Some((Queued, false)), true, Grade::Warn),
            (Some((Queued, false)), false, Grade::Fail),
            (None, true, Grade::Warn),
            (None, false, Grade::Fail),
        ] {
            let found = wakeups(&[wakeup(Deferred, owner)], Duration::from_secs(3600), is_worker_alive);
            assert_eq!((found.len(), found[0].grade), (1, grade), "{owner:?} {is_worker_alive}");
        }
    }

    #[test]
    fn a_wakeup_that_waits_for_a_short_time_is_nothing_to_tell_of() {
        let fresh = WakeupFacts { age: Duration::from_secs(60), ..wakeup(WakeupStatus::Queued, None) };
        let found = wakeups(std::slice::from_ref(&fresh), Duration::from_secs(3600), false);
        assert_eq!((found.len(), found[0].grade), (1, Grade::Ok));
        let unknown = WakeupFacts { is_agent_known: false, age: Duration::from_secs(7200), ..fresh };
        assert_eq!(wakeups(&[unknown], Duration::from_secs(3600), true)[0].grade, Grade::Fail);
        assert_eq!(wakeups(&[], Duration::ZERO, true)[0].grade, Grade::Ok);
    }
}
