//! Commits, tags, and how any object of git is found. Trees and blobs are in [`super::tree_node`].

use std::sync::Arc;

use git2::{ObjectType, Oid, Repository};

use super::actor::ActorNode;
use super::ask::Ask;
use super::check;
use super::connection::{Connection, Paging};
use super::context::Context;
use super::entity::{Answer, Entity, leaf, maybe_object, null, object, unknown};
use super::error::GraphError;
use super::ids::{self, named_id};
use super::repository::RepositoryNode;
use super::tree_node::{self, BlobNode, TreeNode};
use crate::db::accounts::{self, AccountKind};
use crate::git::history::{self, LogQuery};
use crate::git::objects::{self, CommitInfo, Person, parse_oid};
use crate::git::tree_diff;
use crate::http::call::Visit;
use crate::wire::{Time, parse_time};

/// An object's place: its repository and its id.
#[derive(Clone)]
pub(crate) struct Located {
    pub(crate) visit: Arc<Visit>,
    pub(crate) oid: String,
}

impl Located {
    pub(crate) fn open(&self, context: &Context<'_>) -> Result<Repository, GraphError> {
        Ok(context.call.forge.git.open(self.visit.repo.id)?)
    }

    /// Answers what every object has.
    pub(super) fn field<'a>(
        &'a self,
        kind: (&'static str, &'static str),
        context: &'a Context<'a>,
        ask: &Ask<'a>,
    ) -> Answer<'a> {
        let path = || format!("{}/commit/{}", self.visit.repo.full_name(), self.oid);
        match ask.name() {
            "id" => leaf(named_id(kind.0, self.visit.repo.id, &self.oid)),
            "oid" => leaf(self.oid.as_str()),
            "abbreviatedOid" => leaf(self.oid.get(..7).unwrap_or(&self.oid)),
            "commitResourcePath" => leaf(format!("/{}", path())),
            "commitUrl" => leaf(context.web(&path())),
            "repository" => object(context, RepositoryNode(Arc::clone(&self.visit))),
            _ => unknown(kind.1, ask),
        }
    }
}

/// The object of that id, whatever it is.
pub(crate) fn load(
    context: &Context<'_>,
    visit: &Arc<Visit>,
    oid: &str,
) -> Result<Option<Box<dyn Entity>>, GraphError> {
    let at = Located { visit: Arc::clone(visit), oid: oid.to_owned() };
    let repository = at.open(context)?;
    let Some(oid) = parse_oid(oid) else { return Ok(None) };
    Ok(match objects::kind_of(&repository, oid) {
        Some(ObjectType::Commit) => {
            let info = CommitInfo::of(&repository.find_commit(oid)?);
            Some(Box::new(CommitNode { at, info }))
        }
        Some(ObjectType::Tree) => Some(Box::new(TreeNode { at, path: String::new() })),
        Some(ObjectType::Blob) => Some(Box::new(BlobNode { at })),
        Some(ObjectType::Tag) => Some(Box::new(TagNode::read(&repository, at, oid)?)),
        _ => None,
    })
}

/// An object by its node id.
pub(crate) fn find(context: &Context<'_>, id: &str, prefix: &str) -> Result<Box<dyn Entity>, GraphError> {
    let (repo, oid) = ids::name_in_repo(id, prefix)?;
    let visit = context.visit_for(repo, id)?;
    let found = load(context, &visit, &oid)?;
    let kind = match prefix {
        "C" => "Commit",
        "TA" => "Tag",
        "B" => "Blob",
        _ => "Tree",
    };
    found.filter(|found| found.type_name() == kind).ok_or_else(|| ids::unresolvable(id))
}

/// `object(oid:)` or `object(expression:)`: a commit, or `COMMIT:PATH`.
pub(super) fn asked<'a>(context: &'a Context<'a>, ask: &Ask<'a>, visit: &Arc<Visit>) -> Answer<'a> {
    if let Some(oid) = ask.str("oid") {
        return maybe_object(context, load(context, visit, oid)?);
    }
    let Some(expression) = ask.str("expression") else { return null() };
    let repository = context.call.forge.git.open(visit.repo.id)?;
    let (name, path) = match expression.split_once(':') {
        Some((name, path)) => (name, Some(path)),
        None => (expression, None),
    };
    let Some(oid) = resolve(&repository, if name.is_empty() { "HEAD" } else { name }, path) else {
        return null();
    };
    maybe_object(context, load(context, visit, &oid.to_string())?)
}

fn resolve(repository: &Repository, name: &str, path: Option<&str>) -> Option<Oid> {
    if path.is_none()
        && let Some(oid) = parse_oid(name)
    {
        return Some(oid);
    }
    let commit = objects::resolve(repository, name)?;
    let tree = commit.tree().ok()?;
    match path {
        None => Some(commit.id()),
        Some("") => Some(tree.id()),
        Some(path) => Some(tree.get_path(std::path::Path::new(path)).ok()?.id()),
    }
}

pub(crate) struct CommitNode {
    pub(crate) at: Located,
    pub(crate) info: CommitInfo,
}

const COMMITS: (&str, &str) = ("CommitConnection", "CommitEdge");

impl Entity for CommitNode {
    fn type_name(&self) -> &'static str {
        "Commit"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let info = &self.info;
        let (headline, body) = info.message.split_once('\n').unwrap_or((&info.message, ""));
        match ask.name() {
            "message" => leaf(info.message.as_str()),
            "messageHeadline" => leaf(headline),
            "messageBody" => leaf(body.trim_start_matches('\n')),
            "author" => object(context, GitActor(info.author.clone())),
            "committer" => object(context, GitActor(info.committer.clone())),
            "authors" => {
                let nodes = authors(info).into_iter().map(GitActor).collect();
                let names = ("GitActorConnection", "GitActorEdge");
                object(context, Connection::whole(names, Paging::of(ask)?, nodes))
            }
            "authoredByCommitter" => leaf(info.author.email == info.committer.email),
            "authoredDate" => leaf(Time(info.author.at).to_string()),
            "committedDate" => leaf(Time(info.committer.at).to_string()),
            "resourcePath" => leaf(format!("/{}", self.path("commit"))),
            "url" => leaf(context.web(&self.path("commit"))),
            "treeResourcePath" => leaf(format!("/{}", self.path("tree"))),
            "treeUrl" => leaf(context.web(&self.path("tree"))),
            "tree" => {
                let at = Located { oid: info.tree.clone(), ..self.at.clone() };
                object(context, TreeNode { at, path: String::new() })
            }
            "file" => tree_node::file(context, &self.at, ask.str("path").unwrap_or_default()),
            "parents" => {
                let nodes = self.commits(context, info.parents.iter().map(String::as_str))?;
                object(context, Connection::whole(COMMITS, Paging::of(ask)?, nodes))
            }
            "history" => self.history(context, ask),
            "additions" | "deletions" | "changedFiles" | "changedFilesIfAvailable" => {
                self.changes(context, ask)
            }
            "statusCheckRollup" | "status" | "checkSuites" => {
                check::commit_field(&self.at.visit, &info.oid, context, ask)
            }
            _ => self.at.field(("C", "Commit"), context, ask),
        }
    }
}

impl CommitNode {
    fn path(&self, kind: &str) -> String {
        format!("{}/{kind}/{}", self.at.visit.repo.full_name(), self.at.oid)
    }

    fn commits<'o>(
        &self,
        context: &Context<'_>,
        oids: impl Iterator<Item = &'o str>,
    ) -> Result<Vec<Self>, GraphError> {
        let repository = self.at.open(context)?;
        let mut nodes = Vec::new();
        for oid in oids.filter_map(parse_oid) {
            let info = CommitInfo::of(&repository.find_commit(oid)?);
            nodes.push(Self { at: Located { oid: info.oid.clone(), ..self.at.clone() }, info });
        }
        Ok(nodes)
    }

    fn history<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let time = |name: &str| ask.str(name).and_then(parse_time);
        let query = LogQuery {
            path: ask.str("path").map(str::to_owned),
            author: None,
            since: time("since"),
            until: time("until"),
        };
        let repository = self.at.open(context)?;
        let Some(from) = parse_oid(&self.at.oid) else { return null() };
        let found = history::log(&repository, from, &query)?;
        let total = i64::try_from(found.len()).unwrap_or(i64::MAX);
        let window = Paging::of(ask)?.window(total);
        let oids: Vec<String> = window.of(found).map(|oid| oid.to_string()).collect();
        let nodes = self.commits(context, oids.iter().map(String::as_str))?;
        object(context, Connection::new(("CommitHistoryConnection", "CommitEdge"), total, window, nodes))
    }

    fn changes<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let repository = self.at.open(context)?;
        let tree_of = |oid: &str| match parse_oid(oid) {
            Some(oid) => repository.find_commit(oid).and_then(|commit| commit.tree()).map(Some),
            None => Ok(None),
        };
        let to = tree_of(&self.at.oid)?;
        let from = self.info.parents.first().map(|oid| tree_of(oid)).transpose()?.flatten();
        let files = tree_diff::changes(&repository, from.as_ref(), to.as_ref())?;
        let (additions, deletions) = crate::wire::commit::totals(&files);
        leaf(match ask.name() {
            "additions" => additions,
            "deletions" => deletions,
            _ => files.len(),
        })
    }
}

/// Who wrote a commit: its author, and whom its message names as authors too.
fn authors(info: &CommitInfo) -> Vec<Person> {
    let mut found = vec![info.author.clone()];
    for line in info.message.lines() {
        let Some((key, person)) = line.split_once(':') else { continue };
        let Some((name, rest)) = person.split_once('<') else { continue };
        let Some(email) = rest.trim_end().strip_suffix('>') else { continue };
        let is_new = found.iter().all(|known| known.email != email);
        if key.eq_ignore_ascii_case("co-authored-by") && is_new {
            let (name, email) = (name.trim().to_owned(), email.to_owned());
            found.push(Person { name, email, at: info.author.at });
        }
    }
    found
}

/// Who made a commit or a tag, as git has it.
struct GitActor(Person);

impl Entity for GitActor {
    fn type_name(&self) -> &'static str {
        "GitActor"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        let account = || accounts::by_email(context.conn, &self.0.email);
        match ask.name() {
            "name" => leaf(self.0.name.as_str()),
            "email" => leaf(self.0.email.as_str()),
            "date" => leaf(Time(self.0.at).to_string()),
            "avatarUrl" => {
                let id = account()?.map_or(0, |account| account.id);
                leaf(context.call.links.avatar(id))
            }
            "user" => {
                let user = account()?.filter(|account| account.kind == AccountKind::User);
                maybe_object(context, user.map(|account| ActorNode(account.into())))
            }
            _ => unknown("GitActor", ask),
        }
    }
}

/// A tag with a message of its own.
struct TagNode {
    at: Located,
    name: String,
    message: String,
    tagger: Option<Person>,
    target: String,
}

impl TagNode {
    fn read(repository: &Repository, at: Located, oid: Oid) -> Result<Self, GraphError> {
        let tag = repository.find_tag(oid)?;
        Ok(Self {
            at,
            name: String::from_utf8_lossy(tag.name_bytes()).into_owned(),
            message: String::from_utf8_lossy(tag.message_bytes().unwrap_or_default()).into_owned(),
            tagger: tag.tagger().map(|signature| objects::person_of(&signature)),
            target: tag.target_id().to_string(),
        })
    }
}

impl Entity for TagNode {
    fn type_name(&self) -> &'static str {
        "Tag"
    }

    fn field<'a>(&'a self, context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
        match ask.name() {
            "name" => leaf(self.name.as_str()),
            "message" => leaf(self.message.as_str()),
            "tagger" => maybe_object(context, self.tagger.clone().map(GitActor)),
            "target" => maybe_object(context, load(context, &self.at.visit, &self.target)?),
            _ => self.at.field(("TA", "Tag"), context, ask),
        }
    }
}
