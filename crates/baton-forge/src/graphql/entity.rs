//! One object of the schema: what every type here implements, and how it becomes a value of the executor.

use apollo_compiler::resolvers::{FieldError, ObjectValue, ResolveInfo, ResolvedValue};
use apollo_compiler::response::JsonValue;

use super::ask::Ask;
use super::context::Context;
use super::error::GraphError;

pub(crate) type Answer<'a> = Result<ResolvedValue<'a>, GraphError>;

/// An object of the schema over rows that it owns.
pub(crate) trait Entity {
    /// Its concrete type's name.
    fn type_name(&self) -> &'static str;

    /// Answers one of its fields. A field that the schema has and this does not know is a fault of this program.
    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a>;

    /// Answers what stands on the edge to it instead of on itself, such as since when it is there.
    fn edge_field<'a>(&'a self, _: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        unknown("an edge", ask)
    }
}

impl<E: Entity + ?Sized> Entity for Box<E> {
    fn type_name(&self) -> &'static str {
        (**self).type_name()
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        (**self).field(context, ask)
    }

    fn edge_field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        (**self).edge_field(context, ask)
    }
}

/// An entity with what it reads from.
pub(crate) struct Bound<'a, E> {
    context: &'a Context<'a>,
    entity: E,
}

impl<'a, E: Entity> Bound<'a, E> {
    pub(crate) fn new(context: &'a Context<'a>, entity: E) -> Self {
        Self { context, entity }
    }
}

impl<E: Entity> ObjectValue for Bound<'_, E> {
    fn type_name(&self) -> &str {
        self.entity.type_name()
    }

    fn resolve_field<'a>(&'a self, info: &'a ResolveInfo<'a>) -> Result<ResolvedValue<'a>, FieldError> {
        let answer = self.entity.field(self.context, &Ask::new(info))?;
        if let ResolvedValue::Leaf(JsonValue::String(text)) = &answer {
            self.context.spend(text.as_str().len())?;
        }
        Ok(answer)
    }
}

/// A scalar or an enum's value.
pub(crate) fn leaf<'a>(value: impl Into<JsonValue>) -> Answer<'a> {
    Ok(ResolvedValue::leaf(value))
}

/// A scalar that may be absent.
pub(crate) fn optional<'a, T: Into<JsonValue>>(value: Option<T>) -> Answer<'a> {
    Ok(value.map_or_else(ResolvedValue::null, ResolvedValue::leaf))
}

pub(crate) fn null<'a>() -> Answer<'a> {
    Ok(ResolvedValue::null())
}

pub(crate) fn object<'a>(context: &'a Context<'a>, entity: impl Entity + 'a) -> Answer<'a> {
    Ok(ResolvedValue::object(Bound::new(context, entity)))
}

pub(crate) fn maybe_object<'a>(context: &'a Context<'a>, entity: Option<impl Entity + 'a>) -> Answer<'a> {
    entity.map_or_else(null, |entity| object(context, entity))
}

/// A list of objects (not a connection).
pub(crate) fn objects<'a, E: Entity + 'a>(
    context: &'a Context<'a>,
    entities: impl IntoIterator<Item = E, IntoIter: 'a>,
) -> Answer<'a> {
    Ok(ResolvedValue::list(
        entities.into_iter().map(move |entity| ResolvedValue::object(Bound::new(context, entity))),
    ))
}

/// What an entity says about a field that it does not know.
pub(crate) fn unknown<'a>(entity: &'static str, ask: &Ask<'a>) -> Answer<'a> {
    Err(GraphError::new("INTERNAL", format!("no answer for {entity}.{}", ask.name())))
}
