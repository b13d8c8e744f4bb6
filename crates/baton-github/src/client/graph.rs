//! GraphQL: a question or a change by its document, and lists to their last page.
//!
//! A question may be repeated; a change is sent once unless its caller says that twice is the same as once. An answer with
//! errors is an error, even where a part of the data came along; only what a caller declared to be spare may be refused.

use baton_core::RepoSlug;
use baton_core::time::ServerTime;
use baton_core::tracker::Dated;
use baton_ports::{TrackerError, TrackerErrorKind};
use http::Method;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{Answer, Draft, GitHub, Sent};
use crate::call::{Call, Identity, Repeat};
use crate::graphql::Document;
use crate::graphql::page::{Connection, NodePage};
use crate::layers::limits::wait_of_headers;

/// What GraphQL calls are counted as.
pub(crate) const ENDPOINT: &str = "/graphql";

/// What all documents for further pages call the page.
const PAGE: &str = "page";

/// An answer, and which of its spare parts were refused.
pub(crate) struct Told<T> {
    pub(crate) value: T,
    pub(crate) date: ServerTime,
    pub(crate) refused: Vec<String>,
}

#[derive(Deserialize)]
struct Envelope<T> {
    data: Option<T>,
    #[serde(default)]
    errors: Vec<Complaint>,
}

#[derive(Deserialize)]
struct Complaint {
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    message: String,
    #[serde(default)]
    path: Option<Vec<Value>>,
}

impl Complaint {
    /// Returns which of the spare parts was refused, if that is what is wrong. A refusal may name something deep inside of
    /// a part, such as one check of many, so the part is looked for all along its path.
    fn refused_part<'s>(&self, spare: &[&'s str]) -> Option<&'s str> {
        let is_refusal = matches!(self.kind.as_deref(), Some("FORBIDDEN"));
        let path = self.path.as_deref().filter(|_| is_refusal)?;
        let mut parts = path.iter().filter_map(Value::as_str);
        parts.find_map(|part| spare.iter().find(|known| **known == part).copied())
    }
}

impl GitHub {
    /// Asks a question about a repository.
    pub(crate) async fn query<T: DeserializeOwned>(
        &self,
        repo: &RepoSlug,
        document: &Document,
        variables: Value,
    ) -> Answer<Dated<T>> {
        let told = self.query_sparing(repo, document, variables, &[]).await?;
        Ok(Dated { value: told.value, date: told.date, pages: 1 })
    }

    /// Asks a question of which some parts, by their names, may be refused; they, or what is in them, are null then.
    pub(crate) async fn query_sparing<T: DeserializeOwned>(
        &self,
        repo: &RepoSlug,
        document: &Document,
        variables: Value,
        spare: &[&str],
    ) -> Answer<Told<T>> {
        let mut draft = self.graph_draft(repo, document, &variables);
        draft.call.is_question = true;
        self.ask(draft).await?.told(spare)
    }

    /// Makes a change.
    pub(crate) async fn mutate<T: DeserializeOwned>(
        &self,
        repo: &RepoSlug,
        document: &Document,
        variables: Value,
        repeat: Repeat,
    ) -> Answer<T> {
        let mut draft = self.graph_draft(repo, document, &variables);
        draft.call.repeat = repeat;
        Ok(self.ask(draft).await?.told(&[])?.value)
    }

    fn graph_draft(&self, repo: &RepoSlug, document: &Document, variables: &Value) -> Draft {
        let url = self.shared.base.graphql();
        let mut call = Call::get(ENDPOINT, url, Identity::In(repo.clone()));
        call.method = Method::POST;
        call.title = Some(document.name);
        let body = json!({ "query": document.text, "variables": variables, "operationName": document.name });
        Draft { call }.json(&body)
    }

    /// Reads a list of a node to its end, from its first page on.
    pub(crate) async fn whole<T: DeserializeOwned>(
        &self,
        repo: &RepoSlug,
        document: &Document,
        id: &str,
        first: Connection<T>,
    ) -> Answer<Vec<T>> {
        self.whole_with(repo, document, json!({ "id": id }), first, self.shared.pages_max).await
    }

    /// Reads a list of a node to its end, of which the token need not be allowed to see all.
    pub(crate) async fn whole_as_seen<T: DeserializeOwned>(
        &self,
        repo: &RepoSlug,
        document: &Document,
        id: &str,
        first: Connection<T>,
    ) -> Answer<Listed<T>> {
        let fetch = |after: String| async move {
            let variables = json!({ "id": id, "after": after });
            let told: Told<NodePage<T>> = self.query_sparing(repo, document, variables, &[PAGE]).await?;
            let unseen = || (!told.refused.is_empty()).then(Connection::unseen);
            let page = told.value.node.and_then(|node| node.page).or_else(unseen);
            page.ok_or_else(|| gone(document))
        };
        collect(document, first, self.shared.pages_max, fetch).await
    }

    /// Reads a list of a node to its end, with more to ask by than the node's id.
    pub(crate) async fn whole_with<T: DeserializeOwned>(
        &self,
        repo: &RepoSlug,
        document: &Document,
        variables: Value,
        first: Connection<T>,
        pages_max: u32,
    ) -> Answer<Vec<T>> {
        let fetch = |after: String| {
            let variables = with(&variables, "after", after.into());
            async move {
                let answer = self.query::<NodePage<T>>(repo, document, variables).await?;
                let page = answer.value.node.and_then(|node| node.page);
                page.ok_or_else(|| gone(document))
            }
        };
        Ok(collect(document, first, pages_max, fetch).await?.items)
    }
}

/// A list, and how many of its entries the token may not see.
pub(crate) struct Listed<T> {
    pub(crate) items: Vec<T>,
    pub(crate) hidden: u64,
}

/// Follows a list from page to page.
pub(crate) async fn collect<T, F: Future<Output = Answer<Connection<T>>>>(
    document: &Document,
    first: Connection<T>,
    pages_max: u32,
    fetch: impl Fn(String) -> F,
) -> Answer<Listed<T>> {
    let (mut items, mut places) = (Vec::new(), 0);
    let (mut page, mut pages) = (first, 1);
    loop {
        let (info, told) = (std::mem::take(&mut page.page_info), page.total_count);
        places += page.nodes.len() as u64;
        items.extend(page.into_items());
        if !info.has_next_page {
            // The number of all is told only where a document asks for it; what is not shown at all is known by it alone.
            let hidden = told.max(places).saturating_sub(items.len() as u64);
            return Ok(Listed { items, hidden });
        }
        let Some(cursor) = info.end_cursor.filter(|_| pages < pages_max) else {
            return Err(endless(document, pages_max));
        };
        page = fetch(cursor).await?;
        pages += 1;
    }
}

/// Adds a variable.
pub(crate) fn with(variables: &Value, name: &str, value: Value) -> Value {
    let mut all = variables.clone();
    all[name] = value;
    all
}

pub(crate) fn gone(document: &Document) -> TrackerError {
    let answer = "what was asked about is not there";
    TrackerError::new(TrackerErrorKind::NotFound, tried(document.name), answer)
}

pub(crate) fn endless(document: &Document, pages_max: u32) -> TrackerError {
    let answer = format!("the list has more than {pages_max} pages, or does not say where it goes on");
    TrackerError::new(TrackerErrorKind::Invalid, tried(document.name), answer)
}

pub(crate) fn tried(name: &str) -> String {
    format!("POST {ENDPOINT} ({name})")
}

impl Sent {
    fn told<T: DeserializeOwned>(&self, spare: &[&str]) -> Answer<Told<T>> {
        let envelope: Envelope<Value> = self.parse()?;
        let (refused, wrong): (Vec<_>, Vec<_>) =
            envelope.errors.into_iter().partition(|error| error.refused_part(spare).is_some());
        if !wrong.is_empty() {
            return Err(self.complained(&wrong));
        }
        let data = envelope.data.ok_or_else(|| self.tried.unreadable("an answer without data"))?;
        let value = serde_json::from_value(data)
            .map_err(|error| self.tried.unreadable(format!("data that cannot be read: {error}")))?;
        let refused =
            refused.iter().filter_map(|error| error.refused_part(spare).map(str::to_owned)).collect();
        Ok(Told { value, date: self.date()?, refused })
    }

    fn complained(&self, errors: &[Complaint]) -> TrackerError {
        let mut kinds: Vec<_> = errors.iter().map(|error| self.kind_of(error)).collect();
        // What stops everything is told before what is missing.
        kinds.sort_by_key(|kind| match kind {
            TrackerErrorKind::RateLimited { .. } => 0,
            TrackerErrorKind::Unavailable | TrackerErrorKind::Unclear => 1,
            TrackerErrorKind::Forbidden => 2,
            TrackerErrorKind::NotFound => 3,
            _ => 4,
        });
        let words: Vec<_> = errors.iter().map(|error| error.message.as_str()).collect();
        let kind = kinds.first().copied().unwrap_or(TrackerErrorKind::Malformed);
        self.tried.error(kind, words.join("; "))
    }

    fn kind_of(&self, error: &Complaint) -> TrackerErrorKind {
        let message = error.message.to_ascii_lowercase();
        match error.kind.as_deref() {
            Some("RATE_LIMITED" | "RATE_LIMIT") => self.limited(),
            _ if message.contains("rate limit") => self.limited(),
            Some("FORBIDDEN" | "INSUFFICIENT_SCOPES") => TrackerErrorKind::Forbidden,
            Some("NOT_FOUND") => TrackerErrorKind::NotFound,
            Some("INTERNAL" | "SERVICE_UNAVAILABLE" | "TIMEOUT") => self.tried.doubt(),
            // GitHub says this of what it could not finish, and gives it no kind.
            None if message.contains("something went wrong") || message.contains("timedout") => {
                self.tried.doubt()
            }
            _ => TrackerErrorKind::Invalid,
        }
    }

    fn limited(&self) -> TrackerErrorKind {
        TrackerErrorKind::RateLimited { retry_after: wait_of_headers(&self.reply) }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::layers::fake::reply;
    use crate::refusal::Tried;

    const DATE: (&str, &str) = ("date", "Tue, 14 Nov 2023 22:13:20 GMT");

    fn sent(is_read: bool, body: &str) -> Sent {
        let spent = [DATE, ("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1700000042")];
        Sent { tried: Tried { text: "POST /graphql (X)".into(), is_read }, reply: reply(200, &spent, body) }
    }

    fn kind(is_read: bool, body: &str) -> TrackerErrorKind {
        sent(is_read, body).told::<Value>(&[]).err().unwrap().kind
    }

    #[test]
    fn errors_become_kinds_even_beside_data() {
        let check = |body: &str, expected| assert_eq!(kind(true, body), expected, "{body}");
        let limited = TrackerErrorKind::RateLimited { retry_after: Some(Duration::from_secs(42)) };
        check(r#"{"errors": [{"type": "RATE_LIMITED", "message": "x"}]}"#, limited);
        check(r#"{"errors": [{"message": "You have exceeded a secondary rate limit"}]}"#, limited);
        check(
            r#"{"data": {"a": 1}, "errors": [{"type": "NOT_FOUND", "message": "x"}]}"#,
            TrackerErrorKind::NotFound,
        );
        check(
            r#"{"errors": [{"type": "NOT_FOUND", "message": "x"}, {"type": "FORBIDDEN", "message": "y"}]}"#,
            TrackerErrorKind::Forbidden,
        );
        check(
            r#"{"errors": [{"type": "INSUFFICIENT_SCOPES", "message": "x"}]}"#,
            TrackerErrorKind::Forbidden,
        );
        check(r#"{"errors": [{"message": "Field 'x' doesn't exist"}]}"#, TrackerErrorKind::Invalid);
        check(r#"{"data": null}"#, TrackerErrorKind::Malformed);
        check("[]", TrackerErrorKind::Malformed);
    }

    #[test]
    fn a_change_that_the_server_could_not_finish_is_unclear() {
        let body = r#"{"errors": [{"message": "Something went wrong while executing your query."}]}"#;
        assert_eq!(kind(true, body), TrackerErrorKind::Unavailable);
        assert_eq!(kind(false, body), TrackerErrorKind::Unclear);
    }

    #[test]
    fn only_a_part_that_can_be_spared_may_be_refused() {
        let body = r#"{"data": {"a": null}, "errors": [{"type": "FORBIDDEN", "message": "x", "path": ["r", 0, "checks"]}]}"#;
        let told = sent(true, body).told::<Value>(&["checks"]).ok().unwrap();
        assert_eq!(told.refused, ["checks"]);
        assert_eq!(
            sent(true, body).told::<Value>(&["other"]).err().unwrap().kind,
            TrackerErrorKind::Forbidden
        );
    }

    #[test]
    fn what_is_refused_deep_inside_of_a_spare_part_is_that_part() {
        let check = |path: Value, expected: Option<&str>| {
            let refusal = json!({ "type": "FORBIDDEN", "message": "x", "path": path });
            let body = json!({ "data": { "a": 1 }, "errors": [refusal] }).to_string();
            let told = sent(true, &body).told::<Value>(&["checks", "rule"]).ok();
            assert_eq!(told.map(|told| told.refused.join(",")).as_deref(), expected, "{body}");
        };
        check(json!(["r", "checks", "contexts", "nodes", 0]), Some("checks"));
        check(json!(["r", "rule", "x"]), Some("rule"));
        check(json!(["r", "other", "nodes", 0]), None);
        check(json!([]), None);
        check(Value::Null, None);
    }
}
