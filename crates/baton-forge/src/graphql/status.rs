//! Commit statuses, and everything that was said of a commit rolled into one.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::actor::ActorNode;
use super::ask::Ask;
use super::check::{CheckRunNode, is_required};
use super::connection::{Connection, Paging};
use super::context::Context;
use super::entity::{Answer, Entity, leaf, maybe_object, object, objects, optional, unknown};
use super::error::GraphError;
use super::ids::{self, named_id, node_id};
use crate::db::checks::{self, CheckRun};
use crate::db::statuses::{self, Status};
use crate::http::call::Visit;
use crate::merging::state::Verdict;
use crate::wire::Time;

pub(crate) struct StatusContextNode {
    pub(crate) visit: Arc<Visit>,
    pub(crate) status: Status,
}

impl Entity for StatusContextNode {
    fn type_name(&self) -> &'static str {
        "StatusContext"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let status = &self.status;
        match ask.name() {
            "id" => leaf(node_id("SC", status.id)),
            "context" => leaf(status.context.as_str()),
            "state" => leaf(status.state.to_ascii_uppercase()),
            "description" => optional(status.description.as_deref()),
            "targetUrl" => optional(status.target_url.as_deref()),
            "createdAt" => leaf(Time(status.created_at).to_string()),
            "creator" => object(context, ActorNode(context.account(status.creator_id)?)),
            "avatarUrl" => leaf(context.call.links.avatar(status.creator_id)),
            "isRequired" => leaf(is_required(context, ask, &self.visit, &status.context)?),
            _ => unknown("StatusContext", ask),
        }
    }
}

/// What was said of a commit, by the node id of the whole.
pub(crate) fn by_node(context: &Context<'_>, id: &str, prefix: &str) -> Result<Box<dyn Entity>, GraphError> {
    let missing = || ids::unresolvable(id);
    let (repo, oid) = ids::name_in_repo(id, prefix)?;
    let visit = context.visit_for(repo, id)?;
    Ok(match prefix {
        "S" => Box::new(StatusNode::of(context, &visit, &oid)?.ok_or_else(missing)?),
        _ => Box::new(RollupNode::of(context, &visit, &oid)?.ok_or_else(missing)?),
    })
}

/// The statuses of a commit, without its check runs.
pub(crate) struct StatusNode {
    visit: Arc<Visit>,
    oid: String,
    latest: Vec<Status>,
}

impl StatusNode {
    pub(crate) fn of(
        context: &Context<'_>,
        visit: &Arc<Visit>,
        oid: &str,
    ) -> Result<Option<Self>, GraphError> {
        let latest = statuses::latest(context.conn, visit.repo.id, oid)?;
        let node = Self { visit: Arc::clone(visit), oid: oid.to_owned(), latest };
        Ok(Some(node).filter(|node| !node.latest.is_empty()))
    }

    fn context_node(&self, status: &Status) -> StatusContextNode {
        StatusContextNode { visit: Arc::clone(&self.visit), status: status.clone() }
    }
}

impl Entity for StatusNode {
    fn type_name(&self) -> &'static str {
        "Status"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        match ask.name() {
            "id" => leaf(named_id("S", self.visit.repo.id, &self.oid)),
            "state" => leaf(statuses::combined(&self.latest).to_ascii_uppercase()),
            "contexts" => objects(context, self.latest.iter().map(|status| self.context_node(status))),
            "context" => {
                let name = ask.str("name").unwrap_or_default();
                let found = self.latest.iter().find(|status| status.context.eq_ignore_ascii_case(name));
                maybe_object(context, found.map(|status| self.context_node(status)))
            }
            _ => unknown("Status", ask),
        }
    }
}

/// Check runs and statuses of a commit together.
pub(crate) struct RollupNode {
    visit: Arc<Visit>,
    oid: String,
    runs: Vec<CheckRun>,
    statuses: Vec<Status>,
}

impl RollupNode {
    /// Nothing when nobody has said anything about the commit.
    pub(crate) fn of(
        context: &Context<'_>,
        visit: &Arc<Visit>,
        oid: &str,
    ) -> Result<Option<Self>, GraphError> {
        let runs = checks::runs_of(context.conn, visit.repo.id, oid, true)?;
        let statuses = statuses::latest(context.conn, visit.repo.id, oid)?;
        let node = Self { visit: Arc::clone(visit), oid: oid.to_owned(), runs, statuses };
        Ok(Some(node).filter(|node| !node.runs.is_empty() || !node.statuses.is_empty()))
    }

    fn state(&self) -> &'static str {
        let runs = self.runs.iter().map(|run| Verdict::of_run(&run.status, run.conclusion.as_deref()));
        let said = self.statuses.iter().map(|status| Verdict::of_status(&status.state));
        let worst = runs.chain(said).max().unwrap_or(Verdict::Passing);
        let only_errors = self.statuses.iter().any(|status| status.state == "error")
            && !self.statuses.iter().any(|status| status.state == "failure")
            && !self
                .runs
                .iter()
                .any(|run| Verdict::of_run(&run.status, run.conclusion.as_deref()) == Verdict::Failing);
        match worst {
            Verdict::Passing => "SUCCESS",
            Verdict::Failing if only_errors => "ERROR",
            Verdict::Failing => "FAILURE",
            Verdict::Pending | Verdict::Expected => "PENDING",
        }
    }

    fn contexts(&self, ask: &Ask<'_>) -> Result<ContextsNode, GraphError> {
        let run = |run: &CheckRun| {
            RollupContext::Run(CheckRunNode { visit: Arc::clone(&self.visit), run: run.clone() })
        };
        let status = |status: &Status| {
            RollupContext::Status(StatusContextNode {
                visit: Arc::clone(&self.visit),
                status: status.clone(),
            })
        };
        let all = self.runs.iter().map(run).chain(self.statuses.iter().map(status)).collect();
        let names = ("StatusCheckRollupContextConnection", "StatusCheckRollupContextEdge");
        Ok(ContextsNode {
            page: Connection::whole(names, Paging::of(ask)?, all),
            runs: counted(self.runs.iter().map(run_state)),
            statuses: counted(self.statuses.iter().map(|status| status.state.to_ascii_uppercase())),
        })
    }
}

/// GitHub's one word for a run: its conclusion once it has one.
fn run_state(run: &CheckRun) -> String {
    run.conclusion.as_ref().unwrap_or(&run.status).to_ascii_uppercase()
}

fn counted(states: impl Iterator<Item = String>) -> BTreeMap<String, i64> {
    let mut counts = BTreeMap::new();
    for state in states {
        *counts.entry(state).or_insert(0) += 1;
    }
    counts
}

impl Entity for RollupNode {
    fn type_name(&self) -> &'static str {
        "StatusCheckRollup"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        match ask.name() {
            "id" => leaf(named_id("SCR", self.visit.repo.id, &self.oid)),
            "state" => leaf(self.state()),
            "contexts" => object(context, self.contexts(ask)?),
            _ => unknown("StatusCheckRollup", ask),
        }
    }
}

enum RollupContext {
    Run(CheckRunNode),
    Status(StatusContextNode),
}

impl Entity for RollupContext {
    fn type_name(&self) -> &'static str {
        match self {
            Self::Run(node) => node.type_name(),
            Self::Status(node) => node.type_name(),
        }
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        match self {
            Self::Run(node) => node.field(context, ask),
            Self::Status(node) => node.field(context, ask),
        }
    }
}

/// A page of contexts, with how many there are of each state.
struct ContextsNode {
    page: Connection<RollupContext>,
    runs: BTreeMap<String, i64>,
    statuses: BTreeMap<String, i64>,
}

impl Entity for ContextsNode {
    fn type_name(&self) -> &'static str {
        self.page.type_name()
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let by_state = |name: &'static str, counts: &'a BTreeMap<String, i64>| {
            objects(
                context,
                counts.iter().map(move |(state, count)| StateCount { name, state, count: *count }),
            )
        };
        match ask.name() {
            "checkRunCount" => leaf(self.runs.values().sum::<i64>()),
            "statusContextCount" => leaf(self.statuses.values().sum::<i64>()),
            "checkRunCountsByState" => by_state("CheckRunStateCount", &self.runs),
            "statusContextCountsByState" => by_state("StatusContextStateCount", &self.statuses),
            _ => self.page.field(context, ask),
        }
    }
}

struct StateCount<'e> {
    name: &'static str,
    state: &'e str,
    count: i64,
}

impl Entity for StateCount<'_> {
    fn type_name(&self) -> &'static str {
        self.name
    }

    fn field<'a>(&'a self, _: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        match ask.name() {
            "state" => leaf(self.state),
            "count" => leaf(self.count),
            _ => unknown(self.name, ask),
        }
    }
}
