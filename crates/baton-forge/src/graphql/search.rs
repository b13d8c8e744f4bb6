//! `search`: issues and pull requests, in the language of REST's search.

use super::ask::Ask;
use super::connection::{Connection, Paging};
use super::context::Context;
use super::entity::{Answer, Entity, leaf, object};
use super::issue;
use crate::api;

/// GitHub's limit of what can be paged to.
const RESULTS_MAX: i64 = 1_000;

/// A page of what was found, with how much there is of each kind.
struct Found {
    page: Connection<Box<dyn Entity>>,
    total: i64,
}

impl Entity for Found {
    fn type_name(&self) -> &'static str {
        "SearchResultItemConnection"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        match ask.name() {
            "issueCount" => leaf(self.total),
            "codeCount" | "discussionCount" | "repositoryCount" | "userCount" | "wikiCount" => leaf(0),
            _ => self.page.field(context, ask),
        }
    }
}

pub(super) fn search<'a>(context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
    let text = ask.str("query").unwrap_or_default();
    let query = api::issue_search(context.call, context.conn, text)?;
    let total = query.count(context.conn)?;
    // `gh` asks for the last results and means the first: a search has no end to count from.
    let paging = Paging { from_end: false, ..Paging::of(ask)? };
    let window = paging.window(total.min(RESULTS_MAX));
    let mut nodes = Vec::new();
    for issue in query.page(context.conn, window.limit, window.offset, None)? {
        if let Some(visit) = context.repo(issue.repo_id)? {
            nodes.push(issue::subject_node(context, visit, issue)?);
        }
    }
    let names = ("SearchResultItemConnection", "SearchResultItemEdge");
    object(context, Found { page: Connection::new(names, total, window, nodes), total })
}
