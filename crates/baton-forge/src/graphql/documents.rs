//! Reading documents: parsed, validated, and remembered, since clients send the same few again and again.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use apollo_compiler::validation::{Valid, WithErrors};
use apollo_compiler::{ExecutableDocument, Schema};
use serde_json::{Value, json};

use crate::sync::lock;

/// An engine sends a few dozen documents; what was not sent for longest goes first.
const REMEMBERED_MAX: usize = 64;
/// A document that is larger than this is not worth the memory.
const REMEMBERED_BYTES_MAX: usize = 64 * 1024;

type Known = (String, Arc<Valid<ExecutableDocument>>);

static KNOWN: Mutex<VecDeque<Known>> = Mutex::new(VecDeque::new());

pub(super) fn read(schema: &Valid<Schema>, text: &str) -> Result<Arc<Valid<ExecutableDocument>>, Vec<Value>> {
    if let Some(known) = recall(text) {
        return Ok(known);
    }
    let document = match ExecutableDocument::parse_and_validate(schema, text, "query.graphql") {
        Ok(document) => document,
        Err(refused) if is_only_overlapping(&refused) => Valid::assume_valid(refused.partial),
        Err(refused) => return Err(refused.errors.iter().map(|found| complaint(&found.to_json())).collect()),
    };
    let document = Arc::new(document);
    remember(text, &document);
    Ok(document)
}

/// GitHub does not ask that fields of the same name can be merged, and `gh` sends some that cannot.
fn is_only_overlapping(refused: &WithErrors<ExecutableDocument>) -> bool {
    refused.errors.iter().all(|found| {
        found.error.unstable_error_name().is_some_and(|name| name.starts_with("ConflictingField"))
    })
}

fn complaint(error: &apollo_compiler::response::GraphQLError) -> Value {
    json!({ "message": error.message, "locations": error.locations, "extensions": { "code": "undefinedField" } })
}

fn recall(text: &str) -> Option<Arc<Valid<ExecutableDocument>>> {
    let mut known = lock(&KNOWN);
    let at = known.iter().position(|(sent, _)| sent == text)?;
    let found = known.remove(at)?;
    let document = Arc::clone(&found.1);
    known.push_back(found);
    Some(document)
}

fn remember(text: &str, document: &Arc<Valid<ExecutableDocument>>) {
    if text.len() > REMEMBERED_BYTES_MAX {
        return;
    }
    let mut known = lock(&KNOWN);
    if known.len() >= REMEMBERED_MAX {
        known.pop_front();
    }
    known.push_back((text.to_owned(), Arc::clone(document)));
}
