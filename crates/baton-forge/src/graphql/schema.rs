//! The schema, parsed once.

use std::sync::OnceLock;

use apollo_compiler::Name;
use apollo_compiler::Schema;
use apollo_compiler::collections::HashMap;
use apollo_compiler::schema::Implementers;
use apollo_compiler::validation::Valid;

/// One file for each group of nouns; later ones extend the types of earlier ones.
pub(crate) const SOURCES: [(&str, &str); 9] = [
    ("ground.graphql", include_str!("schema/ground.graphql")),
    ("issues.graphql", include_str!("schema/issues.graphql")),
    ("comments.graphql", include_str!("schema/comments.graphql")),
    ("timeline.graphql", include_str!("schema/timeline.graphql")),
    ("changes.graphql", include_str!("schema/changes.graphql")),
    ("pulls.graphql", include_str!("schema/pulls.graphql")),
    ("common.graphql", include_str!("schema/common.graphql")),
    ("checks.graphql", include_str!("schema/checks.graphql")),
    ("projects.graphql", include_str!("schema/projects.graphql")),
];

/// The whole schema as one text.
pub(crate) fn text() -> String {
    SOURCES.iter().map(|(_, text)| *text).collect::<Vec<_>>().join("\n")
}

pub(crate) fn schema() -> &'static Valid<Schema> {
    static SCHEMA: OnceLock<Valid<Schema>> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let built =
            SOURCES.iter().fold(Schema::builder(), |builder, (name, text)| builder.parse(*text, name));
        let validated = built.build().and_then(Schema::validate);
        validated.unwrap_or_else(|broken| panic!("the schema in this binary is broken:\n{}", broken.errors))
    })
}

pub(crate) fn implementers() -> &'static HashMap<Name, Implementers> {
    static IMPLEMENTERS: OnceLock<HashMap<Name, Implementers>> = OnceLock::new();
    IMPLEMENTERS.get_or_init(|| schema().implementers_map())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_valid() {
        assert!(schema().get_object("Query").is_some());
    }
}
