//! The document that describes the API, generated from the functions that answer.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use baton_view::Lookout;
use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::{AdditionalProperties, Schema};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{Components, ContentBuilder, Ref, RefOr, ResponseBuilder, SecurityRequirement};
use utoipa::{Modify, OpenApi};

use super::problem::MEDIA_TYPE;
use super::{Problem, issues, news, relay, runs};
use crate::dashboard::Site;

/// What may come back from everywhere.
const EVERYWHERE: [(&str, &str); 6] = [
    ("401", "The token is missing or wrong."),
    ("403", "Without a token, only this machine may ask; and another site may change nothing."),
    ("405", "The method is not one of those in the header Allow."),
    ("421", "The server was called by a name that is not its own."),
    ("429", "Too many wrong tokens came from this address: wait for as long as the header Retry-After says."),
    ("503", "The store or the tracker does not answer: try again later."),
];
/// What may come back where something is named or asked for.
const WITH_PARAMETERS: [(&str, &str); 3] = [
    ("400", "The address, the query or the body cannot be read, or is out of its limits."),
    ("404", "There is no such thing."),
    ("409", "It is as the document says, and cannot be answered as things are: the detail says why."),
];
/// What may come back where a body is sent.
const WITH_BODY: [(&str, &str); 4] = [
    ("408", "The body did not come in time."),
    ("413", "The body is too large."),
    ("415", "The body is not called JSON by its Content-Type."),
    ("422", "The body is JSON, but not as the schema says."),
];

#[derive(OpenApi)]
#[openapi(
    info(title = "Baton", description = "What the dashboard shows and does, for programs."),
    paths(
        relay::board,
        relay::fleet,
        relay::report,
        news::changes,
        issues::issue,
        issues::order,
        runs::runs,
        runs::run,
        runs::log
    ),
    components(schemas(Problem)),
    tags(
        (name = "relay", description = "The relay as a whole."),
        (name = "issues", description = "One issue, and orders about it."),
        (name = "runs", description = "Runs of agents."),
    ),
    modifiers(&Problems, &Keys, &Closed),
)]
struct Document;

/// Adds the answers that tell of problems.
struct Problems;

impl Modify for Problems {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        for item in openapi.paths.paths.values_mut() {
            for operation in [&mut item.get, &mut item.post].into_iter().flatten() {
                add_problems(operation);
            }
        }
    }
}

fn add_problems(operation: &mut Operation) {
    let parameters: &[_] = if operation.parameters.is_some() { &WITH_PARAMETERS } else { &[] };
    let body: &[_] = if operation.request_body.is_some() { &WITH_BODY } else { &[] };
    for (status, words) in EVERYWHERE.iter().chain(parameters).chain(body) {
        let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build();
        let response = ResponseBuilder::new().description(*words).content(MEDIA_TYPE, content).build();
        // What a function says of itself is more than what is said of all.
        operation.responses.responses.entry((*status).to_owned()).or_insert(response.into());
    }
}

/// Adds how a program shows who it is.
struct Keys;

impl Modify for Keys {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let components = openapi.components.get_or_insert_with(Components::new);
        let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some(
            "The token of the dashboard. A server without one asks for none, and lets in this machine only.",
        ));
        components.add_security_scheme("token", SecurityScheme::Http(bearer.build()));
        let cookie = ApiKeyValue::with_description(
            "baton_session_8477",
            "What a browser gets at /login; the number is the port that the server listens on.",
        );
        components.add_security_scheme("session", SecurityScheme::ApiKey(ApiKey::Cookie(cookie)));
        let no_scopes: [&str; 0] = [];
        let keys = ["token", "session"].map(|name| SecurityRequirement::new(name, no_scopes));
        openapi.security = Some(keys.into());
    }
}

/// Says of orders that they have no other fields: what is not understood is refused, and not passed over.
struct Closed;

impl Modify for Closed {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let order = openapi.components.as_mut().and_then(|components| components.schemas.get_mut("Order"));
        let Some(RefOr::T(Schema::OneOf(orders))) = order else { return };
        for order in &mut orders.items {
            if let RefOr::T(Schema::Object(order)) = order {
                order.additional_properties = Some(Box::new(AdditionalProperties::FreeForm(false)));
            }
        }
    }
}

/// Returns the document that describes the API of a server with a token.
pub fn openapi() -> utoipa::openapi::OpenApi {
    Document::openapi()
}

pub(crate) async fn answer<L: Lookout>(State(site): State<Arc<Site<L>>>) -> Json<utoipa::openapi::OpenApi> {
    let mut document = openapi();
    if site.access.token.is_none() {
        // Nobody has to show anything.
        document.security = None;
    }
    Json(document)
}
