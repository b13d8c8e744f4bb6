//! The lists of issues and of pull requests, one page at a time, newest first.

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Value, json};

use super::client::{ForgeClient, ForgeError};
use super::listing_rows;
use super::place::Place;
use super::shell::{Guest, Reader, Tab, failure, nowhere, page};
use super::wire::{Connection, Label, Listed};

const PAGE_SIZE: u32 = 30;

/// What an address may ask of a list.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Wish {
    /// `open`, `closed` or `all`; anything else counts as `open`.
    pub(crate) state: Option<String>,
    pub(crate) label: Option<String>,
    pub(crate) after: Option<String>,
    pub(crate) before: Option<String>,
}

impl Wish {
    pub(crate) fn state(&self) -> &'static str {
        match self.state.as_deref() {
            Some("closed") => "closed",
            Some("all") => "all",
            _ => "open",
        }
    }

    pub(crate) fn label(&self) -> Option<&str> {
        self.label.as_deref().map(str::trim).filter(|label| !label.is_empty())
    }

    /// The states in the words of GraphQL. A merged pull request is closed in the eyes of people.
    fn states(&self, tab: Tab) -> Value {
        match (self.state(), tab) {
            ("open", _) => json!(["OPEN"]),
            ("closed", Tab::Issues) => json!(["CLOSED"]),
            ("closed", Tab::Pulls) => json!(["CLOSED", "MERGED"]),
            (_, Tab::Issues) => json!(["OPEN", "CLOSED"]),
            (_, Tab::Pulls) => json!(["OPEN", "CLOSED", "MERGED"]),
        }
    }

    fn variables(&self, place: &Place, tab: Tab) -> Value {
        let backwards = self.before.is_some();
        json!({
            "owner": place.owner(),
            "repo": place.repo(),
            "states": self.states(tab),
            "labels": self.label().map(|label| vec![label]),
            "first": (!backwards).then_some(PAGE_SIZE),
            "last": backwards.then_some(PAGE_SIZE),
            "after": if backwards { None } else { self.after.as_deref() },
            "before": self.before,
        })
    }
}

#[derive(Deserialize)]
struct Answer {
    repository: Option<Repository>,
}

#[derive(Deserialize)]
struct Repository {
    list: Connection<Listed>,
}

fn document(tab: Tab) -> String {
    let (list, states, more) = match tab {
        Tab::Issues => ("issues", "IssueState", ""),
        Tab::Pulls => ("pullRequests", "PullRequestState", "isDraft reviewDecision headRefName"),
    };
    format!(
        "query($owner: String!, $repo: String!, $states: [{states}!], $labels: [String!], $first: Int, $last: Int,
            $after: String, $before: String) {{ repository(owner: $owner, name: $repo) {{
            list: {list}(states: $states, labels: $labels, first: $first, last: $last, after: $after, before: $before,
                orderBy: {{ field: CREATED_AT, direction: DESC }}) {{
                totalCount pageInfo {{ hasNextPage hasPreviousPage startCursor endCursor }}
                nodes {{ number title state createdAt author {{ login }} {more}
                    labels(first: 20) {{ nodes {{ name color description }} }} comments(first: 1) {{ totalCount nodes {{ id }} }} }} }} }} }}"
    )
}

pub(crate) async fn issues(
    state: State<ForgeClient>,
    path: Path<(String, String)>,
    wish: Query<Wish>,
    guest: Guest,
) -> Response {
    list(state, path, wish, guest, Tab::Issues).await
}

pub(crate) async fn pulls(
    state: State<ForgeClient>,
    path: Path<(String, String)>,
    wish: Query<Wish>,
    guest: Guest,
) -> Response {
    list(state, path, wish, guest, Tab::Pulls).await
}

async fn list(
    State(client): State<ForgeClient>,
    Path((owner, repo)): Path<(String, String)>,
    Query(wish): Query<Wish>,
    guest: Guest,
    tab: Tab,
) -> Response {
    let Some(place) = Place::new(&owner, &repo) else { return nowhere() };
    let title = match tab {
        Tab::Issues => format!("Issues of {place}"),
        Tab::Pulls => format!("Pull requests of {place}"),
    };
    match read(&client, &place, &wish, tab).await {
        Ok((found, labels)) => {
            let reader = Reader::of(guest);
            let body = listing_rows::body(&reader, &place, tab, &wish, &found, &labels);
            page(&reader, StatusCode::OK, &title, &body)
        }
        Err(error) => failure(&error),
    }
}

async fn read(
    client: &ForgeClient,
    place: &Place,
    wish: &Wish,
    tab: Tab,
) -> Result<(Connection<Listed>, Vec<Label>), ForgeError> {
    let document = document(tab);
    let labels_path = place.api("labels");
    let (answer, labels) = tokio::try_join!(
        client.graph::<Answer>("a list", &document, wish.variables(place, tab)),
        client.get_all(&labels_path, |page: Vec<Label>| page),
    )?;
    let missing = || ForgeError::Refused {
        asked: format!("POST /graphql (the repository {place})"),
        status: StatusCode::NOT_FOUND,
        message: format!("There is no repository {place}, or you may not see it."),
    };
    Ok((answer.repository.ok_or_else(missing)?.list, labels))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wish_that_makes_no_sense_is_for_what_is_open() {
        for (state, expected) in [(None, "open"), (Some("closed"), "closed"), (Some("'"), "open")] {
            let wish = Wish { state: state.map(str::to_owned), ..Wish::default() };
            assert_eq!(wish.state(), expected);
        }
        let blank = Wish { label: Some(" ".to_owned()), ..Wish::default() };
        assert_eq!(blank.label(), None);
    }

    #[test]
    fn a_page_is_asked_for_from_one_end_only() {
        let place = Place::new("acme", "web").unwrap();
        let wish = Wish { before: Some("B".to_owned()), after: Some("A".to_owned()), ..Wish::default() };
        let variables = wish.variables(&place, Tab::Pulls);
        assert_eq!((&variables["first"], &variables["after"]), (&Value::Null, &Value::Null));
        assert_eq!((&variables["last"], &variables["before"]), (&json!(PAGE_SIZE), &json!("B")));
    }
}
