//! Search over the issues that the viewer may see.

use rusqlite::Connection;
use serde_json::json;

use super::search_terms::{Term, parse};
use crate::db::issue_query::{IssueQuery, Presence, SearchIn, SortBy};
use crate::db::repos::{self, Permission, Repo};
use crate::http::access;
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::page::{self, Page};
use crate::http::reply::{ApiResult, Reply};

/// GitHub's limits of a query and of what can be paged to.
const QUERY_CHARS_MAX: usize = 256;
const RESULTS_MAX: i64 = 1_000;

/// A query on its way from terms to SQL.
#[derive(Default)]
struct Search {
    query: IssueQuery,
    repos: Vec<String>,
    owners: Vec<String>,
    archived: Option<bool>,
}

pub(super) fn issues(call: &Call, conn: &Connection) -> ApiResult {
    let text = call.query.get("q").ok_or_else(|| ApiError::invalid("Search", "q", "missing"))?;
    if text.chars().count() > QUERY_CHARS_MAX {
        return Err(ApiError::invalid_because("Search", "q", "The search is longer than 256 characters."));
    }
    let mut search = Search::read(call, &text)?;
    search.sort(call);
    let visible = search.visible(call, conn)?;
    search.query.repo_ids = visible.iter().map(|repo| repo.id).collect();
    reply(call, conn, &search.query, &visible)
}

/// What a text asks for, over the repositories that the viewer may see. What it names and cannot be seen is found empty.
pub(crate) fn issue_search(call: &Call, conn: &Connection, text: &str) -> Result<IssueQuery, ApiError> {
    let mut search = Search::read(call, text)?;
    let visible = search.visible(call, conn).unwrap_or_default();
    search.query.repo_ids = visible.iter().map(|repo| repo.id).collect();
    Ok(search.query)
}

fn reply(call: &Call, conn: &Connection, query: &IssueQuery, visible: &[Repo]) -> ApiResult {
    let page = Page::of(call);
    if page.offset() >= RESULTS_MAX {
        return Err(ApiError::unprocessable("Only the first 1000 search results are available"));
    }
    let render = call.render(conn);
    let mut items = Vec::new();
    for issue in query.page(conn, page.size, page.offset(), None)? {
        let Some(repo) = visible.iter().find(|repo| repo.id == issue.repo_id) else { continue };
        items.push(render.issue(repo, issue)?.into_search_result());
    }
    let total = query.count(conn)?;
    let link = page::link(call, page, total.min(RESULTS_MAX));
    let found = json!({ "total_count": total, "incomplete_results": false, "search_type": "lexical", "items": items });
    Ok(Reply { link, ..Reply::ok(&found)? })
}

fn invalid(key: &str, value: &str) -> ApiError {
    ApiError::invalid_because("Search", "q", format!("The search term {key}:{value} is not understood."))
}

impl Search {
    fn read(call: &Call, text: &str) -> Result<Self, ApiError> {
        let mut search = Self::default();
        for term in parse(text) {
            search.take(call, term)?;
        }
        Ok(search)
    }

    fn take(&mut self, call: &Call, term: Term) -> Result<(), ApiError> {
        let (key, value, negated) = match term {
            Term::Word(word) => {
                self.query.words.push(word);
                return Ok(());
            }
            Term::Qualified { key, value, negated } => (key, value, negated),
        };
        if key == "label" {
            // Commas mean "any of"; one name is what the forge's callers use.
            let names = if negated { &mut self.query.without_labels } else { &mut self.query.labels };
            names.push(value);
            return Ok(());
        }
        if negated {
            return Err(invalid(&format!("-{key}"), &value));
        }
        self.take_plain(call, &key, value)
    }

    fn take_plain(&mut self, call: &Call, key: &str, value: String) -> Result<(), ApiError> {
        let login = |value: String| match (value.as_str(), &call.viewer) {
            ("@me", Some(viewer)) => viewer.account.login.clone(),
            _ => value,
        };
        match key {
            "repo" => self.repos.push(value.to_lowercase()),
            "user" | "org" => self.owners.push(login(value).to_lowercase()),
            "is" | "type" | "state" => self.take_state(key, &value)?,
            "author" => self.query.author = Some(login(value)),
            "assignee" => self.query.assignee = Some(Presence::Is(login(value))),
            "mentions" => self.query.mentions = Some(login(value)),
            "milestone" => self.query.milestone_title = Some(value),
            "no" => self.take_absent(&value)?,
            "in" => self.query.words_in = Some(places(&value)?),
            "sort" => self.take_sort(&value)?,
            "archived" => self.archived = Some(truth(key, &value)?),
            "draft" => self.query.draft = Some(truth(key, &value)?),
            "head" => self.query.head = Some(value),
            "base" => self.query.base = Some(value),
            "involves" => self.query.involves = Some(login(value)),
            "commenter" => self.query.commenter = Some(login(value)),
            "review-requested" => self.query.review_requested = Some(login(value)),
            _ => return Err(invalid(key, &value)),
        }
        Ok(())
    }

    fn take_state(&mut self, key: &str, value: &str) -> Result<(), ApiError> {
        match value {
            "open" => self.query.state = Some("open"),
            "closed" => self.query.state = Some("closed"),
            "issue" => self.query.is_pull = Some(false),
            "pr" | "pull-request" => self.query.is_pull = Some(true),
            "merged" => self.query.merged = Some(true),
            "unmerged" => self.query.merged = Some(false),
            // All of the forge's repositories that the viewer may see are searched anyway.
            "public" | "private" => {}
            _ => return Err(invalid(key, value)),
        }
        Ok(())
    }

    fn take_absent(&mut self, value: &str) -> Result<(), ApiError> {
        match value {
            "label" => self.query.has_labels = Some(false),
            "assignee" => self.query.assignee = Some(Presence::None),
            "milestone" => self.query.milestone = Some(Presence::None),
            _ => return Err(invalid("no", value)),
        }
        Ok(())
    }

    fn take_sort(&mut self, value: &str) -> Result<(), ApiError> {
        let (by, direction) = value.rsplit_once('-').unwrap_or((value, "desc"));
        self.query.sort = match by {
            "created" => SortBy::Created,
            "updated" => SortBy::Updated,
            "comments" => SortBy::Comments,
            _ => return Err(invalid("sort", value)),
        };
        self.query.ascending = direction == "asc";
        Ok(())
    }

    /// The `sort` and `order` parameters, which stand beside the query.
    fn sort(&mut self, call: &Call) {
        match call.query.get("sort").as_deref() {
            Some("updated") => self.query.sort = SortBy::Updated,
            Some("comments") => self.query.sort = SortBy::Comments,
            Some("created") => self.query.sort = SortBy::Created,
            _ => return,
        }
        self.query.ascending = call.query.get("order").as_deref() == Some("asc");
    }

    /// The repositories to search: those named, or all, as far as the viewer may see them.
    fn visible(&self, call: &Call, conn: &Connection) -> Result<Vec<Repo>, ApiError> {
        let mut visible = Vec::new();
        for repo in repos::list(conn, None)? {
            let by_name = self.repos.contains(&repo.full_name().to_lowercase());
            let by_owner = self.owners.contains(&repo.owner.login.to_lowercase());
            let wanted = (self.repos.is_empty() && self.owners.is_empty()) || by_name || by_owner;
            let wanted = wanted && self.archived.is_none_or(|archived| archived == repo.archived);
            if wanted && access::permission(conn, &repo, call.viewer.as_ref())? >= Permission::Read {
                visible.push(repo);
            }
        }
        if visible.is_empty() && !self.repos.is_empty() {
            return Err(ApiError::invalid_because(
                "Search",
                "q",
                "The listed users and repositories cannot be searched either because the resources do not exist or you do not have permission to view them.",
            ));
        }
        Ok(visible)
    }
}

fn places(value: &str) -> Result<SearchIn, ApiError> {
    let mut places = SearchIn { title: false, body: false, comments: false };
    for place in value.split(',') {
        match place {
            "title" => places.title = true,
            "body" => places.body = true,
            "comments" => places.comments = true,
            _ => return Err(invalid("in", value)),
        }
    }
    Ok(places)
}

fn truth(key: &str, value: &str) -> Result<bool, ApiError> {
    value.parse().map_err(|_| invalid(key, value))
}
