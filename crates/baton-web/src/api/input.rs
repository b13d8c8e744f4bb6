//! What comes in, read strictly: an address, a query or a body that is not as the document says is answered with a problem.

use std::ops::RangeInclusive;
use std::time::Duration;

use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use baton_core::RepoSlug;
use baton_core::tracker::IssueKey;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::error::Category;
use utoipa::IntoParams;

use super::Problem;

/// The largest body that is taken, in bytes: the longest comment of GitHub fits in, however it is escaped.
const BODY_BYTES_MAX: usize = 512 * 1024;
/// How long a body may take to arrive.
const PATIENCE: Duration = Duration::from_secs(10);
/// The largest number that everybody can read.
pub(crate) const NUMBER_MAX: u64 = i64::MAX.unsigned_abs();

/// Which issue is asked for.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct IssueAsked {
    /// The account that the repository belongs to.
    #[param(pattern = "^[A-Za-z0-9][A-Za-z0-9_-]{0,38}$")]
    owner: String,
    /// The repository, not ending in `.git`.
    #[param(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$")]
    name: String,
    /// The number of the issue.
    #[param(minimum = 1, maximum = 9223372036854775807i64)]
    number: u64,
}

/// An issue, as an address names it.
#[derive(Debug)]
pub(crate) struct Issue(pub(crate) IssueKey);

impl<S: Send + Sync> FromRequestParts<S> for Issue {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let Place(asked) = Place::<IssueAsked>::from_request_parts(parts, state).await?;
        let repo = RepoSlug::new(&asked.owner, &asked.name);
        let repo = repo.map_err(|error| Problem::bad_request(error.to_string()))?;
        within("number", asked.number, 1..=NUMBER_MAX)?;
        Ok(Self(IssueKey { repo, number: asked.number }))
    }
}

/// What the address names.
#[derive(Debug)]
pub(crate) struct Place<T>(pub(crate) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Place<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let place = Path::<T>::from_request_parts(parts, state).await;
        let Path(place) = place.map_err(|error| Problem::bad_request(error.body_text()))?;
        Ok(Self(place))
    }
}

/// What comes after the question mark.
#[derive(Debug)]
pub(crate) struct Asked<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Asked<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let asked = Query::<T>::try_from_uri(&parts.uri);
        let Query(asked) = asked.map_err(|error| Problem::bad_request(error.body_text()))?;
        Ok(Self(asked))
    }
}

/// A body of JSON.
#[derive(Debug)]
pub(crate) struct Given<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Given<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        if !is_json(&request) {
            let words = "the body must be JSON: set Content-Type to application/json";
            return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, words));
        }
        let reading = Limited::new(request.into_body(), BODY_BYTES_MAX).collect();
        let read = tokio::time::timeout(PATIENCE, reading)
            .await
            .map_err(|_| Problem::new(StatusCode::REQUEST_TIMEOUT, "the body did not come in time"))?;
        let body = read.map_err(|error| match error.is::<LengthLimitError>() {
            true => Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "the body is larger than 512 KiB"),
            false => Problem::bad_request("the body ended early"),
        })?;
        serde_json::from_slice(&body.to_bytes()).map(Self).map_err(|error| unreadable(&error))
    }
}

fn is_json(request: &Request) -> bool {
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next()).unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/json")
}

fn unreadable(error: &serde_json::Error) -> Problem {
    match error.classify() {
        Category::Data => Problem::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            format!("the body is JSON, but not as the document says: {error}"),
        ),
        Category::Io | Category::Syntax | Category::Eof => {
            Problem::bad_request(format!("the body is not JSON: {error}"))
        }
    }
}

/// Checks that a number is within its limits.
pub(crate) fn within(name: &str, number: u64, limits: RangeInclusive<u64>) -> Result<u64, Problem> {
    let words = || format!("{name} must be from {} to {}, not {number}", limits.start(), limits.end());
    if limits.contains(&number) { Ok(number) } else { Err(Problem::bad_request(words())) }
}
