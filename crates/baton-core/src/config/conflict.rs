//! What settings must be together: values that are right alone and wrong in each other's company.

use std::collections::BTreeSet;

use super::error::ConfigError;
use super::resolve::Effective;
use super::typed::{Reader, Values};
use crate::pipeline::approval::SlackApprover;

/// Returns what is right alone and wrong together.
pub(super) fn conflicts(values: &Values, settings: &[Effective]) -> Vec<ConfigError> {
    let together = Together { read: Reader(values), settings };
    let errors = [
        together.claims(),
        together.workers(),
        together.retries(),
        together.checks(),
        together.dialects(),
        together.app(),
        together.voters(),
    ];
    errors.into_iter().flatten().map(ConfigError::Conflict).collect()
}

/// The values, and how to speak of them.
struct Together<'a> {
    read: Reader<'a>,
    settings: &'a [Effective],
}

impl Together<'_> {
    /// Says a setting with its value and where that came from.
    fn said(&self, key: &str) -> String {
        let setting = self.settings.iter().find(|setting| setting.key == key);
        setting.map_or_else(String::new, |it| format!("`{key}` ({}, {})", it.value, it.source))
    }

    fn claims(&self) -> Vec<String> {
        let mut errors = Vec::new();
        for key in ["claims.ttl", "claims.bid_ttl"] {
            if self.read.duration(key) > self.read.duration("claims.max_ttl") {
                errors.push(format!(
                    "{} is longer than {}: others would stop to see the claim while it is held; shorten the one or lengthen the other",
                    self.said(key),
                    self.said("claims.max_ttl")
                ));
            }
        }
        if self.read.duration("claims.margin") >= self.read.duration("claims.ttl") {
            errors.push(format!(
                "{} leaves nothing of {}: a holder would have to stop before it begins; shorten the one or lengthen the other",
                self.said("claims.margin"),
                self.said("claims.ttl")
            ));
        }
        errors
    }

    /// A worker must survive one lost heartbeat, and must have time to stop its agents after the one that it misses.
    fn workers(&self) -> Vec<String> {
        let (heartbeat, ttl) = (self.read.duration("workers.heartbeat"), self.read.duration("workers.ttl"));
        let (said_heartbeat, said_ttl) = (self.said("workers.heartbeat"), self.said("workers.ttl"));
        let mut errors = Vec::new();
        if ttl <= heartbeat.saturating_mul(2) {
            errors.push(format!(
                "{said_ttl} is not more than twice {said_heartbeat}: one lost heartbeat would end a worker's lease; lengthen the one or shorten the other"
            ));
        }
        if self.read.duration("kill_grace") >= ttl.saturating_sub(heartbeat) {
            errors.push(format!(
                "{} is not less than {said_ttl} without {said_heartbeat}: a worker could not stop its agents before its lease ends; shorten the first or lengthen the second",
                self.said("kill_grace")
            ));
        }
        errors
    }

    fn retries(&self) -> Vec<String> {
        let is_upside_down = self.read.duration("retry.base") > self.read.duration("retry.cap");
        let (base, cap) = (self.said("retry.base"), self.said("retry.cap"));
        let error = || {
            format!(
                "{base} is longer than {cap}: the first retry would wait longer than any may; shorten the one or lengthen the other"
            )
        };
        is_upside_down.then(error).into_iter().collect()
    }

    fn checks(&self) -> Vec<String> {
        let is_upside_down =
            self.read.duration("ci_wait_timeout") > self.read.duration("ci_backstop_timeout");
        let (wait, backstop) = (self.said("ci_wait_timeout"), self.said("ci_backstop_timeout"));
        let error = || {
            format!(
                "{wait} is longer than {backstop}: the wait for checks would end before it may; shorten the one or lengthen the other"
            )
        };
        is_upside_down.then(error).into_iter().collect()
    }

    /// A Fabrik engine that shares the board knows no other lock than its own.
    fn dialects(&self) -> Vec<String> {
        let is = |key: &str| self.read.text(key).is_some_and(|dialect| dialect == "fabrik");
        let (pipeline, claims) = (self.said("dialect"), self.said("claims.dialect"));
        let error = || {
            format!(
                "{pipeline} and {claims} are two dialects: engines that share the board would not see each other's locks; leave out `claims.dialect`, or change `dialect`"
            )
        };
        (is("dialect") && !is("claims.dialect")).then(error).into_iter().collect()
    }

    fn app(&self) -> Vec<String> {
        let is_half = self.read.count("app.id").is_some() != self.read.text("app.private_key_file").is_some();
        let error = || "`app.id` and `app.private_key_file` need each other: set both, or neither".to_owned();
        is_half.then(error).into_iter().collect()
    }

    /// Somebody who is named twice would have two votes.
    fn voters(&self) -> Vec<String> {
        let ids = self.read.list("slack.approvers").iter().map(|who| SlackApprover::read(who).id);
        let mut seen = BTreeSet::new();
        let twice: BTreeSet<_> = ids.filter(|id| !seen.insert(id.clone())).collect();
        let error = |id: String| {
            format!(
                "{} names `{id}` twice: one person would have two votes; name everybody once, as `{id}=LOGIN` if they have an account on the tracker",
                self.said("slack.approvers")
            )
        };
        twice.into_iter().map(error).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::resolve::{Layers, TextFile, resolve};

    fn check(yaml: &str, expected: Result<(), &str>) {
        let file = Some(TextFile { path: "baton.yaml".to_owned(), text: yaml.to_owned() });
        let error = resolve(&Layers { file, ..Layers::default() }).err().map(|errors| errors.to_string());
        let is_expected = match (&error, expected) {
            (None, Ok(())) => true,
            (Some(error), Err(beginning)) => error.starts_with(beginning) && error.lines().count() == 1,
            _ => false,
        };
        assert!(is_expected, "{yaml}: {error:?}");
    }

    #[test]
    fn a_claim_that_outlives_what_others_read_is_refused() {
        let expected = "`claims.ttl` (48h, baton.yaml:1:15) is longer than `claims.max_ttl` (24h, default)";
        check("claims: {ttl: 48h}\n", Err(expected));
        check("claims: {ttl: 24h}\n", Ok(()));
    }

    #[test]
    fn a_claim_that_ends_before_it_begins_is_refused() {
        let expected = "`claims.margin` (30s, default) leaves nothing of `claims.ttl` (30s, baton.yaml:1:15)";
        check("claims: {ttl: 30s}\n", Err(expected));
        check("claims: {ttl: 3s, margin: 1s}\n", Ok(()));
    }

    #[test]
    fn a_worker_survives_a_lost_heartbeat() {
        let expected = "`workers.ttl` (30s, baton.yaml:1:16) is not more than twice `workers.heartbeat` (15s, baton.yaml:1:32)";
        check("workers: {ttl: 30s, heartbeat: 15s}\n", Err(expected));
        check("workers: {ttl: 31s, heartbeat: 15s}\n", Ok(()));
    }

    #[test]
    fn a_worker_can_stop_its_agents_before_its_lease_ends() {
        let expected = "`kill_grace` (35s, baton.yaml:1:13) is not less than `workers.ttl` (45s, default) without `workers.heartbeat` (10s, default)";
        check("kill_grace: 35s\n", Err(expected));
        check("kill_grace: 34s\n", Ok(()));
        check("kill_grace: 0\nworkers: {ttl: 500ms, heartbeat: 100ms}\n", Ok(()));
    }

    #[test]
    fn the_first_retry_waits_no_longer_than_any_may() {
        let expected = "`retry.base` (1h, baton.yaml:1:15) is longer than `retry.cap` (30min, default)";
        check("retry: {base: 1h}\n", Err(expected));
        check("retry: {base: 30min}\n", Ok(()));
    }

    #[test]
    fn checks_may_take_at_least_as_long_in_all_as_without_progress() {
        let expected =
            "`ci_wait_timeout` (5h, baton.yaml:1:18) is longer than `ci_backstop_timeout` (4h, default)";
        check("ci_wait_timeout: 5h\n", Err(expected));
        check("ci_wait_timeout: 4h\n", Ok(()));
        check("ci_backstop_timeout: 29min\n", Err("`ci_wait_timeout` (30min, default) is longer than"));
    }

    #[test]
    fn the_pipeline_and_its_claims_speak_one_dialect() {
        let expected = "`dialect` (fabrik, baton.yaml:1:10) and `claims.dialect` (alfred, baton.yaml:2:19) are two dialects";
        check("dialect: fabrik\nclaims: {dialect: alfred}\n", Err(expected));
        check("dialect: fabrik\nclaims: {dialect: fabrik}\n", Ok(()));
        check("dialect: fabrik\n", Ok(()));
        check("claims: {dialect: fabrik}\n", Ok(()));
    }

    #[test]
    fn an_app_needs_its_id_and_its_key() {
        let expected = "`app.id` and `app.private_key_file` need each other";
        check("app: {id: 7}\n", Err(expected));
        check("app: {private_key_file: k.pem}\n", Err(expected));
        check("app: {id: 7, private_key_file: k.pem}\n", Ok(()));
    }

    #[test]
    fn nobody_is_named_twice_among_those_who_decide_in_slack() {
        check("slack: {approvers: [U1, U2=ana]}", Ok(()));
        let twice = "`slack.approvers` (U1, U1=ana, baton.yaml:1:20) names `U1` twice";
        check("slack: {approvers: [U1, U1=ana]}", Err(twice));
    }
}
