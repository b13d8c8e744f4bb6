//! GraphQL: the queries and mutations that engines and `gh` use, on a subset of GitHub's published schema.
//!
//! The schema is written in GraphQL's own language (`schema/*.graphql`), parsed once, and compared with GitHub's by a test.
//! A document is parsed and validated against it, weighed ([`cost`]) and executed field by field: each type is an
//! [`entity::Entity`] over rows, read from one snapshot. A mutation is carried out by the REST endpoint that does the same
//! ([`mutation`]), so that rules, events and webhooks exist once; its payload is then read back like a query.
//!
//! Deliberately absent: subscriptions, which GitHub has none of, and the rule that fields of the same name must be
//! mergeable, which GitHub does not apply and `gh` breaks.

pub(crate) mod actor;
pub(crate) mod ask;
pub(crate) mod check;
pub(crate) mod connection;
pub(crate) mod context;
pub(crate) mod cost;
pub(crate) mod documents;
pub(crate) mod entity;
pub(crate) mod error;
pub(crate) mod ids;
pub(crate) mod issue;
pub(crate) mod label;
pub(crate) mod merge_status;
pub(crate) mod mutation;
pub(crate) mod protection_rule;
pub(crate) mod pull_request;
pub(crate) mod query;
pub(crate) mod repository;
pub(crate) mod schema;
pub(crate) mod status;

use apollo_compiler::ExecutableDocument;
use apollo_compiler::ast::OperationType;
use apollo_compiler::executable::Operation;
use apollo_compiler::request::coerce_variable_values;
use apollo_compiler::resolvers::Execution;
use apollo_compiler::response::{ExecutionResponse, JsonMap};
use apollo_compiler::validation::Valid;
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::reply::{ApiResult, Reply};
use context::Context;
use entity::Bound;
use error::GraphError;

/// A request as clients send it.
#[derive(serde::Deserialize)]
struct Request {
    query: String,
    #[serde(default)]
    variables: Option<JsonMap>,
    #[serde(default, rename = "operationName")]
    operation_name: Option<String>,
}

/// Answers one request. What is wrong inside it is told in GraphQL's way, with status 200.
pub(crate) fn serve(call: &Call) -> ApiResult {
    let request: Request = serde_json::from_slice(&call.body)
        .map_err(|_| ApiError::bad_request("A query attribute must be specified and must be a string."))?;
    match answer(call, &request) {
        Ok(response) => Reply::ok(&finished(response)),
        Err(refusals) => Reply::ok(&json!({ "errors": refusals })),
    }
}

fn answer(call: &Call, request: &Request) -> Result<ExecutionResponse, Vec<Value>> {
    let refused = |error: GraphError| vec![error.json()];
    let schema = schema::schema();
    let document = documents::read(schema, &request.query)?;
    let operation = document.operations.get(request.operation_name.as_deref());
    let operation = operation.map_err(|error| vec![json!({ "message": error.message().to_string() })])?;
    let none = JsonMap::new();
    let variables = coerce_variable_values(schema, operation, request.variables.as_ref().unwrap_or(&none))
        .map_err(|error| vec![json!({ "message": error.message().to_string() })])?;
    let cost = cost::weigh(&document, operation, &variables).map_err(refused)?;
    let run = |conn: &Connection| {
        let context = Context::new(call, conn, cost);
        execute(&context, &document, operation, &variables)
    };
    let db = &call.forge.db;
    let response = match operation.operation_type {
        // A payload shows what its mutation has done, so nothing is read from a snapshot.
        OperationType::Mutation => db.read_unpinned(run),
        _ => db.read_lagging(call.forge.panel.read_lag(), run),
    };
    response.map_err(|error| refused(GraphError::from(error)))?
}

fn execute(
    context: &Context<'_>,
    document: &Valid<ExecutableDocument>,
    operation: &Operation,
    variables: &Valid<JsonMap>,
) -> Result<ExecutionResponse, Vec<Value>> {
    let execution = Execution::new(schema::schema(), document)
        .operation(operation)
        .implementers_map(schema::implementers())
        .coerced_variable_values(variables)
        .enable_schema_introspection(true);
    let done = match operation.operation_type {
        OperationType::Mutation => execution.execute_sync(&Bound::new(context, mutation::Mutation)),
        _ => execution.execute_sync(&Bound::new(context, query::Query)),
    };
    done.map_err(|error| vec![json!({ "message": error.message().to_string() })])
}

/// The answer with GitHub's kinds of errors, which travel inside the message until here.
fn finished(response: ExecutionResponse) -> Value {
    let mut value = serde_json::to_value(&response).unwrap_or_default();
    if let Some(errors) = value.get_mut("errors").and_then(Value::as_array_mut) {
        for error in errors {
            error::unfold(error);
        }
    }
    value
}
