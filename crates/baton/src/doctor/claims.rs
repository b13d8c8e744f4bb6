//! Facts of claims: those that are over and that nobody has swept, as a sweep would find them.

use baton_claims::{Fleet, FleetSettings};
use baton_core::RepoSlug;
use baton_core::doctor::{CheckId, Finding, Report};
use baton_engine::claims::{IssueSweep, SweepOptions};

use super::tracker::bounded;
use super::{plain, within};
use crate::claims::context::{claim_settings, github_settings};
use crate::flow::context::Desk;

pub(super) async fn examine(desk: &Desk, repos: &[RepoSlug], report: &mut Report) {
    let fleet = match fleet(desk) {
        Ok(fleet) => fleet,
        Err(why) => return report.add([unread("the claims", &why, "baton sweep --dry-run")]),
    };
    for repo in repos {
        let options = SweepOptions { max_age: None, is_dry_run: true, sweep_id: "doctor".to_owned() };
        let swept =
            within(async { fleet.claims.sweep(repo, &options).await.map_err(|error| error.to_string()) });
        let command = format!("baton sweep --repo {repo}");
        report.add(match swept.await {
            Err(why) => vec![unread(&format!("the claims in {repo}"), &why, &format!("{command} --dry-run"))],
            Ok(swept) => {
                let failures =
                    swept.failures.iter().map(|why| unread("a claim", why, &format!("{command} --dry-run")));
                let stale = swept.issues.iter().filter_map(|found| stale(found, &command));
                let mut findings: Vec<_> = stale.chain(failures).collect();
                if findings.is_empty() {
                    findings.push(Finding::ok(CheckId::Claims, format!("none is stale in {repo}")));
                }
                findings
            }
        });
    }
}

fn fleet(desk: &Desk) -> Result<Fleet, String> {
    let github = github_settings(&desk.loaded, &desk.surroundings).map_err(|error| plain(&error))?;
    let settings = FleetSettings {
        github: bounded(github),
        claims: claim_settings(desk.config(), None, &desk.surroundings),
        state_dir: desk.loaded.state_dir(),
    };
    Fleet::new(settings).map_err(|error| error.to_string())
}

fn unread(what: &str, why: &str, by_hand: &str) -> Finding {
    Finding::fail(
        CheckId::Claims,
        format!("{what} cannot be read: {why}"),
        format!("try it by hand: {by_hand}"),
    )
}

fn stale(found: &IssueSweep, command: &str) -> Option<Finding> {
    let holders: Vec<_> = found.swept.ended.iter().map(ToString::to_string).collect();
    let what = match (holders.as_slice(), found.swept.is_requeued) {
        ([], false) => return None,
        ([], true) => "is said to be in flight, and nobody holds it".to_owned(),
        (holders, _) => format!("has a claim that is over, of {}", holders.join(", ")),
    };
    Some(Finding::warn(CheckId::Claims, format!("{} {what}", found.issue), command))
}
