//! Fields of a JSON object, read with patience: what is missing or of another kind is nothing.

use super::lean::{Lean, Object};

/// A JSON object.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields<'a>(pub(super) &'a Object<'a>);

impl<'a> Fields<'a> {
    /// A text that is not empty.
    pub(super) fn text(self, key: &str) -> Option<&'a str> {
        match self.0.get(key)? {
            Lean::Text(text) if !text.is_empty() => Some(text),
            _ => None,
        }
    }

    pub(super) fn flag(self, key: &str) -> Option<bool> {
        match self.0.get(key)? {
            Lean::Flag(flag) => Some(*flag),
            _ => None,
        }
    }

    /// A number that is not negative; a fraction is cut off.
    pub(super) fn number(self, key: &str) -> Option<u64> {
        match self.0.get(key)? {
            Lean::Whole(number) => Some(*number),
            Lean::Number(number) if *number >= 0.0 => Some(*number as u64),
            _ => None,
        }
    }

    /// A status of HTTP.
    pub(super) fn status(self, key: &str) -> Option<u16> {
        self.number(key).and_then(|status| status.try_into().ok()).filter(|status| *status > 0)
    }

    /// An amount of US dollars in millionths.
    pub(super) fn micros(self, key: &str) -> Option<u64> {
        let dollars = match self.0.get(key)? {
            Lean::Whole(dollars) => *dollars as f64,
            Lean::Number(dollars) => *dollars,
            _ => return None,
        };
        (dollars >= 0.0).then(|| (dollars * 1e6).round() as u64)
    }

    pub(super) fn object(self, key: &str) -> Option<Fields<'a>> {
        as_object(self.0.get(key)?)
    }

    /// The objects of a list.
    pub(super) fn objects(self, key: &str) -> impl Iterator<Item = Fields<'a>> {
        self.items(key).filter_map(as_object)
    }

    /// The texts of a list.
    pub(super) fn texts(self, key: &str) -> impl Iterator<Item = &'a str> {
        self.items(key).filter_map(|item| match item {
            Lean::Text(text) => Some(text.as_ref()),
            _ => None,
        })
    }

    fn items(self, key: &str) -> impl Iterator<Item = &'a Lean<'a>> {
        let items = match self.0.get(key) {
            Some(Lean::List(items)) => items.as_slice(),
            _ => &[],
        };
        items.iter()
    }
}

fn as_object<'a>(value: &'a Lean<'a>) -> Option<Fields<'a>> {
    match value {
        Lean::Object(object) => Some(Fields(object)),
        _ => None,
    }
}
