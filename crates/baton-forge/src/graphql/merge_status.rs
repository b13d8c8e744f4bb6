//! What decides about a pull request's merge, as fields of it: trial merges, checks, reviews; and the mutations that
//! merge.

use std::sync::Arc;

use apollo_compiler::response::JsonMap;
use serde_json::json;

use super::actor::ActorNode;
use super::ask::{Ask, Input as _};
use super::context::Context;
use super::entity::{Answer, Entity, leaf, maybe_object, null, object, optional, unknown};
use super::error::GraphError;
use super::ids;
use super::mutation::{Payload, required};
use super::protection_rule;
use super::pull_request::PullRequestNode;
use super::status::RollupNode;
use crate::db::pulls::{self, AutoMerge};
use crate::db::repos::Permission;
use crate::git::merge::MergeMethod;
use crate::http::access::{self, Access};
use crate::http::call::Visit;
use crate::http::error::ApiError;
use crate::merging::auto_merge::{self, Enabling};
use crate::merging::state::{MergeState, ReviewDecision, Standing};
use crate::merging::{carry_out, standing};
use crate::wire::Time;

pub(super) fn field<'a>(pull: &'a PullRequestNode, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
    match ask.name() {
        "mergeable" => leaf(mergeable(pull, context)?),
        "mergeStateStatus" => leaf(standing_of(pull, context)?.merge_state().graph_name()),
        "reviewDecision" => {
            optional(standing_of(pull, context)?.review_decision().map(ReviewDecision::graph_name))
        }
        "canBeRebased" => leaf(mergeable(pull, context)? == "MERGEABLE"),
        "statusCheckRollup" => {
            maybe_object(context, RollupNode::of(context, &pull.visit, &pull.pull.head_oid)?)
        }
        "autoMergeRequest" => {
            let auto = pull.pull.auto_merge.clone();
            maybe_object(context, auto.map(|auto| AutoMergeNode { auto, pull: pull.again() }))
        }
        "isInMergeQueue" | "isMergeQueueEnabled" => leaf(false),
        "mergeQueueEntry" => null(),
        "viewerCanEnableAutoMerge" => leaf(can_enable(pull, context)?),
        "viewerCanDisableAutoMerge" => {
            leaf(pull.pull.auto_merge.is_some() && context.may(&pull.visit, Permission::Write))
        }
        "viewerCanMergeAsAdmin" => {
            let standing = standing_of(pull, context)?;
            let enforced = standing.protection.as_ref().is_some_and(|rules| rules.enforce_admins);
            let is_held_up = matches!(standing.merge_state(), MergeState::Blocked | MergeState::Behind);
            leaf(is_held_up && !enforced && context.may(&pull.visit, Permission::Admin))
        }
        "viewerMergeHeadlineText" => leaf(carry_out::default_title(
            &pull.visit.repo,
            &pull.issue,
            &pull.pull,
            method_of(ask.str("mergeType")),
        )),
        "viewerMergeBodyText" => {
            let repository = context.call.forge.git.open(pull.visit.repo.id)?;
            let method = method_of(ask.str("mergeType"));
            leaf(carry_out::default_body(&repository, &pull.issue, &pull.pull, method)?)
        }
        _ => unknown("PullRequest", ask),
    }
}

impl PullRequestNode {
    /// The same pull request for an entity that must own it.
    fn again(&self) -> Self {
        Self { visit: Arc::clone(&self.visit), issue: self.issue.clone(), pull: self.pull.clone() }
    }
}

fn standing_of(pull: &PullRequestNode, context: &Context<'_>) -> Result<Standing, GraphError> {
    let forge = &context.call.forge;
    let standing = standing::load(context.conn, &forge.git, &pull.visit.repo, (&pull.issue, &pull.pull))?;
    order_if_unknown(pull, context, standing.trial);
    Ok(standing)
}

fn order_if_unknown(pull: &PullRequestNode, context: &Context<'_>, trial: Option<bool>) {
    if pull.issue.is_open() && trial.is_none() {
        context.call.forge.referee.order(pull.pull.id);
    }
}

fn mergeable(pull: &PullRequestNode, context: &Context<'_>) -> Result<&'static str, GraphError> {
    let tip = standing::base_tip(context.conn, pull.visit.repo.id, &pull.pull)?;
    let trial = standing::valid_trial(&pull.pull, tip.as_deref());
    order_if_unknown(pull, context, trial);
    Ok(match trial.filter(|_| pull.issue.is_open()) {
        None => "UNKNOWN",
        Some(true) => "MERGEABLE",
        Some(false) => "CONFLICTING",
    })
}

fn can_enable(pull: &PullRequestNode, context: &Context<'_>) -> Result<bool, GraphError> {
    let repo = &pull.visit.repo;
    if !repo.merging.auto_merge || !pull.issue.is_open() || pull.pull.auto_merge.is_some() {
        return Ok(false);
    }
    let state = standing_of(pull, context)?.merge_state();
    let waits = !matches!(state, MergeState::Clean | MergeState::Unstable);
    Ok(waits && context.may(&pull.visit, Permission::Write))
}

fn method_of(name: Option<&str>) -> MergeMethod {
    let name = name.unwrap_or("MERGE").to_ascii_lowercase();
    MergeMethod::parse(&name).unwrap_or(MergeMethod::Merge)
}

struct AutoMergeNode {
    auto: AutoMerge,
    pull: PullRequestNode,
}

impl Entity for AutoMergeNode {
    fn type_name(&self) -> &'static str {
        "AutoMergeRequest"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let auto = &self.auto;
        match ask.name() {
            "authorEmail" => optional(context.account(auto.by)?.email.as_deref()),
            "commitBody" => optional(auto.message.as_deref()),
            "commitHeadline" => optional(auto.title.as_deref()),
            "enabledAt" => leaf(Time(auto.at).to_string()),
            "enabledBy" => object(context, ActorNode(context.account(auto.by)?)),
            "mergeMethod" => leaf(auto.method.to_ascii_uppercase()),
            "pullRequest" => object(context, self.pull.again()),
            _ => unknown("AutoMergeRequest", ask),
        }
    }
}

/// The fields of a repository that are about merging.
pub(crate) fn repository_field<'a>(
    visit: &'a Arc<Visit>,
    context: &'a Context<'a>,
    ask: &Ask<'a>,
) -> Answer<'a> {
    let merging = visit.repo.merging;
    match ask.name() {
        "allowUpdateBranch" => leaf(false),
        "autoMergeAllowed" => leaf(merging.auto_merge),
        "deleteBranchOnMerge" => leaf(merging.delete_branch),
        "mergeCommitAllowed" => leaf(merging.merge_commit),
        "rebaseMergeAllowed" => leaf(merging.rebase),
        "squashMergeAllowed" => leaf(merging.squash),
        "viewerDefaultMergeMethod" => leaf(match () {
            () if merging.merge_commit => "MERGE",
            () if merging.squash => "SQUASH",
            () => "REBASE",
        }),
        "branchProtectionRules" => object(context, protection_rule::rules(context, ask, visit)?),
        _ => unknown("Repository", ask),
    }
}

/// The pull request of a mutation, as it is now.
fn subject(context: &Context<'_>, input: &JsonMap) -> Result<PullRequestNode, GraphError> {
    let id = required(input, "pullRequestId")?;
    let found = pulls::by_id(context.conn, ids::database_id(id, &["PR"])?)?;
    let (issue, pull) = found.ok_or_else(|| ids::unresolvable(id))?;
    Ok(PullRequestNode { visit: context.visit_for(issue.repo_id, id)?, issue, pull })
}

fn payload(context: &Context<'_>, input: &JsonMap, name: &'static str) -> Result<Payload, GraphError> {
    let id = context.viewer_id().ok_or_else(ApiError::requires_authentication)?;
    let actor = ActorNode(context.account(id)?);
    Ok(Payload::new(name).with("actor", actor).with("pullRequest", subject(context, input)?))
}

/// Carries out the mutation of that name, if it is one of these.
pub(super) fn carry_out(
    context: &Context<'_>,
    name: &str,
    input: &JsonMap,
) -> Option<Result<Payload, GraphError>> {
    Some(match name {
        "mergePullRequest" => merge(context, input),
        "enablePullRequestAutoMerge" => enable_auto_merge(context, input),
        "disablePullRequestAutoMerge" => disable_auto_merge(context, input),
        _ => return None,
    })
}

fn merge(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let pull = subject(context, input)?;
    let body = json!({
        "merge_method": method_of(input.text("mergeMethod")).name(),
        "commit_title": input.text("commitHeadline"),
        "commit_message": input.text("commitBody"),
        "sha": input.text("expectedHeadOid"),
    });
    let params = [("pull_number", pull.issue.number.to_string())];
    context.perform("pulls/merge", Some(&pull.visit), &params, &body)?;
    payload(context, input, "MergePullRequestPayload")
}

/// Only whoever may write may have something merged later.
fn check_writer(context: &Context<'_>, visit: &Visit) -> Result<i64, GraphError> {
    access::check(Access::Permission(Permission::Write), context.call.viewer.as_ref(), Some(visit))?;
    Ok(context.call.actor_id()?)
}

fn enable_auto_merge(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let pull = subject(context, input)?;
    let by = check_writer(context, &pull.visit)?;
    let text = |name: &str| input.text(name).map(str::to_owned);
    let enabling = Enabling {
        method: method_of(input.text("mergeMethod")),
        title: text("commitHeadline"),
        message: text("commitBody"),
        expected_head: text("expectedHeadOid"),
        by,
        now: context.call.now,
    };
    auto_merge::enable(&context.call.forge, &pull.visit.repo, (&pull.issue, &pull.pull), enabling)?;
    payload(context, input, "EnablePullRequestAutoMergePayload")
}

fn disable_auto_merge(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let pull = subject(context, input)?;
    let by = check_writer(context, &pull.visit)?;
    if pull.pull.auto_merge.is_none() {
        return Err(GraphError::unprocessable("Can't disable auto-merge for this pull request."));
    }
    auto_merge::disable(
        &context.call.forge,
        &pull.issue,
        &pull.pull,
        by,
        "Auto-merge was disabled manually",
    )?;
    payload(context, input, "DisablePullRequestAutoMergePayload")
}
