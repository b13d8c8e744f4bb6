//! Mutations of boards and their fields. There is no REST endpoint for most of them: they are the changes that REST
//! uses too, made in the writer's transaction and then read back.

use std::rc::Rc;

use apollo_compiler::response::{JsonMap, JsonValue};

use super::ask::{Ask, Input as _};
use super::board::{self, Board};
use super::board_item_mutation as on_items;
use super::context::Context;
use super::entity::{Answer, Entity, leaf, null, object, unknown};
use super::error::GraphError;
use super::ids;
use super::mutation::{Payload, required};
use super::project::ProjectNode;
use super::project_field::ProjectFieldNode;
use super::repository::RepositoryNode;
use crate::boards::fields::{self, Described};
use crate::boards::projects::{self, Edit};
use crate::db::{Tx, accounts, project_fields};
use crate::http::access::{self, Access};
use crate::http::call::Call;
use crate::http::error::ApiError;

/// Carries out a mutation whose name has `ProjectV2` in it.
pub(super) fn answer<'a>(context: &'a Context<'a>, ask: &Ask<'a>, input: &JsonMap) -> Answer<'a> {
    let payload = match ask.name() {
        "createProjectV2" => create(context, input)?,
        "updateProjectV2" => update(context, input)?,
        "deleteProjectV2" => delete(context, input)?,
        "copyProjectV2" => copy(context, input)?,
        "markProjectV2AsTemplate" => mark(context, input, "MarkProjectV2AsTemplatePayload", true)?,
        "unmarkProjectV2AsTemplate" => mark(context, input, "UnmarkProjectV2AsTemplatePayload", false)?,
        "linkProjectV2ToRepository" => link(context, input)?,
        "unlinkProjectV2FromRepository" => unlink(context, input)?,
        "createProjectV2Field" => create_field(context, input)?,
        "updateProjectV2Field" => update_field(context, input)?,
        "deleteProjectV2Field" => delete_field(context, input)?,
        "addProjectV2ItemById" => on_items::add(context, input)?,
        "addProjectV2DraftIssue" => on_items::add_draft(context, input)?,
        "updateProjectV2DraftIssue" => on_items::update_draft(context, input)?,
        "convertProjectV2DraftIssueItemToIssue" => on_items::convert(context, input)?,
        "archiveProjectV2Item" => on_items::archive(context, input)?,
        "unarchiveProjectV2Item" => on_items::restore(context, input)?,
        "updateProjectV2ItemFieldValue" => on_items::set_value(context, input)?,
        "clearProjectV2ItemFieldValue" => on_items::clear_value(context, input)?,
        "deleteProjectV2Item" => return on_items::delete(context, input),
        "updateProjectV2ItemPosition" => return on_items::place(context, input),
        _ => return unknown("Mutation", ask),
    };
    object(context, payload.with_client_id(client_id(input)))
}

pub(super) fn client_id(input: &JsonMap) -> Option<JsonValue> {
    input.get("clientMutationId").filter(|id| !id.is_null()).cloned()
}

/// Makes a change in the writer's transaction. A token that may only read, or only some repositories, changes no board.
pub(super) fn change<T: Send + 'static>(
    context: &Context<'_>,
    change: impl FnOnce(&Call, &Tx<'_>) -> Result<T, ApiError> + Send + 'static,
) -> Result<T, GraphError> {
    access::check(Access::SignedIn { writes: true }, context.call.viewer.as_ref(), None)?;
    let call = context.call.clone();
    Ok(context.call.forge.db.writer().write_blocking(move |tx| change(&call, tx))?)
}

/// The board of a row as it stands after a change.
fn reread(context: &Context<'_>, id: i64) -> Result<ProjectNode, GraphError> {
    let missing = || ids::unresolvable(&ids::node_id("PVT", id));
    Ok(ProjectNode(board::find(context, id)?.ok_or_else(missing)?))
}

fn owner_of(context: &Context<'_>, input: &JsonMap) -> Result<i64, GraphError> {
    let node = required(input, "ownerId")?;
    let id = ids::database_id(node, &["U", "O"])?;
    accounts::by_id(context.conn, id).map_err(|_| ids::unresolvable(node))?;
    Ok(id)
}

fn repo_of(context: &Context<'_>, node: &str) -> Result<RepositoryNode, GraphError> {
    let id = ids::database_id(node, &["R"])?;
    Ok(RepositoryNode(context.visit_for(id, node)?))
}

fn create(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let (owner_id, title) = (owner_of(context, input)?, required(input, "title")?.to_owned());
    let repo = input.text("repositoryId").map(|node| repo_of(context, node)).transpose()?;
    let repo_id = repo.map(|repo| repo.0.repo.id);
    let id = change(context, move |call, tx| {
        let id = projects::create(call, tx, owner_id, &title)?;
        repo_id.map(|repo_id| projects::link(call, tx, id, repo_id)).transpose()?;
        Ok(id)
    })?;
    Ok(Payload::new("CreateProjectV2Payload").with("projectV2", reread(context, id)?))
}

fn update(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let id = board::by_node(context, required(input, "projectId")?)?.project.id;
    let text = |name: &str| input.text(name).map(str::to_owned);
    let edit = Edit {
        title: text("title"),
        short_description: text("shortDescription"),
        readme: text("readme"),
        public: input.flag("public"),
        template: None,
        closed: input.flag("closed"),
    };
    change(context, move |call, tx| projects::update(call, tx, id, &edit))?;
    Ok(Payload::new("UpdateProjectV2Payload").with("projectV2", reread(context, id)?))
}

fn mark(
    context: &Context<'_>,
    input: &JsonMap,
    payload: &'static str,
    template: bool,
) -> Result<Payload, GraphError> {
    let id = board::by_node(context, required(input, "projectId")?)?.project.id;
    let edit = Edit { template: Some(template), ..Edit::default() };
    change(context, move |call, tx| projects::update(call, tx, id, &edit))?;
    Ok(Payload::new(payload).with("projectV2", reread(context, id)?))
}

fn delete(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let board = board::by_node(context, required(input, "projectId")?)?;
    let id = board.project.id;
    change(context, move |call, tx| projects::delete(call, tx, id))?;
    Ok(Payload::new("DeleteProjectV2Payload").with("projectV2", ProjectNode(board)))
}

fn copy(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let from = board::by_node(context, required(input, "projectId")?)?.project.id;
    let (owner, title) = (owner_of(context, input)?, required(input, "title")?.to_owned());
    let with_drafts = input.flag("includeDraftIssues").unwrap_or(false);
    let id = change(context, move |call, tx| projects::copy(call, tx, from, (owner, &title), with_drafts))?;
    Ok(Payload::new("CopyProjectV2Payload").with("projectV2", reread(context, id)?))
}

fn link(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let id = board::by_node(context, required(input, "projectId")?)?.project.id;
    let repo = repo_of(context, required(input, "repositoryId")?)?;
    let repo_id = repo.0.repo.id;
    change(context, move |call, tx| projects::link(call, tx, id, repo_id))?;
    Ok(Payload::new("LinkProjectV2ToRepositoryPayload").with("repository", repo))
}

fn unlink(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let id = board::by_node(context, required(input, "projectId")?)?.project.id;
    let repo = repo_of(context, required(input, "repositoryId")?)?;
    let repo_id = repo.0.repo.id;
    change(context, move |call, tx| projects::unlink(call, tx, id, repo_id))?;
    Ok(Payload::new("UnlinkProjectV2FromRepositoryPayload").with("repository", repo))
}

fn described(input: &JsonMap) -> Option<Vec<Described>> {
    let options = input.get("singleSelectOptions")?.as_array()?;
    let text = |option: &JsonMap, name: &str| option.text(name).unwrap_or_default().to_owned();
    let describe = |option: &JsonMap| Described {
        id: option.text("id").map(str::to_owned),
        name: text(option, "name"),
        color: text(option, "color"),
        description: text(option, "description"),
    };
    Some(options.iter().filter_map(JsonValue::as_object).map(describe).collect())
}

fn create_field(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let board = board::by_node(context, required(input, "projectId")?)?;
    let id = board.project.id;
    let (name, kind) = (required(input, "name")?.to_owned(), fields::own_kind(required(input, "dataType")?)?);
    let options = described(input).unwrap_or_default();
    let field = change(context, move |call, tx| fields::create(call, tx, id, (&name, kind), &options))?;
    let field = field_node(context, &board, field)?;
    Ok(Payload::new("CreateProjectV2FieldPayload").with("projectV2Field", field))
}

fn field_node(context: &Context<'_>, board: &Rc<Board>, id: i64) -> Result<ProjectFieldNode, GraphError> {
    let missing = || ids::unresolvable(&ids::node_id("PVTF", id));
    let field = project_fields::by_id(context.conn, id)?.ok_or_else(missing)?;
    Ok(ProjectFieldNode { board: Rc::clone(board), field: Rc::new(field) })
}

fn update_field(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let (board, field) = board::field_by_node(context, required(input, "fieldId")?)?;
    if input.inner("iterationConfiguration").is_some() {
        return Err(fields::refuse_iterations().into());
    }
    let (id, name, options) = (field.id, input.text("name").map(str::to_owned), described(input));
    change(context, move |call, tx| fields::update(call, tx, id, name.as_deref(), options.as_deref()))?;
    let field = field_node(context, &board, id)?;
    Ok(Payload::new("UpdateProjectV2FieldPayload").with("projectV2Field", field))
}

fn delete_field(context: &Context<'_>, input: &JsonMap) -> Result<Payload, GraphError> {
    let (board, field) = board::field_by_node(context, required(input, "fieldId")?)?;
    let id = field.id;
    change(context, move |call, tx| fields::delete(call, tx, id))?;
    let field = ProjectFieldNode { board, field };
    Ok(Payload::new("DeleteProjectV2FieldPayload").with("projectV2Field", field))
}

/// A payload with one plain value.
pub(super) struct LeafPayload {
    pub(super) name: &'static str,
    pub(super) client_mutation_id: Option<JsonValue>,
    pub(super) field: &'static str,
    pub(super) value: String,
}

impl Entity for LeafPayload {
    fn type_name(&self) -> &'static str {
        self.name
    }

    fn field<'a>(&'a self, _: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        match ask.name() {
            "clientMutationId" => self.client_mutation_id.clone().map_or_else(null, leaf),
            name if name == self.field => leaf(self.value.as_str()),
            _ => unknown(self.name, ask),
        }
    }
}
