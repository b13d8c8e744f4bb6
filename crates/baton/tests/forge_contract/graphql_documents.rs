//! The documents that the GitHub client sends, against GitHub's published schema and against the forge's.

use apollo_compiler::validation::Valid;
use apollo_compiler::{ExecutableDocument, Schema};
use baton_github::Document;

/// Reads a schema.
pub(crate) fn schema(text: &str) -> Valid<Schema> {
    Schema::parse_and_validate(text, "schema.graphql")
        .unwrap_or_else(|broken| panic!("the schema is broken:\n{}", broken.errors))
}

/// Returns what is wrong with a document by a schema, if anything is.
pub(crate) fn fault(schema: &Valid<Schema>, document: &Document) -> Option<String> {
    let checked = ExecutableDocument::parse_and_validate(schema, document.text, document.name);
    checked.err().map(|broken| format!("{}:\n{}", document.name, broken.errors))
}
