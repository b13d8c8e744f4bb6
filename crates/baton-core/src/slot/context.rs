//! What a run is told: a JSON object that grows while the run has not started.
//!
//! Comment ids are an ordered union, so that no comment is forgotten; for the rest the newest word wins.

use std::collections::HashSet;

use serde_json::{Map, Value};

/// The largest context, in bytes of its JSON text. Larger things belong in a file or a comment.
pub const CONTEXT_BYTES_MAX: usize = 1 << 20;

/// The key whose values are united.
pub const COMMENT_IDS: &str = "comment_ids";

/// A context.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Context(Map<String, Value>);

/// The text is no context.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ContextError {
    /// It is no JSON.
    #[error("the context is not JSON: {0}; write an object such as {{\"comment_ids\":[17]}}")]
    NotJson(String),
    /// It is JSON, but no object.
    #[error("the context must be a JSON object such as {{\"comment_ids\":[17]}}, and not {0}")]
    NotAnObject(&'static str),
    /// Comment ids are not what they must be to be united.
    #[error("`comment_ids` in the context must be a list of whole numbers, and not {0}")]
    CommentIds(String),
    /// It is too large.
    #[error(
        "the context has {bytes} bytes, and the limit is {CONTEXT_BYTES_MAX}; put large texts into a comment or a file"
    )]
    TooLarge {
        /// How large it is.
        bytes: usize,
    },
}

impl Context {
    /// Reads a context.
    pub fn parse(text: &str) -> Result<Self, ContextError> {
        if text.len() > CONTEXT_BYTES_MAX {
            return Err(ContextError::TooLarge { bytes: text.len() });
        }
        match serde_json::from_str(text) {
            Ok(Value::Object(map)) => Self::checked(map),
            Ok(other) => Err(ContextError::NotAnObject(kind(&other))),
            Err(error) => Err(ContextError::NotJson(error.to_string())),
        }
    }

    fn checked(map: Map<String, Value>) -> Result<Self, ContextError> {
        match map.get(COMMENT_IDS) {
            Some(Value::Array(ids)) if ids.iter().all(Value::is_u64) => Ok(Self(map)),
            None => Ok(Self(map)),
            Some(other) => {
                let mut shown = other.to_string();
                shown.truncate(shown.char_indices().nth(60).map_or(shown.len(), |(end, _)| end));
                Err(ContextError::CommentIds(shown))
            }
        }
    }

    /// Returns a context that names comments.
    pub fn of_comments(ids: impl IntoIterator<Item = u64>) -> Self {
        let ids = ids.into_iter().map(Value::from).collect();
        Self(Map::from_iter([(COMMENT_IDS.to_owned(), Value::Array(ids))]))
    }

    /// Returns a context that is a note to the agent.
    pub fn of_note(note: &str) -> Self {
        Self(Map::from_iter([("note".to_owned(), Value::from(note))]))
    }

    /// Returns the comments it names, oldest first.
    pub fn comment_ids(&self) -> Vec<u64> {
        let ids = self.0.get(COMMENT_IDS).and_then(Value::as_array);
        ids.into_iter().flatten().filter_map(Value::as_u64).collect()
    }

    /// Returns a value.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.get(key)
    }

    /// Returns this context with a newer one merged into it, or why that cannot be.
    pub fn merged(&self, newer: &Self) -> Result<Self, ContextError> {
        let mut ids = self.comment_ids();
        let mut known: HashSet<u64> = ids.iter().copied().collect();
        ids.extend(newer.comment_ids().into_iter().filter(|id| known.insert(*id)));
        let mut map = self.0.clone();
        map.extend(newer.0.iter().map(|(key, value)| (key.clone(), value.clone())));
        if !ids.is_empty() {
            map.insert(COMMENT_IDS.to_owned(), ids.into());
        }
        let merged = Self(map);
        let bytes = merged.to_json().len();
        if bytes > CONTEXT_BYTES_MAX { Err(ContextError::TooLarge { bytes }) } else { Ok(merged) }
    }

    /// Returns its JSON text.
    pub fn to_json(&self) -> String {
        Value::Object(self.0.clone()).to_string()
    }

    /// Returns it as a JSON value.
    pub fn as_value(&self) -> Value {
        Value::Object(self.0.clone())
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "yes or no",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn context(text: &str) -> Context {
        Context::parse(text).unwrap()
    }

    #[test]
    fn comment_ids_are_united_in_order_and_the_rest_is_the_newest() {
        let older = context(r#"{"comment_ids":[3,1],"stage":"plan","old":true}"#);
        let newer = context(r#"{"comment_ids":[1,9],"stage":"implement"}"#);
        let merged = older.merged(&newer).unwrap();
        assert_eq!(merged, context(r#"{"comment_ids":[3,1,9],"stage":"implement","old":true}"#));
    }

    #[test]
    fn what_is_no_context_is_refused_with_what_it_is() {
        let error = |text: &str| Context::parse(text).unwrap_err().to_string();
        assert!(error("[1]").contains("not a list"));
        assert!(error("{").contains("not JSON"));
        assert!(error(r#"{"comment_ids":["x"]}"#).contains("list of whole numbers"));
        assert!(error(r#"{"comment_ids":7}"#).contains("and not 7"));
    }

    #[test]
    fn a_context_over_the_limit_is_refused_alone_and_when_merged() {
        let text = |fill: usize| format!(r#"{{"{}":"{}"}}"#, "k".repeat(fill % 7), "x".repeat(fill));
        assert!(matches!(Context::parse(&text(CONTEXT_BYTES_MAX)), Err(ContextError::TooLarge { .. })));
        let (a, b) = (context(&text(700_000)), context(&text(700_001)));
        assert!(matches!(a.merged(&b), Err(ContextError::TooLarge { .. })));
    }
}
