//! The weight of a document, counted as GitHub counts it.
//!
//! Every connection must say how many entries it wants, at most a hundred. Each is one request for each entry of the
//! connections around it; a hundred requests are a point, and a call costs at least one. The entries of all connections
//! together are its nodes, of which there may be half a million. A connection of which only the count is asked for
//! needs no number.
//!
//! Fragments let a short document stand for a very large one, so the fields that it stands for are counted too, and how
//! deep they lie.

use apollo_compiler::ExecutableDocument;
use apollo_compiler::executable::{Field, Operation, Selection, SelectionSet};
use apollo_compiler::response::JsonMap;

use super::error::GraphError;

const PAGE_MAX: i64 = 100;
const NODES_MAX: i64 = 500_000;
/// Ids that one call may ask for by name.
const IDS_MAX: i64 = 100;
/// Fields of a document with its fragments written out.
const FIELDS_MAX: usize = 30_000;
/// Answers to those fields, each as often as its connections let it be asked for.
const ANSWERS_MAX: i64 = 5_000_000;
/// Fields inside of fields, which are answered by functions that call each other.
const LEVELS_MAX: usize = 60;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Cost {
    pub(crate) points: i64,
    pub(crate) nodes: i64,
}

struct Walk<'d> {
    document: &'d ExecutableDocument,
    variables: &'d JsonMap,
    requests: i64,
    nodes: i64,
    fields: usize,
    answers: i64,
}

pub(super) fn weigh(
    document: &ExecutableDocument,
    operation: &Operation,
    variables: &JsonMap,
) -> Result<Cost, GraphError> {
    let mut walk = Walk { document, variables, requests: 0, nodes: 0, fields: 0, answers: 0 };
    walk.visit(&operation.selection_set, 1, 0)?;
    if walk.nodes > NODES_MAX {
        let message = format!(
            "This query requests up to {} possible nodes which exceeds the maximum limit of 500,000.",
            walk.nodes
        );
        return Err(GraphError::new("MAX_NODE_LIMIT_EXCEEDED", message));
    }
    Ok(Cost { points: (walk.requests.saturating_add(50) / 100).max(1), nodes: walk.nodes })
}

impl Walk<'_> {
    /// Counts a set of fields that is asked for `around` times.
    fn visit(&mut self, set: &SelectionSet, around: i64, level: usize) -> Result<(), GraphError> {
        if level > LEVELS_MAX {
            return Err(GraphError::new("MAX_DEPTH_EXCEEDED", "The query nests too deeply."));
        }
        for selection in &set.selections {
            self.fields += 1;
            self.answers = self.answers.saturating_add(around);
            if self.fields > FIELDS_MAX || self.answers > ANSWERS_MAX {
                return Err(GraphError::new(
                    "MAX_COMPLEXITY_EXCEEDED",
                    "The query asks for too many fields.",
                ));
            }
            match selection {
                Selection::Field(field) => {
                    let inside = self.field(field, around)?;
                    self.visit(&field.selection_set, inside, level + 1)?;
                }
                Selection::InlineFragment(fragment) => {
                    self.visit(&fragment.selection_set, around, level + 1)?;
                }
                Selection::FragmentSpread(spread) => {
                    if let Some(fragment) = self.document.fragments.get(&spread.fragment_name) {
                        self.visit(&fragment.selection_set, around, level + 1)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Counts one field; returns how often what is inside of it is asked for.
    fn field(&mut self, field: &Field, around: i64) -> Result<i64, GraphError> {
        if field.name == "nodes" && field.argument_by_name("ids").is_ok() {
            return Ok(around.saturating_mul(self.ids(field)?));
        }
        let Some(size) = self.page_size(field)? else { return Ok(around) };
        self.requests = self.requests.saturating_add(around);
        let inside = around.saturating_mul(size);
        self.nodes = self.nodes.saturating_add(inside);
        Ok(inside)
    }

    /// How many ids `nodes` is asked for.
    fn ids(&self, field: &Field) -> Result<i64, GraphError> {
        let count = match field.argument_by_name("ids").map(|value| (value.as_variable(), value.as_list())) {
            Ok((Some(name), _)) => {
                let list = self.variables.get(name.as_str()).and_then(|value| value.as_array());
                list.map_or(1, Vec::len)
            }
            Ok((_, Some(list))) => list.len(),
            _ => 1,
        };
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        match count > IDS_MAX {
            true => Err(GraphError::new(
                "ARGUMENT_LIMIT",
                format!("You may not provide more than {IDS_MAX} node ids; you provided {count}."),
            )),
            false => Ok(count.max(1)),
        }
    }

    /// How many entries a field asks for, if it is a connection.
    fn page_size(&self, field: &Field) -> Result<Option<i64>, GraphError> {
        if !field.definition.ty.inner_named_type().ends_with("Connection") {
            return Ok(None);
        }
        let asked = ["first", "last"]
            .into_iter()
            .find_map(|name| number(field, name, self.variables).map(|size| (name, size)));
        match asked {
            None if !self.shows_entries(field) => Ok(Some(0)),
            None => Err(GraphError::new(
                "MISSING_PAGINATION_BOUNDARIES",
                format!(
                    "You must provide a `first` or `last` value to properly paginate the `{}` connection.",
                    field.name
                ),
            )),
            Some((name, size)) if size > PAGE_MAX => Err(GraphError::new(
                "EXCESSIVE_PAGINATION",
                format!(
                    "Requesting {size} records on the `{}` connection exceeds the `{name}` limit of {PAGE_MAX} records.",
                    field.name
                ),
            )),
            Some((name, size)) if size < 0 => Err(GraphError::new(
                "INVALID_PAGINATION",
                format!("`{name}` on the `{}` connection cannot be less than zero.", field.name),
            )),
            Some((_, size)) => Ok(Some(size)),
        }
    }

    fn shows_entries(&self, field: &Field) -> bool {
        let mut inside = field.selection_set.all_fields(self.document);
        inside.any(|field| field.name == "nodes" || field.name == "edges")
    }
}

fn number(field: &Field, name: &str, variables: &JsonMap) -> Option<i64> {
    let value = match field.argument_by_name(name) {
        Ok(value) => value,
        Err(_) => {
            return field.definition.argument_by_name(name)?.default_value.as_ref()?.to_i32().map(i64::from);
        }
    };
    match value.as_variable() {
        Some(variable) => variables.get(variable.as_str())?.as_i64(),
        None => value.to_i32().map(i64::from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use apollo_compiler::Schema;

    /// Enough of a schema for the examples that GitHub documents its rule with.
    const SCHEMA: &str = "
        type Query { viewer: User, nodes(ids: [ID!]!): [User] }
        type User { repositories(first: Int, last: Int): RepositoryConnection, followers(first: Int): UserConnection, id: ID }
        type UserConnection { nodes: [User], totalCount: Int }
        type RepositoryConnection { edges: [RepositoryEdge], nodes: [Repository], totalCount: Int }
        type RepositoryEdge { node: Repository }
        type Repository { name: String, pullRequests(first: Int, last: Int): ThingConnection, issues(first: Int, last: Int): ThingConnection }
        type ThingConnection { edges: [ThingEdge], nodes: [Thing], totalCount: Int }
        type ThingEdge { node: Thing }
        type Thing { title: String, comments(first: Int, last: Int): ThingConnection, labels(first: Int): ThingConnection }";

    fn weighed(query: &str, variables: &str) -> Result<(i64, i64), &'static str> {
        let schema = Schema::parse_and_validate(SCHEMA, "schema.graphql").unwrap();
        let document = ExecutableDocument::parse_and_validate(&schema, query, "query.graphql").unwrap();
        let operation = document.operations.get(None).unwrap();
        let variables: JsonMap = serde_json::from_str(variables).unwrap();
        weigh(&document, operation, &variables)
            .map(|cost| (cost.points, cost.nodes))
            .map_err(|error| error.kind)
    }

    #[test]
    fn the_examples_of_githubs_documentation_cost_what_it_says() {
        let check =
            |query: &str, points, nodes| assert_eq!(weighed(query, "{}"), Ok((points, nodes)), "{query}");
        // 1 + 100 + 100 × 50 = 5,101 requests.
        check(
            "{ viewer { repositories(first: 100) { edges { node { name issues(first: 50) { edges { node { title
               labels(first: 60) { edges { node { title } } } } } } } } } } }",
            51,
            100 + 100 * 50 + 100 * 50 * 60,
        );
        // 50 + 50 × 20 + 50 × 20 × 10 twice, and 10 = 22,060 nodes.
        check(
            "{ viewer { repositories(first: 50) { edges { node { name
               pullRequests(first: 20) { edges { node { title comments(last: 10) { edges { node { title } } } } } }
               issues(first: 20) { edges { node { title comments(last: 10) { edges { node { title } } } } } } } } }
               followers(first: 10) { nodes { id } } } }",
            21,
            22_060,
        );
        check(
            "{ viewer { repositories(first: 50) { nodes { issues(first: 10) { nodes { title } } } } } }",
            1,
            550,
        );
    }

    #[test]
    fn every_call_costs_a_point_and_aliases_count_each() {
        assert_eq!(weighed("{ viewer { id } }", "{}"), Ok((1, 0)));
        assert_eq!(weighed("{ viewer { repositories(first: 100) { nodes { name } } } }", "{}"), Ok((1, 100)));
        let aliases: String =
            (0..250).map(|at| format!("a{at}: repositories(first: 1) {{ nodes {{ name }} }} ")).collect();
        assert_eq!(weighed(&format!("{{ viewer {{ {aliases} }} }}"), "{}"), Ok((3, 250)));
    }

    #[test]
    fn a_connection_says_how_many_unless_only_its_count_is_asked_for() {
        let ask = |arguments: &str, inside: &str| {
            weighed(&format!("{{ viewer {{ repositories{arguments} {{ {inside} }} }} }}"), "{}")
        };
        assert_eq!(ask("", "totalCount"), Ok((1, 0)));
        assert_eq!(ask("", "nodes { name }"), Err("MISSING_PAGINATION_BOUNDARIES"));
        assert_eq!(ask("(first: 101)", "nodes { name }"), Err("EXCESSIVE_PAGINATION"));
        assert_eq!(ask("(last: -1)", "nodes { name }"), Err("INVALID_PAGINATION"));
    }

    #[test]
    fn numbers_and_ids_are_read_from_variables() {
        let query = "query($n: Int, $ids: [ID!]!) { nodes(ids: $ids) { repositories(first: $n) { nodes { name } } } }";
        assert_eq!(weighed(query, r#"{ "n": 5, "ids": ["a", "b", "c"] }"#), Ok((1, 15)));
        let many = serde_json::json!({ "n": 5, "ids": vec!["a"; 101] });
        assert_eq!(weighed(query, &many.to_string()), Err("ARGUMENT_LIMIT"));
    }

    #[test]
    fn what_stands_for_too_much_is_refused() {
        let wide = "{ viewer { repositories(first: 100) { nodes { issues(first: 100) { nodes { comments(first: 100) { nodes { title } } } } } } } }";
        assert_eq!(weighed(wide, "{}"), Err("MAX_NODE_LIMIT_EXCEEDED"));
        let doubling: String = (0..40)
            .map(|at| format!("fragment F{at} on User {{ ...F{next} ...F{next} id }} ", next = at + 1))
            .collect();
        let bomb = format!("{{ viewer {{ ...F0 }} }} {doubling} fragment F40 on User {{ id }}");
        assert_eq!(weighed(&bomb, "{}"), Err("MAX_COMPLEXITY_EXCEEDED"));
    }
}
