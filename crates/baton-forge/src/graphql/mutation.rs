//! Mutations: each is the REST endpoint that does the same, with its input translated and its payload read back.

use std::sync::Arc;

use apollo_compiler::response::{JsonMap, JsonValue};
use serde_json::Value;

use super::ask::{Ask, Input};
use super::context::Context;
use super::entity::{Answer, Entity, leaf, null, object, objects, unknown};
use super::error::GraphError;
use super::ids;
use crate::api::{ENDPOINTS, Handler};
use crate::http::access;
use crate::http::call::{Call, Query, Sent, Visit};

pub(crate) struct Mutation;

impl Entity for Mutation {
    fn type_name(&self) -> &'static str {
        "Mutation"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let none = JsonMap::new();
        let input = ask.object("input").unwrap_or(&none);
        let name = ask.name();
        if name.contains("ProjectV2") {
            return super::board_mutation::answer(context, ask, input);
        }
        let done = super::changes::find(name)
            .map(|change| change(context, input))
            .or_else(|| super::pull_mutation::carry_out(context, name, input))
            .or_else(|| super::review_mutation::carry_out(context, name, input))
            .or_else(|| super::merge_status::carry_out(context, name, input));
        let Some(payload) = done.transpose()? else { return unknown("Mutation", ask) };
        let id = input.get("clientMutationId").filter(|id| !id.is_null()).cloned();
        object(context, payload.with_client_id(id))
    }
}

/// What a mutation answers: a type's name, and an entity for each of its fields.
pub(crate) struct Payload {
    name: &'static str,
    client_mutation_id: Option<JsonValue>,
    fields: Vec<(&'static str, Option<Box<dyn Entity>>)>,
    lists: Vec<(&'static str, Vec<Box<dyn Entity>>)>,
    leaves: Vec<(&'static str, JsonValue)>,
}

impl Payload {
    pub(crate) fn new(name: &'static str) -> Self {
        Self { name, client_mutation_id: None, fields: Vec::new(), lists: Vec::new(), leaves: Vec::new() }
    }

    pub(crate) fn with(mut self, field: &'static str, entity: impl Entity + 'static) -> Self {
        self.fields.push((field, Some(Box::new(entity))));
        self
    }

    pub(crate) fn with_none(mut self, field: &'static str) -> Self {
        self.fields.push((field, None));
        self
    }

    pub(crate) fn with_list(mut self, field: &'static str, entities: Vec<Box<dyn Entity>>) -> Self {
        self.lists.push((field, entities));
        self
    }

    pub(crate) fn with_leaf(mut self, field: &'static str, value: impl Into<JsonValue>) -> Self {
        self.leaves.push((field, value.into()));
        self
    }

    pub(super) fn with_client_id(self, client_mutation_id: Option<JsonValue>) -> Self {
        Self { client_mutation_id, ..self }
    }
}

/// An entity that a payload shows for as long as the answer is written.
struct Shown<'e>(&'e dyn Entity);

impl Entity for Shown<'_> {
    fn type_name(&self) -> &'static str {
        self.0.type_name()
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        self.0.field(context, ask)
    }
}

impl Entity for Payload {
    fn type_name(&self) -> &'static str {
        self.name
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        if ask.name() == "clientMutationId" {
            return self.client_mutation_id.clone().map_or_else(null, leaf);
        }
        if let Some((_, list)) = self.lists.iter().find(|(name, _)| *name == ask.name()) {
            return objects(context, list.iter().map(|entity| Shown(entity.as_ref())));
        }
        if let Some((_, value)) = self.leaves.iter().find(|(name, _)| *name == ask.name()) {
            return leaf(value.clone());
        }
        match self.fields.iter().find(|(name, _)| *name == ask.name()) {
            Some((_, Some(entity))) => object(context, Shown(entity.as_ref())),
            Some((_, None)) => null(),
            None => unknown(self.name, ask),
        }
    }
}

/// The value of a required input field. The schema has seen to its presence.
pub(crate) fn required<'i>(input: &'i JsonMap, name: &str) -> Result<&'i str, GraphError> {
    input.text(name).ok_or_else(|| GraphError::unprocessable(format!("`{name}` is missing")))
}

impl Context<'_> {
    /// Carries out a REST endpoint, named as in GitHub's published description, in a repository. The caller's rights
    /// are checked as if the request had come over REST.
    pub(crate) fn perform(
        &self,
        operation: &str,
        visit: Option<&Arc<Visit>>,
        params: &[(&'static str, String)],
        body: &Value,
    ) -> Result<Value, GraphError> {
        let endpoint = ENDPOINTS.iter().find(|endpoint| endpoint.operation == operation);
        let endpoint =
            endpoint.ok_or_else(|| GraphError::new("INTERNAL", format!("no endpoint {operation}")))?;
        let visit = visit.map(|visit| Visit::clone(visit));
        access::check(endpoint.access, self.call.viewer.as_ref(), visit.as_ref())?;
        let sent = Sent {
            headers: self.call.headers.clone(),
            links: self.call.links.clone(),
            params: params.iter().map(|(name, value)| (*name, value.clone())).collect(),
            query: Query::default(),
            path: endpoint.path.to_owned(),
            body: body.to_string().into_bytes().into(),
        };
        let call = Call { sent: Arc::new(sent), visit, ..self.call.clone() };
        let reply = match endpoint.handler {
            Handler::Read(handle) => handle(&call, self.conn),
            Handler::Write(handle) => self.call.forge.db.writer().write_blocking(move |tx| handle(&call, tx)),
            Handler::Git(handle) | Handler::Control(handle) => handle(&call),
        }?;
        Ok(serde_json::from_slice(&reply.body).unwrap_or_default())
    }

    /// The repository in which a node lies, or the complaint that there is no such node.
    pub(crate) fn visit_for(&self, repo_id: i64, node: &str) -> Result<Arc<Visit>, GraphError> {
        self.repo(repo_id)?.ok_or_else(|| ids::unresolvable(node))
    }
}
