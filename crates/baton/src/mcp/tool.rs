//! What a tool is: a name, words that a model can act on, the shapes of what goes in and out, and a call.
//!
//! Deliberately absent: the protocol, and what any tool does.

use std::sync::Arc;

use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool as Listed, ToolAnnotations};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::session::Session;
use crate::command_error::CommandError;

/// What a tool does to the world, for clients that ask people first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner {
    /// It changes nothing.
    pub(super) is_read_only: bool,
    /// Twice is the same as once.
    pub(super) is_idempotent: bool,
}

impl Manner {
    pub(super) const READS: Self = Self { is_read_only: true, is_idempotent: true };
    pub(super) const WRITES: Self = Self { is_read_only: false, is_idempotent: false };
    pub(super) const WRITES_ONCE: Self = Self { is_read_only: false, is_idempotent: true };
}

/// A tool.
pub(super) trait Tool: 'static {
    /// What it is called.
    const NAME: &'static str;
    /// What people read.
    const TITLE: &'static str;
    /// What models read: when to call it, and what the outcomes mean.
    const DESCRIPTION: &'static str;
    /// What it does to the world.
    const MANNER: Manner;
    /// What is to be done when it is not known what became of a call.
    const WHEN_UNCLEAR: &'static str;
    /// What goes in.
    type Input: DeserializeOwned + JsonSchema;
    /// What comes out.
    type Output: Serialize + JsonSchema;

    /// Does it. May block.
    fn call(session: &Session, input: Self::Input) -> Result<Told<Self::Output>, Trouble>;
}

/// An answer: for programs, and as a sentence.
pub(super) struct Told<T> {
    pub(super) shape: T,
    pub(super) words: String,
}

/// Why a call was not carried out.
#[derive(Debug)]
pub(super) enum Trouble {
    /// An argument cannot be meant as it is. Nothing was done.
    Argument {
        /// Which.
        name: String,
        /// What is wrong, and what is allowed.
        why: String,
    },
    /// It came to what a command would have ended with.
    Command(CommandError),
}

impl Trouble {
    pub(super) fn argument(name: &str, why: impl ToString) -> Self {
        Self::Argument { name: name.to_owned(), why: why.to_string() }
    }
}

impl<E: Into<CommandError>> From<E> for Trouble {
    fn from(error: E) -> Self {
        Self::Command(error.into())
    }
}

/// A tool as the server keeps it.
pub(super) struct Entry {
    /// What clients are shown.
    pub(super) listed: Listed,
    /// Calls it with arguments that nobody has looked at.
    pub(super) call: fn(&Session, JsonObject) -> CallToolResult,
}

impl Entry {
    pub(super) fn of<T: Tool>() -> Self {
        let annotations = ToolAnnotations::with_title(T::TITLE)
            .read_only(T::MANNER.is_read_only)
            .destructive(false)
            .idempotent(T::MANNER.is_idempotent)
            .open_world(true);
        let input = schema::<T::Input>(SchemaSettings::draft2020_12());
        let output = schema::<T::Output>(SchemaSettings::draft2020_12().for_serialize());
        let listed = Listed::new(T::NAME, T::DESCRIPTION, Arc::new(input))
            .with_title(T::TITLE)
            .with_raw_output_schema(Arc::new(output))
            .with_annotations(annotations);
        Self { listed, call: answer::<T> }
    }
}

/// What a type looks like. Its name and its own description are of no use to a client, which has the tool's.
fn schema<T: JsonSchema>(settings: SchemaSettings) -> JsonObject {
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut object = match schema.to_value() {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    };
    object.remove("title");
    object.remove("description");
    object
}

fn answer<T: Tool>(session: &Session, arguments: JsonObject) -> CallToolResult {
    let told = read::<T::Input>(arguments).and_then(|input| T::call(session, input));
    let shaped = told.and_then(|told| match serde_json::to_value(&told.shape) {
        Ok(shape) => Ok((shape, told.words)),
        Err(error) => Err(Trouble::from(CommandError::OutOfReach(error.to_string()))),
    });
    match shaped {
        Ok((shape, words)) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(session.redacted(&words))]);
            result.structured_content = Some(session.redacted_value(shape));
            result
        }
        Err(trouble) => {
            let words = session.redacted(&words::<T>(&trouble));
            CallToolResult::error(vec![ContentBlock::text(words)])
        }
    }
}

fn read<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, Trouble> {
    serde_path_to_error::deserialize(Value::Object(arguments)).map_err(|error| {
        let path = error.path().to_string();
        let name = if path == "." { "arguments".to_owned() } else { path };
        Trouble::Argument { name, why: error.into_inner().to_string() }
    })
}

/// Says what was tried, what came back, and what to do.
fn words<T: Tool>(trouble: &Trouble) -> String {
    let tool = T::NAME;
    match trouble {
        Trouble::Argument { name, why } => {
            format!(
                "{tool}: the argument `{name}` cannot be used: {why}. Nothing was done; correct it and call again."
            )
        }
        Trouble::Command(CommandError::OutOfReach(why)) => {
            format!("{tool} was tried and could not be carried out: {why}. {}", T::WHEN_UNCLEAR)
        }
        Trouble::Command(CommandError::No(why)) => format!("{tool}: {why}."),
        Trouble::Command(CommandError::Usage(why)) => {
            format!("{tool}: {why}. Nothing was done; a person has to put the configuration right.")
        }
        Trouble::Command(CommandError::Said | CommandError::SaidWith(_)) => {
            format!("{tool}: the answer is no.")
        }
    }
}
