//! Refusals, in the words and shapes GitHub uses.

use serde_json::{Value, json};

use crate::db::WriteError;

/// Every error body carries an address of documentation, because GitHub's schemas require one.
const DOCUMENTATION: &str = "https://docs.github.com/rest";

/// A refusal: a status, a sentence, and for validation which field failed how.
#[derive(Debug, Clone)]
pub(crate) struct ApiError {
    pub(crate) status: u16,
    pub(crate) message: String,
    pub(crate) errors: Vec<Value>,
    /// Seconds after which the client may try again.
    pub(crate) retry_after_s: Option<u64>,
}

impl ApiError {
    pub(crate) fn new(status: u16, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), errors: Vec::new(), retry_after_s: None }
    }

    pub(crate) fn not_found() -> Self {
        Self::new(404, "Not Found")
    }

    pub(crate) fn requires_authentication() -> Self {
        Self::new(401, "Requires authentication")
    }

    pub(crate) fn bad_credentials() -> Self {
        Self::new(401, "Bad credentials")
    }

    pub(crate) fn forbidden(message: impl Into<String>) -> Self {
        Self::new(403, message)
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, message)
    }

    pub(crate) fn conflict(message: impl Into<String>) -> Self {
        Self::new(409, message)
    }

    /// A 422 with a sentence of its own, as git's endpoints give.
    pub(crate) fn unprocessable(message: impl Into<String>) -> Self {
        Self::new(422, message)
    }

    /// A 422 about one field with one of GitHub's codes (`missing`, `invalid`, `already_exists`, …).
    pub(crate) fn invalid(resource: &str, field: &str, code: &str) -> Self {
        let error = json!({ "resource": resource, "field": field, "code": code });
        Self { errors: vec![error], ..Self::new(422, "Validation Failed") }
    }

    /// A 422 about one field, explained in a sentence.
    pub(crate) fn invalid_because(resource: &str, field: &str, why: impl Into<String>) -> Self {
        let error = json!({ "resource": resource, "field": field, "code": "custom", "message": why.into() });
        Self { errors: vec![error], ..Self::new(422, "Validation Failed") }
    }

    pub(crate) fn body(&self) -> Value {
        let mut body = json!({
            "message": self.message,
            "documentation_url": DOCUMENTATION,
            "status": self.status.to_string(),
        });
        if !self.errors.is_empty() {
            body["errors"] = json!(self.errors);
        }
        body
    }

    fn internal(error: &dyn std::fmt::Display) -> Self {
        tracing::error!(%error, "a request failed");
        Self::new(500, "Server Error")
    }
}

impl From<rusqlite::Error> for ApiError {
    fn from(error: rusqlite::Error) -> Self {
        match error {
            // A lagging snapshot may not have what the newest state has.
            rusqlite::Error::QueryReturnedNoRows => Self::not_found(),
            error => Self::internal(&error),
        }
    }
}

impl From<git2::Error> for ApiError {
    fn from(error: git2::Error) -> Self {
        Self::internal(&error)
    }
}

impl From<std::io::Error> for ApiError {
    fn from(error: std::io::Error) -> Self {
        Self::internal(&error)
    }
}

impl From<serde_json::Error> for ApiError {
    fn from(error: serde_json::Error) -> Self {
        Self::internal(&error)
    }
}

impl From<WriteError> for ApiError {
    fn from(error: WriteError) -> Self {
        Self::internal(&error)
    }
}
