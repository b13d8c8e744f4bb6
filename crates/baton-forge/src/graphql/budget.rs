//! What a call takes from its token's budget: the points of its weight, before anything is carried out.
//!
//! A call that only asks for its own price (`rateLimit(dryRun: true)`) is weighed and told, and neither charged nor
//! carried out. A document that is refused before it is weighed costs nothing.

use apollo_compiler::Node;
use apollo_compiler::executable::{Field, Operation, Selection};
use apollo_compiler::response::JsonMap;

use super::cost::Cost;
use super::error::GraphError;
use crate::http::call::Call;
use crate::http::rate::Resource;

pub(super) fn charge(call: &Call, cost: Cost) -> Result<(), GraphError> {
    let viewer = call.viewer.as_ref();
    let key = (viewer.map_or(0, |viewer| viewer.token.id), Resource::Graphql);
    let limit = call.forge.limit(Resource::Graphql, viewer.is_some());
    let points = u64::try_from(cost.points).unwrap_or(u64::MAX);
    match call.forge.rates.take_points(key, limit, call.now, points) {
        Ok(_) => Ok(()),
        Err(_) => {
            let whom = viewer.map_or(0, |viewer| viewer.account.id);
            let message = format!("API rate limit exceeded for user ID {whom}.");
            Err(GraphError::new("RATE_LIMITED", message))
        }
    }
}

/// The operation without anything but its question for the price, if it asks for no more than that.
pub(super) fn dry_run(operation: &Node<Operation>, variables: &JsonMap) -> Option<Node<Operation>> {
    let asks = |selection: &Selection| match selection {
        Selection::Field(field) => is_dry(field, variables),
        _ => false,
    };
    if !operation.selection_set.selections.iter().any(asks) {
        return None;
    }
    let mut dry = operation.clone();
    dry.make_mut().selection_set.selections.retain(asks);
    Some(dry)
}

fn is_dry(field: &Field, variables: &JsonMap) -> bool {
    if field.name != "rateLimit" {
        return false;
    }
    let Ok(value) = field.argument_by_name("dryRun") else { return false };
    match value.as_variable() {
        Some(name) => variables.get(name.as_str()).and_then(|value| value.as_bool()).unwrap_or(false),
        None => value.to_bool().unwrap_or(false),
    }
}
