//! Fields of a JSON object, read with patience: what is missing or of another kind is nothing.

use serde_json::{Map, Value};

/// A JSON object.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields<'a>(pub(super) &'a Map<String, Value>);

impl<'a> Fields<'a> {
    /// A text that is not empty.
    pub(super) fn text(self, key: &str) -> Option<&'a str> {
        self.0.get(key)?.as_str().filter(|text| !text.is_empty())
    }

    pub(super) fn flag(self, key: &str) -> Option<bool> {
        self.0.get(key)?.as_bool()
    }

    /// A number that is not negative; a fraction is cut off.
    pub(super) fn number(self, key: &str) -> Option<u64> {
        let value = self.0.get(key)?;
        value.as_u64().or_else(|| value.as_f64().filter(|number| *number >= 0.0).map(|number| number as u64))
    }

    /// A status of HTTP.
    pub(super) fn status(self, key: &str) -> Option<u16> {
        self.number(key).and_then(|status| status.try_into().ok()).filter(|status| *status > 0)
    }

    /// An amount of US dollars in millionths.
    pub(super) fn micros(self, key: &str) -> Option<u64> {
        let dollars = self.0.get(key)?.as_f64().filter(|dollars| *dollars >= 0.0)?;
        Some((dollars * 1e6).round() as u64)
    }

    pub(super) fn object(self, key: &str) -> Option<Fields<'a>> {
        self.0.get(key)?.as_object().map(Fields)
    }

    /// The objects of a list.
    pub(super) fn objects(self, key: &str) -> impl Iterator<Item = Fields<'a>> {
        self.items(key).filter_map(|item| item.as_object().map(Fields))
    }

    /// The texts of a list.
    pub(super) fn texts(self, key: &str) -> impl Iterator<Item = &'a str> {
        self.items(key).filter_map(Value::as_str)
    }

    fn items(self, key: &str) -> impl Iterator<Item = &'a Value> {
        self.0.get(key).and_then(Value::as_array).into_iter().flatten()
    }
}
