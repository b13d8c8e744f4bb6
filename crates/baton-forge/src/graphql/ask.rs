//! One field as it was asked for: its name and its arguments, already checked against the schema.

use apollo_compiler::Name;
use apollo_compiler::resolvers::ResolveInfo;
use apollo_compiler::response::{JsonMap, JsonValue};

pub(crate) struct Ask<'a> {
    info: &'a ResolveInfo<'a>,
}

impl<'a> Ask<'a> {
    pub(super) fn new(info: &'a ResolveInfo<'a>) -> Self {
        Self { info }
    }

    pub(crate) fn name(&self) -> &'a str {
        self.info.field_name()
    }

    /// Under which key the answer stands: the alias, if there is one.
    pub(crate) fn response_key(&self) -> Option<&'a Name> {
        self.info.field_selections().first().map(|selected| selected.response_key())
    }

    fn argument(&self, name: &str) -> Option<&'a JsonValue> {
        self.info.arguments().get(name).filter(|value| !value.is_null())
    }

    pub(crate) fn str(&self, name: &str) -> Option<&'a str> {
        self.argument(name)?.as_str()
    }

    pub(crate) fn i64(&self, name: &str) -> Option<i64> {
        self.argument(name)?.as_i64()
    }

    pub(crate) fn bool(&self, name: &str) -> Option<bool> {
        self.argument(name)?.as_bool()
    }

    pub(crate) fn strings(&self, name: &str) -> Option<Vec<&'a str>> {
        Some(texts(self.argument(name)?))
    }

    /// An argument that is an input object, such as a mutation's `input`.
    pub(crate) fn object(&self, name: &str) -> Option<&'a JsonMap> {
        self.argument(name)?.as_object()
    }

    /// Returns whether a field of an input object is null because it is a variable that was not given. The executor makes
    /// null of it; the client has said nothing.
    pub(crate) fn is_unsaid(&self, argument: &str, field: &str) -> bool {
        let selected = self.info.field_selections().first();
        let literal = selected.and_then(|selected| selected.argument_by_name(argument).ok()?.as_object());
        let value = literal.and_then(|fields| fields.iter().find(|(name, _)| name == field));
        value.is_some_and(|(_, value)| value.as_variable().is_some())
    }
}

/// A list of texts. One alone counts as a list of one, as GraphQL has it.
fn texts(value: &JsonValue) -> Vec<&str> {
    match value.as_array() {
        Some(list) => list.iter().filter_map(|value| value.as_str()).collect(),
        None => value.as_str().into_iter().collect(),
    }
}

/// Fields of an input object, by name; null counts as absent.
pub(crate) trait Input {
    fn text(&self, name: &str) -> Option<&str>;
    fn number(&self, name: &str) -> Option<i64>;
    fn flag(&self, name: &str) -> Option<bool>;
    fn texts(&self, name: &str) -> Option<Vec<&str>>;
    fn inner(&self, name: &str) -> Option<&JsonMap>;
}

impl Input for JsonMap {
    fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }

    fn number(&self, name: &str) -> Option<i64> {
        self.get(name)?.as_i64()
    }

    fn flag(&self, name: &str) -> Option<bool> {
        self.get(name)?.as_bool()
    }

    fn texts(&self, name: &str) -> Option<Vec<&str>> {
        self.get(name).filter(|value| !value.is_null()).map(texts)
    }

    fn inner(&self, name: &str) -> Option<&JsonMap> {
        self.get(name)?.as_object()
    }
}
