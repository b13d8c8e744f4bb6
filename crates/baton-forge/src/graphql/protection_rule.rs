//! The rules of protected branches.

use std::sync::Arc;

use apollo_compiler::resolvers::ResolvedValue;

use super::actor::ActorNode;
use super::ask::Ask;
use super::connection::{Connection, Paging};
use super::context::Context;
use super::entity::{Answer, Entity, leaf, object, optional, unknown};
use super::error::GraphError;
use super::ids::node_id;
use super::repository::RepositoryNode;
use crate::db::protections::{self, Protection};
use crate::db::repos::Permission;
use crate::http::call::Visit;

pub(crate) struct ProtectionRuleNode {
    pub(crate) visit: Arc<Visit>,
    pub(crate) rule: Protection,
}

/// Rules say what is checked and how it is got round, so they are shown to those who may push.
pub(super) fn may_see(visit: &Visit) -> bool {
    visit.permission >= Permission::Write
}

/// A repository's rules, as far as they are shown.
pub(super) fn rules(
    context: &Context<'_>,
    ask: &Ask<'_>,
    visit: &Arc<Visit>,
) -> Result<Connection<ProtectionRuleNode>, GraphError> {
    let found = match may_see(visit) {
        true => protections::of_repo(context.conn, visit.repo.id)?,
        false => Vec::new(),
    };
    let nodes = found.into_iter().map(|rule| ProtectionRuleNode { visit: Arc::clone(visit), rule }).collect();
    let names = ("BranchProtectionRuleConnection", "BranchProtectionRuleEdge");
    Ok(Connection::whole(names, Paging::of(ask)?, nodes))
}

impl Entity for ProtectionRuleNode {
    fn type_name(&self) -> &'static str {
        "BranchProtectionRule"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let settings = &self.rule.settings;
        let (checks, reviews) = (settings.required_checks.as_ref(), settings.required_reviews.as_ref());
        match ask.name() {
            "id" => leaf(node_id("BPR", self.rule.id)),
            "databaseId" => leaf(self.rule.id),
            "pattern" => leaf(self.rule.pattern.as_str()),
            "repository" => object(context, RepositoryNode(Arc::clone(&self.visit))),
            "creator" => object(context, ActorNode(context.account(self.rule.creator_id)?)),
            "allowsDeletions" => leaf(settings.allow_deletions),
            "allowsForcePushes" => leaf(settings.allow_force_pushes),
            "isAdminEnforced" => leaf(settings.enforce_admins),
            "lockBranch" => leaf(settings.lock_branch),
            "requiresLinearHistory" => leaf(settings.required_linear_history),
            "requiresConversationResolution" => leaf(settings.required_conversation_resolution),
            "requiresStatusChecks" => leaf(checks.is_some()),
            "requiresStrictStatusChecks" => leaf(checks.is_some_and(|checks| checks.strict)),
            "requiredStatusCheckContexts" => {
                let contexts = checks.map(|checks| checks.contexts.as_slice()).unwrap_or_default();
                Ok(ResolvedValue::list(contexts.iter().map(|context| ResolvedValue::leaf(context.as_str()))))
            }
            "requiresApprovingReviews" => leaf(reviews.is_some()),
            "requiredApprovingReviewCount" => optional(reviews.map(|reviews| reviews.count)),
            "dismissesStaleReviews" => leaf(reviews.is_some_and(|reviews| reviews.dismiss_stale)),
            "requiresCodeOwnerReviews" => leaf(reviews.is_some_and(|reviews| reviews.require_code_owners)),
            "requireLastPushApproval" => leaf(reviews.is_some_and(|reviews| reviews.require_last_push)),
            // What the forge never asks for.
            "blocksCreations"
            | "requiresCommitSignatures"
            | "restrictsPushes"
            | "restrictsReviewDismissals" => leaf(false),
            _ => unknown("BranchProtectionRule", ask),
        }
    }
}

/// What a rule asks of everybody who changes its branch, which everybody may know.
pub(crate) struct UpdateRuleNode {
    pub(crate) visit: Arc<Visit>,
    pub(crate) rule: Protection,
}

impl Entity for UpdateRuleNode {
    fn type_name(&self) -> &'static str {
        "RefUpdateRule"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let settings = &self.rule.settings;
        let (checks, reviews) = (settings.required_checks.as_ref(), settings.required_reviews.as_ref());
        match ask.name() {
            "pattern" => leaf(self.rule.pattern.as_str()),
            "allowsDeletions" => leaf(settings.allow_deletions),
            "allowsForcePushes" => leaf(settings.allow_force_pushes),
            "requiredApprovingReviewCount" => optional(reviews.map(|reviews| reviews.count)),
            "requiredStatusCheckContexts" => {
                let contexts = checks.map(|checks| checks.contexts.as_slice()).unwrap_or_default();
                Ok(ResolvedValue::list(contexts.iter().map(|context| ResolvedValue::leaf(context.as_str()))))
            }
            "requiresCodeOwnerReviews" => leaf(reviews.is_some_and(|reviews| reviews.require_code_owners)),
            "requiresConversationResolution" => leaf(settings.required_conversation_resolution),
            "requiresLinearHistory" => leaf(settings.required_linear_history),
            "viewerCanPush" => leaf(!settings.lock_branch && context.may(&self.visit, Permission::Write)),
            "viewerAllowedToDismissReviews" => leaf(context.may(&self.visit, Permission::Write)),
            // What the forge never asks for.
            "blocksCreations" | "requiresSignatures" => leaf(false),
            _ => unknown("RefUpdateRule", ask),
        }
    }
}
