//! The weight of a document, counted as GitHub counts it.
//!
//! Every connection must say how many entries it wants, at most a hundred. Each is one request for each entry of the
//! connections around it; a hundred requests are a point, and a call costs at least one. The entries of all connections
//! together are its nodes, of which there may be half a million.

use apollo_compiler::ExecutableDocument;
use apollo_compiler::executable::{Field, Operation, Selection, SelectionSet};
use apollo_compiler::response::JsonMap;

use super::error::GraphError;

const PAGE_MAX: i64 = 100;
const NODES_MAX: i64 = 500_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Cost {
    pub(crate) points: i64,
    pub(crate) nodes: i64,
}

#[derive(Default)]
struct Count {
    requests: i64,
    nodes: i64,
}

pub(super) fn weigh(
    document: &ExecutableDocument,
    operation: &Operation,
    variables: &JsonMap,
) -> Result<Cost, GraphError> {
    let mut count = Count::default();
    walk(document, &operation.selection_set, variables, 1, &mut count)?;
    if count.nodes > NODES_MAX {
        let message = format!(
            "This query requests up to {} possible nodes which exceeds the maximum limit of 500,000.",
            count.nodes
        );
        return Err(GraphError::new("MAX_NODE_LIMIT_EXCEEDED", message));
    }
    Ok(Cost { points: ((count.requests + 50) / 100).max(1), nodes: count.nodes })
}

fn walk(
    document: &ExecutableDocument,
    set: &SelectionSet,
    variables: &JsonMap,
    around: i64,
    count: &mut Count,
) -> Result<(), GraphError> {
    for selection in &set.selections {
        match selection {
            Selection::Field(field) => {
                let inside = match page_size(field, variables)? {
                    None => around,
                    Some(size) => {
                        count.requests = count.requests.saturating_add(around);
                        let inside = around.saturating_mul(size);
                        count.nodes = count.nodes.saturating_add(inside);
                        inside
                    }
                };
                walk(document, &field.selection_set, variables, inside, count)?;
            }
            Selection::InlineFragment(fragment) => {
                walk(document, &fragment.selection_set, variables, around, count)?;
            }
            Selection::FragmentSpread(spread) => {
                if let Some(fragment) = document.fragments.get(&spread.fragment_name) {
                    walk(document, &fragment.selection_set, variables, around, count)?;
                }
            }
        }
    }
    Ok(())
}

/// How many entries a field asks for, if it is a connection.
fn page_size(field: &Field, variables: &JsonMap) -> Result<Option<i64>, GraphError> {
    if !field.definition.ty.inner_named_type().ends_with("Connection") {
        return Ok(None);
    }
    let asked = ["first", "last"]
        .into_iter()
        .find_map(|name| number(field, name, variables).map(|size| (name, size)));
    match asked {
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
        Some((_, size)) => Ok(Some(size.max(0))),
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
