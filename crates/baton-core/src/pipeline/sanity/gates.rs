//! Whether what a stage waits for can come.

use super::Finding;
use crate::pipeline::Stage;
use crate::pipeline::stage::ReviewAuthority;

/// Returns what is wrong with the last stage of a way, given those before it.
pub(super) fn findings(way: &[&Stage]) -> Vec<Finding> {
    let Some((stage, before)) = way.split_last() else { return Vec::new() };
    let checks = [
        draft_of_nothing(stage, before),
        reviews_without_pull_request(stage, way),
        reviews_of_a_draft(stage, way),
        checks_without_pull_request(stage, way),
        words_without_pull_request(stage, way),
        ready_without_pull_request(stage, way),
        authority_without_reviews(stage),
        reviewers_without_reviews(stage),
        nobody_may_approve(stage),
        plan_on_pull_request(stage),
    ];
    checks.into_iter().flatten().collect()
}

fn has_pull_request(way: &[&Stage]) -> bool {
    way.iter().any(|stage| stage.create_draft_pr)
}

/// A pull request needs a commit, and a stage that only reads makes none.
fn draft_of_nothing(stage: &Stage, before: &[&Stage]) -> Option<Finding> {
    let is_empty = stage.read_only && before.iter().all(|stage| stage.read_only);
    (stage.create_draft_pr && is_empty).then(|| {
        let what = "`create_draft_pr` cannot open a pull request: no stage up to here may change anything";
        Finding::error(stage, what, "set `create_draft_pr` on the first stage that is not `read_only`")
    })
}

fn reviews_without_pull_request(stage: &Stage, way: &[&Stage]) -> Option<Finding> {
    (stage.wait_for_reviews && !has_pull_request(way)).then(|| {
        let what = "`wait_for_reviews` waits in vain: no stage up to here opens a pull request";
        Finding::error(stage, what, "set `create_draft_pr: true` on it or on an earlier stage")
    })
}

fn reviews_of_a_draft(stage: &Stage, way: &[&Stage]) -> Option<Finding> {
    let is_draft = has_pull_request(way) && !way.iter().any(|stage| stage.mark_pr_ready);
    (stage.wait_for_reviews && is_draft).then(|| {
        let what = "`wait_for_reviews` waits for reviews of a draft, which many reviewers do not look at";
        Finding::warning(stage, what, "set `mark_pr_ready_on_complete: true` on it or on an earlier stage")
    })
}

fn checks_without_pull_request(stage: &Stage, way: &[&Stage]) -> Option<Finding> {
    (stage.wait_for_ci && !has_pull_request(way)).then(|| {
        let what = "`wait_for_ci` is passed at once: no stage up to here opens a pull request";
        Finding::warning(
            stage,
            what,
            "set `create_draft_pr: true` on it or on an earlier stage, or remove `wait_for_ci`",
        )
    })
}

fn words_without_pull_request(stage: &Stage, way: &[&Stage]) -> Option<Finding> {
    (stage.post_to_pr && !has_pull_request(way)).then(|| {
        let what =
            "`post_to_pr` has no effect: no stage up to here opens a pull request, so all goes to the issue";
        Finding::warning(stage, what, "set `create_draft_pr: true` on it or earlier, or remove `post_to_pr`")
    })
}

fn ready_without_pull_request(stage: &Stage, way: &[&Stage]) -> Option<Finding> {
    (stage.mark_pr_ready && !has_pull_request(way)).then(|| {
        let what = "`mark_pr_ready_on_complete` has no effect: no stage up to here opens a pull request";
        Finding::warning(stage, what, "set `create_draft_pr: true` on it or on an earlier stage")
    })
}

fn authority_without_reviews(stage: &Stage) -> Option<Finding> {
    let is_authoritative = stage.review_authority == ReviewAuthority::Authoritative;
    (is_authoritative && !stage.wait_for_reviews).then(|| {
        let what = "`review_authority: authoritative` means nothing without `wait_for_reviews`";
        Finding::warning(stage, what, "set `wait_for_reviews: true`, or remove `review_authority`")
    })
}

fn reviewers_without_reviews(stage: &Stage) -> Option<Finding> {
    (stage.expected_reviewers.is_some() && !stage.wait_for_reviews).then(|| {
        let what = "`expected_reviewers` means nothing without `wait_for_reviews`";
        Finding::warning(stage, what, "set `wait_for_reviews: true`, or remove `expected_reviewers`")
    })
}

fn nobody_may_approve(stage: &Stage) -> Option<Finding> {
    let is_nobody = stage.expected_reviewers.as_ref().is_some_and(Vec::is_empty);
    let must_approve = stage.wait_for_reviews && stage.review_authority == ReviewAuthority::Authoritative;
    (is_nobody && must_approve).then(|| {
        let what = "a review has to approve, and `expected_reviewers: []` says that nobody reviews";
        Finding::error(stage, what, "name the reviewers, or set `review_authority: advisory`")
    })
}

/// People are asked where the plan is, and that is the issue.
fn plan_on_pull_request(stage: &Stage) -> Option<Finding> {
    (stage.approval.is_some() && stage.post_to_pr).then(|| {
        let what = "`post_to_pr` has no effect with `approval`: people are asked on the issue, so the plan goes there";
        Finding::warning(stage, what, "remove `post_to_pr`, or `approval`")
    })
}
