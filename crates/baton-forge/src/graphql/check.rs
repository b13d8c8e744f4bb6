//! Check runs, check suites and the programs behind them.

use std::sync::Arc;

use super::ask::{Ask, Input as _};
use super::connection::{Connection, Paging};
use super::context::Context;
use super::entity::{Answer, Entity, leaf, maybe_object, null, object, optional, unknown};
use super::error::GraphError;
use super::ids::{self, node_id};
use super::protection_rule::{self, ProtectionRuleNode};
use super::repository::RepositoryNode;
use super::status::{RollupNode, StatusContextNode, StatusNode};
use crate::db::checks::{self, Annotation, App, CheckRun, CheckSuite};
use crate::db::{accounts, protections, pulls, statuses};
use crate::http::call::Visit;
use crate::merging::standing;
use crate::wire::{Time, path};

/// Finds a node of this group by its id.
pub(crate) fn node(context: &Context<'_>, id: &str) -> Result<Box<dyn Entity>, GraphError> {
    let missing = || ids::unresolvable(id);
    let row = ids::database_id(id, &["A", "CR", "CS", "SC", "BPR"])?;
    Ok(match ids::split(id).map_or("", |(prefix, _)| prefix) {
        "A" => {
            let known = [checks::REPORTER, checks::CI].into_iter().find(|app| app.id == row);
            Box::new(AppNode::new(context, known.ok_or_else(missing)?)?)
        }
        "CR" => {
            let run = checks::run(context.conn, row)?.ok_or_else(missing)?;
            Box::new(CheckRunNode { visit: context.visit_for(run.repo_id, id)?, run })
        }
        "CS" => {
            let suite = checks::suite(context.conn, row)?.ok_or_else(missing)?;
            Box::new(CheckSuiteNode { visit: context.visit_for(suite.repo_id, id)?, suite })
        }
        "SC" => {
            let status = statuses::by_id(context.conn, row)?.ok_or_else(missing)?;
            Box::new(StatusContextNode { visit: context.visit_for(status.repo_id, id)?, status })
        }
        _ => {
            let rule = protections::by_id(context.conn, row)?.ok_or_else(missing)?;
            let visit = context.visit_for(rule.repo_id, id)?;
            if !protection_rule::may_see(&visit) {
                return Err(missing());
            }
            Box::new(ProtectionRuleNode { visit, rule })
        }
    })
}

/// The fields of a commit that are about its checks.
pub(crate) fn commit_field<'a>(
    repo: &Arc<Visit>,
    oid: &str,
    context: &'a Context<'a>,
    ask: &Ask<'a>,
) -> Answer<'a> {
    match ask.name() {
        "statusCheckRollup" => maybe_object(context, RollupNode::of(context, repo, oid)?),
        "status" => maybe_object(context, StatusNode::of(context, repo, oid)?),
        "checkSuites" => object(context, suites(context, ask, repo, oid)?),
        _ => unknown("Commit", ask),
    }
}

fn suites(
    context: &Context<'_>,
    ask: &Ask<'_>,
    visit: &Arc<Visit>,
    oid: &str,
) -> Result<Connection<CheckSuiteNode>, GraphError> {
    let filter = ask.object("filterBy");
    let app = filter.and_then(|filter| filter.number("appId"));
    let name = filter.and_then(|filter| filter.text("checkName"));
    let mut found = Vec::new();
    for suite in checks::suites_of(context.conn, visit.repo.id, oid)? {
        let has_name = match name {
            Some(name) => checks::runs_in(context.conn, suite.id, true)?.iter().any(|run| run.name == name),
            None => true,
        };
        if has_name && app.is_none_or(|app| app == suite.app_id) {
            found.push(CheckSuiteNode { visit: Arc::clone(visit), suite });
        }
    }
    Ok(Connection::whole(("CheckSuiteConnection", "CheckSuiteEdge"), Paging::of(ask)?, found))
}

/// Returns whether a check is required for the pull request that the arguments name.
pub(super) fn is_required(
    context: &Context<'_>,
    ask: &Ask<'_>,
    visit: &Arc<Visit>,
    name: &str,
) -> Result<bool, GraphError> {
    let pull = match (ask.str("pullRequestId"), ask.i64("pullRequestNumber")) {
        (Some(id), _) => pulls::by_id(context.conn, ids::database_id(id, &["PR"])?)?,
        (None, Some(number)) => pulls::by_number(context.conn, visit.repo.id, number)?,
        (None, None) => {
            let why = "A pull request ID or pull request number is required.";
            return Err(GraphError::unprocessable(why));
        }
    };
    let pull = pull.filter(|(issue, _)| issue.repo_id == visit.repo.id);
    let Some((issue, pull)) = pull else { return Ok(false) };
    let git = &context.call.forge.git;
    Ok(standing::load(context.conn, git, &visit.repo, (&issue, &pull))?.is_required(name))
}

pub(crate) struct CheckRunNode {
    pub(crate) visit: Arc<Visit>,
    pub(crate) run: CheckRun,
}

impl Entity for CheckRunNode {
    fn type_name(&self) -> &'static str {
        "CheckRun"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let run = &self.run;
        let page = || format!("{}/runs/{}", self.visit.repo.full_name(), run.id);
        match ask.name() {
            "id" => leaf(node_id("CR", run.id)),
            "databaseId" => leaf(run.id),
            "name" => leaf(run.name.as_str()),
            "status" => leaf(run.status.to_ascii_uppercase()),
            "conclusion" => optional(run.conclusion.as_ref().map(|text| text.to_ascii_uppercase())),
            "detailsUrl" => leaf(run.details_url.clone().unwrap_or_else(|| context.web(&page()))),
            "externalId" => optional(Some(run.external_id.as_str()).filter(|id| !id.is_empty())),
            "startedAt" => leaf(Time(run.started_at).to_string()),
            "completedAt" => optional(run.completed_at.map(|at| Time(at).to_string())),
            "title" => optional(run.output_title.as_deref()),
            "summary" => optional(run.output_summary.as_deref()),
            "text" => optional(run.output_text.as_deref()),
            "url" | "permalink" => leaf(context.web(&page())),
            "resourcePath" => leaf(format!("/{}", page())),
            "isRequired" => leaf(is_required(context, ask, &self.visit, &run.name)?),
            "repository" => object(context, RepositoryNode(Arc::clone(&self.visit))),
            "checkSuite" => {
                let suite = checks::suite(context.conn, run.suite_id)?;
                let suite = suite.ok_or_else(|| GraphError::not_found("The check suite is gone."))?;
                object(context, CheckSuiteNode { visit: Arc::clone(&self.visit), suite })
            }
            "annotations" => object(context, self.annotations(context, ask)?),
            _ => unknown("CheckRun", ask),
        }
    }
}

impl CheckRunNode {
    fn annotations(
        &self,
        context: &Context<'_>,
        ask: &Ask<'_>,
    ) -> Result<Connection<AnnotationNode>, GraphError> {
        let found = checks::annotations(context.conn, self.run.id)?;
        let oid = &self.run.head_oid;
        let node = |note: Annotation| {
            let page = format!("{}/blob/{oid}/{}", self.visit.repo.full_name(), path(&note.path));
            AnnotationNode { blob_url: context.web(&page), note }
        };
        let nodes = found.into_iter().map(node).collect();
        Ok(Connection::whole(("CheckAnnotationConnection", "CheckAnnotationEdge"), Paging::of(ask)?, nodes))
    }
}

struct AnnotationNode {
    blob_url: String,
    note: Annotation,
}

impl Entity for AnnotationNode {
    fn type_name(&self) -> &'static str {
        "CheckAnnotation"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let note = &self.note;
        match ask.name() {
            "fullDatabaseId" => leaf(note.id),
            "path" => leaf(note.path.as_str()),
            "message" => leaf(note.message.as_str()),
            "title" => optional(note.title.as_deref()),
            "rawDetails" => optional(note.raw_details.as_deref()),
            "annotationLevel" => leaf(note.level.to_ascii_uppercase()),
            "blobUrl" => leaf(self.blob_url.as_str()),
            "location" => {
                let start = Position { line: note.start_line, column: note.start_column };
                let end = Position { line: note.end_line, column: note.end_column };
                object(context, Span { start, end })
            }
            _ => unknown("CheckAnnotation", ask),
        }
    }
}

struct Span {
    start: Position,
    end: Position,
}

impl Entity for Span {
    fn type_name(&self) -> &'static str {
        "CheckAnnotationSpan"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        match ask.name() {
            "start" => object(context, self.start),
            "end" => object(context, self.end),
            _ => unknown("CheckAnnotationSpan", ask),
        }
    }
}

#[derive(Clone, Copy)]
struct Position {
    line: i64,
    column: Option<i64>,
}

impl Entity for Position {
    fn type_name(&self) -> &'static str {
        "CheckAnnotationPosition"
    }

    fn field<'a>(&'a self, _: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        match ask.name() {
            "line" => leaf(self.line),
            "column" => optional(self.column),
            _ => unknown("CheckAnnotationPosition", ask),
        }
    }
}

pub(crate) struct CheckSuiteNode {
    pub(crate) visit: Arc<Visit>,
    pub(crate) suite: CheckSuite,
}

impl Entity for CheckSuiteNode {
    fn type_name(&self) -> &'static str {
        "CheckSuite"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let suite = &self.suite;
        let page = || format!("{}/commit/{}/checks", self.visit.repo.full_name(), suite.head_oid);
        let summary =
            || Ok::<_, GraphError>(checks::summary(&checks::runs_in(context.conn, suite.id, true)?));
        match ask.name() {
            "id" => leaf(node_id("CS", suite.id)),
            "databaseId" => leaf(suite.id),
            "status" => leaf(summary()?.0.to_ascii_uppercase()),
            "conclusion" => optional(summary()?.1.map(str::to_ascii_uppercase)),
            "createdAt" => leaf(Time(suite.created_at).to_string()),
            "updatedAt" => leaf(Time(suite.updated_at).to_string()),
            "url" => leaf(context.web(&page())),
            "resourcePath" => leaf(format!("/{}", page())),
            "workflowRun" => null(),
            "repository" => object(context, RepositoryNode(Arc::clone(&self.visit))),
            "app" => object(context, AppNode::new(context, checks::app(suite.app_id))?),
            "checkRuns" => object(context, self.runs(context, ask)?),
            _ => unknown("CheckSuite", ask),
        }
    }
}

impl CheckSuiteNode {
    fn runs(&self, context: &Context<'_>, ask: &Ask<'_>) -> Result<Connection<CheckRunNode>, GraphError> {
        let filter = ask.object("filterBy");
        let text = |name: &str| filter.and_then(|filter| filter.text(name));
        let texts = |name: &str| filter.and_then(|filter| filter.texts(name));
        let (name, status) = (text("checkName"), text("status"));
        let (statuses, conclusions) = (texts("statuses"), texts("conclusions"));
        let app = filter.and_then(|filter| filter.number("appId"));
        let is_asked = |run: &CheckRun| {
            let (own, end) = (run.status.to_ascii_uppercase(), run.conclusion.as_deref());
            let end = end.unwrap_or_default().to_ascii_uppercase();
            name.is_none_or(|name| run.name == name)
                && app.is_none_or(|app| run.app_id == app)
                && status.is_none_or(|status| own == status)
                && statuses.as_ref().is_none_or(|wanted| wanted.contains(&own.as_str()))
                && conclusions.as_ref().is_none_or(|wanted| wanted.contains(&end.as_str()))
        };
        let found = checks::runs_in(context.conn, self.suite.id, text("checkType") != Some("ALL"))?;
        let node = |run: CheckRun| CheckRunNode { visit: Arc::clone(&self.visit), run };
        let nodes = found.into_iter().filter(is_asked).map(node).collect();
        Ok(Connection::whole(("CheckRunConnection", "CheckRunEdge"), Paging::of(ask)?, nodes))
    }
}

struct AppNode {
    app: App,
    since: i64,
}

impl AppNode {
    /// A program of the forge is as old as the forge, and that is as old as its first account.
    fn new(context: &Context<'_>, app: App) -> Result<Self, GraphError> {
        Ok(Self { app, since: accounts::first_created_at(context.conn)? })
    }
}

impl Entity for AppNode {
    fn type_name(&self) -> &'static str {
        "App"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let app = self.app;
        match ask.name() {
            "id" => leaf(node_id("A", app.id)),
            "databaseId" => leaf(app.id),
            "name" => leaf(app.name),
            "slug" => leaf(app.slug),
            "description" => leaf(app.description),
            "createdAt" | "updatedAt" => leaf(Time(self.since).to_string()),
            "url" => leaf(context.web(&format!("apps/{}", app.slug))),
            "logoUrl" => leaf(context.web(&format!("avatars/apps/{}", app.slug))),
            _ => unknown("App", ask),
        }
    }
}
