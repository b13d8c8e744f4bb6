//! The JSON object a client sent, read field by field with GitHub's complaints.

use serde_json::{Map, Value};

use super::error::ApiError;

pub(crate) struct Fields(Map<String, Value>);

impl Fields {
    /// Reads a body. No body at all is an empty object, as many clients send none where every field is optional.
    pub(crate) fn parse(body: &[u8]) -> Result<Self, ApiError> {
        if body.iter().all(u8::is_ascii_whitespace) {
            return Ok(Self(Map::new()));
        }
        match serde_json::from_slice(body) {
            Ok(Value::Object(fields)) => Ok(Self(fields)),
            Ok(_) => Err(ApiError::bad_request("Body should be a JSON object")),
            Err(_) => Err(ApiError::bad_request("Problems parsing JSON")),
        }
    }

    /// Reads a body that some endpoints take as a bare list where others want `{key: list}`.
    pub(crate) fn parse_list_or(body: &[u8], key: &str) -> Result<Self, ApiError> {
        match serde_json::from_slice(body) {
            Ok(list @ Value::Array(_)) => Ok(Self(Map::from_iter([(key.to_owned(), list)]))),
            _ => Self::parse(body),
        }
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    pub(crate) fn raw(&self, key: &str) -> Option<&Value> {
        self.0.get(key)
    }

    fn present(&self, key: &str) -> Option<&Value> {
        self.0.get(key).filter(|value| !value.is_null())
    }

    pub(crate) fn opt_str(&self, key: &str) -> Result<Option<&str>, ApiError> {
        match self.present(key) {
            None => Ok(None),
            // Neither git nor a page can show it, and no client means it.
            Some(Value::String(text)) if text.contains('\0') => Err(ApiError::unprocessable(format!(
                "Invalid request.\n\nFor 'properties/{key}', it contains a NUL."
            ))),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(wrong_type(key, other, "a string")),
        }
    }

    pub(crate) fn str(&self, key: &str) -> Result<&str, ApiError> {
        match self.0.get(key) {
            Some(Value::Null) => Err(wrong_type(key, &Value::Null, "a string")),
            _ => self.opt_str(key)?.ok_or_else(|| not_supplied(key)),
        }
    }

    pub(crate) fn opt_bool(&self, key: &str) -> Result<Option<bool>, ApiError> {
        match self.present(key) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(other) => Err(wrong_type(key, other, "a boolean")),
        }
    }

    pub(crate) fn opt_i64(&self, key: &str) -> Result<Option<i64>, ApiError> {
        match self.present(key) {
            None => Ok(None),
            Some(value) => value.as_i64().map(Some).ok_or_else(|| wrong_type(key, value, "an integer")),
        }
    }

    pub(crate) fn i64(&self, key: &str) -> Result<i64, ApiError> {
        self.opt_i64(key)?.ok_or_else(|| not_supplied(key))
    }

    /// A number that some clients send as text.
    pub(crate) fn opt_lenient_i64(&self, key: &str) -> Result<Option<i64>, ApiError> {
        match self.present(key) {
            Some(Value::String(text)) if text.parse::<i64>().is_ok() => Ok(text.parse().ok()),
            _ => self.opt_i64(key),
        }
    }

    pub(crate) fn opt_list(&self, key: &str) -> Result<Option<&Vec<Value>>, ApiError> {
        match self.present(key) {
            None => Ok(None),
            Some(Value::Array(items)) => Ok(Some(items)),
            Some(other) => Err(wrong_type(key, other, "an array")),
        }
    }

    pub(crate) fn opt_strings(&self, key: &str) -> Result<Option<Vec<String>>, ApiError> {
        let Some(items) = self.opt_list(key)? else { return Ok(None) };
        let text = |item: &Value| match item {
            Value::String(text) => Ok(text.clone()),
            other => Err(wrong_type(&format!("{key}/0"), other, "a string")),
        };
        items.iter().map(text).collect::<Result<_, _>>().map(Some)
    }

    /// Label names, which GitHub takes as strings or as objects with a name.
    pub(crate) fn opt_label_names(&self, key: &str) -> Result<Option<Vec<String>>, ApiError> {
        let Some(items) = self.opt_list(key)? else { return Ok(None) };
        let name = |item: &Value| match (item, item.get("name")) {
            (Value::String(text), _) | (_, Some(Value::String(text))) => Ok(text.clone()),
            (other, _) => Err(wrong_type(&format!("{key}/0"), other, "a string")),
        };
        items.iter().map(name).collect::<Result<_, _>>().map(Some)
    }

    pub(crate) fn opt_object(&self, key: &str) -> Result<Option<Self>, ApiError> {
        match self.present(key) {
            None => Ok(None),
            Some(Value::Object(fields)) => Ok(Some(Self(fields.clone()))),
            Some(other) => Err(wrong_type(key, other, "an object")),
        }
    }
}

impl TryFrom<&Value> for Fields {
    type Error = ApiError;

    fn try_from(value: &Value) -> Result<Self, ApiError> {
        match value {
            Value::Object(fields) => Ok(Self(fields.clone())),
            other => Err(wrong_type("items", other, "an object")),
        }
    }
}

fn not_supplied(key: &str) -> ApiError {
    ApiError::unprocessable(format!("Invalid request.\n\n\"{key}\" wasn't supplied."))
}

fn wrong_type(key: &str, value: &Value, wanted: &str) -> ApiError {
    let shown = match value {
        Value::Null => "nil".to_owned(),
        // A huge value is not echoed whole.
        other => other.to_string().chars().take(80).collect(),
    };
    ApiError::unprocessable(format!("Invalid request.\n\nFor 'properties/{key}', {shown} is not {wanted}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(body: &str, read: impl Fn(&Fields) -> Result<(), ApiError>) -> (u16, String) {
        let error = Fields::parse(body.as_bytes()).and_then(|fields| read(&fields)).unwrap_err();
        (error.status, error.message)
    }

    #[test]
    fn what_is_not_an_object_is_refused_as_github_does() {
        let none = |_: &Fields| Ok(());
        assert_eq!(refusal("{", none), (400, "Problems parsing JSON".into()));
        assert_eq!(refusal("[]", none), (400, "Body should be a JSON object".into()));
        assert!(Fields::parse(b"").is_ok() && Fields::parse(b" \n").is_ok());
    }

    #[test]
    fn a_wrong_type_names_the_field_and_what_was_sent() {
        let title = |fields: &Fields| fields.str("title").map(drop);
        assert_eq!(refusal("{}", title), (422, "Invalid request.\n\n\"title\" wasn't supplied.".into()));
        let message = "Invalid request.\n\nFor 'properties/title', 7 is not a string.";
        assert_eq!(refusal("{\"title\": 7}", title), (422, message.into()));
        let message = "Invalid request.\n\nFor 'properties/title', nil is not a string.";
        assert_eq!(refusal("{\"title\": null}", title), (422, message.into()));
    }
}
