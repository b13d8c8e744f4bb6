//! What went wrong, as RFC 9457 wants it told.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use baton_view::LookoutError;
use serde::Serialize;
use utoipa::ToSchema;

/// The media type of problems.
pub(crate) const MEDIA_TYPE: &str = "application/problem+json";

/// What went wrong, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Problem {
    /// Always `about:blank`: the status says what kind of problem it is.
    #[serde(rename = "type")]
    kind: String,
    /// The status in words.
    title: String,
    /// The status of the answer.
    #[schema(minimum = 400, maximum = 599)]
    status: u16,
    /// What was tried, what came back, and what to do.
    detail: String,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self {
            kind: "about:blank".to_owned(),
            title: status.canonical_reason().unwrap_or("Problem").to_owned(),
            status: status.as_u16(),
            detail: detail.into(),
        }
    }

    /// Tells of input that is not as the document says.
    pub(crate) fn bad_request(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, detail)
    }
}

impl From<LookoutError> for Problem {
    fn from(error: LookoutError) -> Self {
        let status = match &error {
            LookoutError::NoSuch(_) => StatusCode::NOT_FOUND,
            LookoutError::OutOfReach(_) => StatusCode::SERVICE_UNAVAILABLE,
            // The request is as the document says, and makes no sense as things are.
            LookoutError::Refused(_) => StatusCode::CONFLICT,
        };
        Self::new(status, error.to_string())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        // Text, numbers and nothing else: this cannot fail.
        let body = serde_json::to_vec(&self).unwrap_or_default();
        (status, [(header::CONTENT_TYPE, MEDIA_TYPE)], body).into_response()
    }
}
