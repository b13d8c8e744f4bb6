//! What was found: a line for people, a shape for programs, and the exit code of all of it.

use serde_json::{Value, json};

use super::CheckId;
use crate::words::words;

words! {
    /// How good or bad it is.
    Grade, "a grade" {
        /// As it should be.
        Ok = "ok",
        /// It works, and somebody should look.
        Warn = "warn",
        /// It does not work.
        Fail = "fail",
        /// It could not be looked at, because of something else that is wrong.
        Skip = "skip",
    }
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Whose.
    pub check: CheckId,
    /// How good or bad.
    pub grade: Grade,
    /// What was found.
    pub found: String,
    /// The command or the edit that helps.
    pub fix: Option<String>,
    /// Whether the tracker or the store could not be reached at all.
    pub is_out_of_reach: bool,
}

impl Finding {
    /// Everything is as it should be.
    pub fn ok(check: CheckId, found: impl Into<String>) -> Self {
        Self { check, grade: Grade::Ok, found: found.into(), fix: None, is_out_of_reach: false }
    }

    /// It works, and somebody should look.
    pub fn warn(check: CheckId, found: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { grade: Grade::Warn, fix: Some(fix.into()), ..Self::ok(check, found) }
    }

    /// It does not work.
    pub fn fail(check: CheckId, found: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { grade: Grade::Fail, fix: Some(fix.into()), ..Self::ok(check, found) }
    }

    /// It could not be looked at.
    pub fn skip(check: CheckId, because: &str) -> Self {
        Self { grade: Grade::Skip, ..Self::ok(check, format!("not checked: {because}")) }
    }

    /// The tracker, or the store, is out of reach.
    #[must_use]
    pub fn out_of_reach(self) -> Self {
        Self { is_out_of_reach: true, ..self }
    }
}

/// Everything that was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    findings: Vec<Finding>,
}

impl Report {
    /// Adds what was found.
    pub fn add(&mut self, findings: impl IntoIterator<Item = Finding>) {
        self.findings.extend(findings);
    }

    /// Says of checks that nothing can be found out about them, unless something was.
    pub fn skip(&mut self, checks: &[CheckId], because: &str) {
        let open: Vec<_> = checks.iter().copied().filter(|check| self.of(*check).next().is_none()).collect();
        self.add(open.into_iter().map(|check| Finding::skip(check, because)));
    }

    /// Returns what was found by one check.
    pub fn of(&self, check: CheckId) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(move |finding| finding.check == check)
    }

    /// Returns the findings in the order of the checks. A check that said nothing is told as one that was not made.
    pub fn finished(mut self) -> Self {
        self.skip(CheckId::ALL, "it said nothing, which is a mistake of this program");
        self.findings.sort_by_key(|finding| finding.check);
        self
    }

    /// Returns the findings.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Returns how many findings have a grade.
    pub fn count(&self, grade: Grade) -> usize {
        self.findings.iter().filter(|finding| finding.grade == grade).count()
    }

    /// Returns the exit code: 3 when the tracker or the store is out of reach, 1 when anything failed.
    pub fn exit_code(&self) -> u8 {
        match self.findings.iter().any(|finding| finding.is_out_of_reach) {
            true => 3,
            false => u8::from(self.count(Grade::Fail) > 0),
        }
    }

    /// Returns it for programs. Keys are always there, and null where there is nothing.
    pub fn shape(&self) -> Value {
        let finding =
            |it: &Finding| json!({ "check": it.check, "status": it.grade, "found": it.found, "fix": it.fix });
        let count = |grade: &Grade| (grade.to_string(), json!(self.count(*grade)));
        json!({
            "checks": self.findings.iter().map(finding).collect::<Vec<_>>(),
            "counts": Grade::ALL.iter().map(count).collect::<serde_json::Map<_, _>>(),
            "exit_code": self.exit_code(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(findings: &[Finding]) -> Report {
        let mut report = Report::default();
        report.add(findings.to_vec());
        report
    }

    #[test]
    fn the_exit_code_tells_the_worst() {
        let (ok, warn) =
            (Finding::ok(CheckId::Clock, "in step"), Finding::warn(CheckId::Labels, "one lacks", "sync"));
        let fail = Finding::fail(CheckId::Agents, "there is none", "add one");
        let lost = Finding::fail(CheckId::Store, "no answer", "start it").out_of_reach();
        let skip = Finding::skip(CheckId::Schema, "there is no store");
        assert_eq!(report(&[ok.clone(), warn.clone(), skip.clone()]).exit_code(), 0);
        assert_eq!(report(&[ok, warn, fail.clone(), skip]).exit_code(), 1);
        assert_eq!(report(&[fail, lost]).exit_code(), 3);
    }

    #[test]
    fn a_check_that_said_nothing_is_never_taken_for_a_good_one() {
        let report = report(&[Finding::ok(CheckId::Slack, "not used")]).finished();
        assert_eq!(report.findings().len(), CheckId::ALL.len());
        assert_eq!((report.count(Grade::Ok), report.count(Grade::Skip)), (1, CheckId::ALL.len() - 1));
        assert_eq!(report.findings()[0].check, CheckId::Config);
    }

    #[test]
    fn programs_are_told_the_same_keys_whatever_was_found() {
        let shape = report(&[Finding::ok(CheckId::Clock, "in step")]).shape();
        assert_eq!(
            shape["checks"][0],
            json!({ "check": "clock", "status": "ok", "found": "in step", "fix": null })
        );
        assert_eq!(shape["counts"], json!({ "ok": 1, "warn": 0, "fail": 0, "skip": 0 }));
        assert_eq!(shape["exit_code"], json!(0));
    }
}
