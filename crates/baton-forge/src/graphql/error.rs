//! What can be wrong with a field or a request, with GitHub's name of the kind.

use apollo_compiler::resolvers::FieldError;
use serde_json::{Value, json};

use crate::http::error::ApiError;

/// Between the kind and the message while both travel as one text. No message contains it.
const FOLD: char = '\u{1f}';

/// What the executor puts before every message.
const EXECUTOR: &str = "resolver error: ";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GraphError {
    pub(crate) kind: &'static str,
    pub(crate) message: String,
}

impl GraphError {
    pub(crate) fn new(kind: &'static str, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new("NOT_FOUND", message)
    }

    pub(crate) fn forbidden(message: impl Into<String>) -> Self {
        Self::new("FORBIDDEN", message)
    }

    pub(crate) fn unprocessable(message: impl Into<String>) -> Self {
        Self::new("UNPROCESSABLE", message)
    }

    pub(crate) fn json(&self) -> Value {
        json!({ "type": self.kind, "message": self.message })
    }
}

impl From<GraphError> for FieldError {
    fn from(error: GraphError) -> Self {
        Self { message: format!("{}{FOLD}{}", error.kind, error.message) }
    }
}

impl From<ApiError> for GraphError {
    fn from(error: ApiError) -> Self {
        let kind = match error.status {
            401 | 403 => "FORBIDDEN",
            404 => "NOT_FOUND",
            500.. => "INTERNAL",
            _ => "UNPROCESSABLE",
        };
        let details = error.errors.iter().filter_map(|detail| detail["message"].as_str().or(detail.as_str()));
        let message = details.fold(error.message.clone(), |text, detail| format!("{text}: {detail}"));
        Self::new(kind, message)
    }
}

impl From<rusqlite::Error> for GraphError {
    fn from(error: rusqlite::Error) -> Self {
        ApiError::from(error).into()
    }
}

impl From<git2::Error> for GraphError {
    fn from(error: git2::Error) -> Self {
        ApiError::from(error).into()
    }
}

/// Takes a kind out of an error's message and gives it its own key.
pub(super) fn unfold(error: &mut Value) {
    let text = error["message"].as_str().unwrap_or_default();
    let Some((kind, message)) = text.strip_prefix(EXECUTOR).unwrap_or(text).split_once(FOLD) else { return };
    let (kind, message) = (kind.to_owned(), message.to_owned());
    error["type"] = kind.into();
    error["message"] = message.into();
}
