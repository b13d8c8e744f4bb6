//! What every field can reach: the request, the rows, and the forge's endpoints.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use apollo_compiler::response::GraphQLError;
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
    /// How many bytes of text the answer may still hold.
    bytes_left: Cell<usize>,
    /// What was wrong with entries of lists whose other entries are answered.
    faults: RefCell<Vec<GraphQLError>>,
}

/// An answer is held in memory as a whole; a short document can ask for a long text very often.
const ANSWER_BYTES_MAX: usize = 64 * 1024 * 1024;

impl<'c> Context<'c> {
    pub(super) fn new(call: &'c Call, conn: &'c Connection, cost: Cost) -> Self {
        Self {
            call,
            conn,
            cost,
            visits: RefCell::default(),
            accounts: RefCell::default(),
            faults: RefCell::default(),
            bytes_left: Cell::new(ANSWER_BYTES_MAX),
        }
    }

    /// Takes a text from what the answer may hold.
    pub(super) fn spend(&self, bytes: usize) -> Result<(), GraphError> {
        let left = self.bytes_left.get().checked_sub(bytes);
        self.bytes_left.set(left.unwrap_or(0));
        left.map(drop)
            .ok_or_else(|| GraphError::new("MAX_COMPLEXITY_EXCEEDED", "The answer would be too large."))
    }

    /// Keeps what is wrong with one entry of a list, for the errors of the answer.
    pub(crate) fn note(&self, fault: GraphQLError) {
        self.faults.borrow_mut().push(fault);
    }

    pub(super) fn take_faults(&self) -> Vec<GraphQLError> {
        self.faults.take()
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
