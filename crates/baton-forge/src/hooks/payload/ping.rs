//! The greeting that a new hook is sent.

use serde_json::json;

use super::{PayloadError, Stage, Written, body, to_value};
use crate::db::hooks;
use crate::wire::hook::HookView;

/// What the greeting says.
const ZEN: &str = "One runner at a time.";

impl Stage<'_> {
    pub(super) fn ping(&self, hook_id: i64) -> Written {
        let hook = hooks::by_id(self.conn, hook_id)?.ok_or(PayloadError::Gone("hook"))?;
        let owner = match self.repo {
            Some(repo) => format!("repos/{}", repo.full_name()),
            None => match self.news.scope {
                crate::news::Scope::Owner(id) => format!("orgs/{}", self.render.account(id)?.login),
                crate::news::Scope::Repo(_) => return Err(PayloadError::Gone("repository")),
            },
        };
        let view = HookView { links: self.links(), owner: &owner, hook: &hook };
        Ok(body([("zen", json!(ZEN)), ("hook_id", json!(hook_id)), ("hook", to_value(&view)?)]))
    }
}
