//! What every field can reach: the request, the rows, and the forge's endpoints.

use std::cell::RefCell;
use std::sync::Arc;

use apollo_compiler::Name;
use apollo_compiler::resolvers::FieldError;
use apollo_compiler::response::{GraphQLError, JsonMap, ResponseDataPathSegment};
use rusqlite::Connection;

use super::cost::Cost;
use super::error::GraphError;
use crate::db::accounts::{self, Account};
use crate::db::repos::{self, Permission, Repo};
use crate::http::access;
use crate::http::call::{Call, Visit};
use crate::wire::Render;

pub(crate) struct Context<'c> {
    pub(crate) call: &'c Call,
    pub(crate) conn: &'c Connection,
    pub(crate) cost: Cost,
    /// Repositories seen so far with what the viewer may do there; `None` for what may not be seen.
    visits: RefCell<Vec<(i64, Option<Arc<Visit>>)>>,
    accounts: RefCell<Vec<Arc<Account>>>,
    complaints: RefCell<Vec<GraphQLError>>,
}

impl<'c> Context<'c> {
    pub(super) fn new(call: &'c Call, conn: &'c Connection, cost: Cost) -> Self {
        Self {
            call,
            conn,
            cost,
            visits: RefCell::default(),
            accounts: RefCell::default(),
            complaints: RefCell::default(),
        }
    }

    /// Notes what is wrong with one entry of a list at the root, which is null in the answer.
    pub(crate) fn complain(&self, error: GraphError, key: Option<&Name>, at: usize) {
        let key = key.map(|key| ResponseDataPathSegment::Field(key.clone()));
        self.complaints.borrow_mut().push(GraphQLError {
            message: FieldError::from(error).message,
            locations: Vec::new(),
            path: key.into_iter().chain([ResponseDataPathSegment::ListIndex(at)]).collect(),
            extensions: JsonMap::new(),
        });
    }

    /// Takes what was noted.
    pub(super) fn complaints(&self) -> Vec<GraphQLError> {
        self.complaints.take()
    }

    pub(crate) fn render(&self) -> Render<'_> {
        self.call.render(self.conn)
    }

    /// The repository of that name, if the viewer may see it.
    pub(crate) fn repo_named(&self, owner: &str, name: &str) -> Result<Option<Arc<Visit>>, GraphError> {
        match repos::find(self.conn, owner, name)? {
            Some(repo) => self.visit_of(repo),
            None => Ok(None),
        }
    }

    /// The repository of that id, if the viewer may see it.
    pub(crate) fn repo(&self, id: i64) -> Result<Option<Arc<Visit>>, GraphError> {
        if let Some((_, known)) = self.visits.borrow().iter().find(|(known, _)| *known == id) {
            return Ok(known.clone());
        }
        match repos::by_id(self.conn, id)? {
            Some(repo) => self.visit_of(repo),
            None => Ok(None),
        }
    }

    fn visit_of(&self, repo: Repo) -> Result<Option<Arc<Visit>>, GraphError> {
        if let Some((_, known)) = self.visits.borrow().iter().find(|(known, _)| *known == repo.id) {
            return Ok(known.clone());
        }
        let id = repo.id;
        let visit = match access::visit(self.conn, Arc::new(repo), self.call.viewer.as_ref()) {
            Ok(visit) => Some(Arc::new(visit)),
            Err(refused) if refused.status == 404 => None,
            Err(refused) => return Err(refused.into()),
        };
        self.visits.borrow_mut().push((id, visit.clone()));
        Ok(visit)
    }

    /// Returns whether the viewer has at least this permission in a repository.
    pub(crate) fn may(&self, visit: &Visit, permission: Permission) -> bool {
        visit.permission >= permission
    }

    pub(crate) fn account(&self, id: i64) -> Result<Arc<Account>, GraphError> {
        if let Some(known) = self.accounts.borrow().iter().find(|account| account.id == id) {
            return Ok(Arc::clone(known));
        }
        let account = Arc::new(accounts::by_id(self.conn, id)?);
        self.accounts.borrow_mut().push(Arc::clone(&account));
        Ok(account)
    }

    pub(crate) fn viewer_id(&self) -> Option<i64> {
        self.call.viewer.as_ref().map(|viewer| viewer.account.id)
    }

    /// An address of the forge's pages.
    pub(crate) fn web(&self, rest: &str) -> String {
        format!("{}/{rest}", self.call.links.web)
    }
}
