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
pub(crate) mod board;
pub(crate) mod board_item_mutation;
pub(crate) mod board_links;
pub(crate) mod board_mutation;
pub(crate) mod budget;
pub(crate) mod changes;
pub(crate) mod check;
pub(crate) mod comment;
pub(crate) mod comment_changes;
pub(crate) mod comparison;
pub(crate) mod connection;
pub(crate) mod context;
pub(crate) mod cost;
pub(crate) mod documents;
pub(crate) mod entity;
pub(crate) mod error;
pub(crate) mod git_object;
pub(crate) mod git_ref;
pub(crate) mod ids;
pub(crate) mod issue;
pub(crate) mod issue_changes;
pub(crate) mod issue_links;
pub(crate) mod label;
pub(crate) mod label_changes;
pub(crate) mod link_changes;
pub(crate) mod merge_status;
pub(crate) mod milestone;
pub(crate) mod mutation;
pub(crate) mod project;
pub(crate) mod project_field;
pub(crate) mod project_item;
pub(crate) mod project_value;
pub(crate) mod protection_rule;
pub(crate) mod pull_contents;
pub(crate) mod pull_list;
pub(crate) mod pull_mutation;
pub(crate) mod pull_request;
pub(crate) mod query;
pub(crate) mod reaction;
pub(crate) mod ref_changes;
pub(crate) mod repository;
pub(crate) mod repository_lists;
pub(crate) mod resource;
pub(crate) mod review;
pub(crate) mod review_comment;
pub(crate) mod review_mutation;
pub(crate) mod review_request;
pub(crate) mod review_thread;
pub(crate) mod schema;
pub(crate) mod search;
pub(crate) mod shared;
pub(crate) mod status;
pub(crate) mod team;
pub(crate) mod timeline;
pub(crate) mod tree_node;

use apollo_compiler::ExecutableDocument;
use apollo_compiler::ast::OperationType;
use apollo_compiler::executable::Operation;
use apollo_compiler::introspection;
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

/// The whole schema in GraphQL's own language.
pub fn graphql_schema() -> String {
    schema::text()
}

/// A request as clients send it.
struct Request {
    query: String,
    variables: JsonMap,
    operation_name: Option<String>,
}

/// Answers one request. What is wrong inside it is told in GraphQL's way, with status 200.
pub(crate) fn serve(call: &Call) -> ApiResult {
    let request = read_request(&call.body)?;
    match answer(call, &request) {
        Ok(response) => Reply::ok(&finished(response)),
        Err(refusals) => Reply::ok(&json!({ "errors": refusals })),
    }
}

/// Several requests in one body are not taken, as on GitHub.
fn read_request(body: &[u8]) -> Result<Request, ApiError> {
    let sent: Value =
        serde_json::from_slice(body).map_err(|_| ApiError::bad_request("Problems parsing JSON"))?;
    let query = sent["query"]
        .as_str()
        .ok_or_else(|| ApiError::bad_request("A query attribute must be specified and must be a string."))?;
    let variables = match &sent["variables"] {
        Value::Null => JsonMap::new(),
        // Some clients send the object as text.
        Value::String(text) if text.is_empty() => JsonMap::new(),
        Value::String(text) => serde_json::from_str(text).map_err(|_| bad_variables())?,
        other => serde_json::from_value(other.clone()).map_err(|_| bad_variables())?,
    };
    let operation_name = sent["operationName"].as_str().filter(|name| !name.is_empty());
    Ok(Request { query: query.to_owned(), variables, operation_name: operation_name.map(str::to_owned) })
}

fn bad_variables() -> ApiError {
    ApiError::bad_request("Variables must be a JSON object.")
}

fn answer(call: &Call, request: &Request) -> Result<ExecutionResponse, Vec<Value>> {
    let refused = |error: GraphError| vec![error.json()];
    let schema = schema::schema();
    let document = documents::read(schema, &request.query)?;
    let operation = documents::operation(&document, request.operation_name.as_deref())?;
    let variables = coerce_variable_values(schema, operation, &request.variables)
        .map_err(|error| vec![documents::bad_variable(&document, operation, &error)])?;
    introspection::check_max_depth(&document, operation)
        .map_err(|error| vec![json!({ "message": error.message().to_string() })])?;
    let cost = cost::weigh(&document, operation, &variables).map_err(refused)?;
    let dry = budget::dry_run(operation, &variables);
    if dry.is_none() {
        budget::charge(call, cost).map_err(refused)?;
    }
    let operation = dry.as_ref().unwrap_or(operation);
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
    let mut response = done.map_err(|error| vec![json!({ "message": error.message().to_string() })])?;
    response.errors.extend(context.take_faults());
    Ok(response)
}

/// An answer as it is sent: its keys stand in the order in which they were asked for.
#[derive(serde::Serialize)]
struct Finished {
    data: Option<JsonMap>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<Value>,
}

/// The answer with GitHub's kinds of errors, which travel inside the message until here.
fn finished(response: ExecutionResponse) -> Finished {
    let told = response.errors.iter().map(|error| {
        let mut error = serde_json::to_value(error).unwrap_or_default();
        error::unfold(&mut error);
        error
    });
    Finished { errors: told.collect(), data: response.data }
}
