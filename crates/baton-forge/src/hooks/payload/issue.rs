//! Issues, their comments and links, and the labels and milestones of a repository.

use serde_json::{Value, json};

use super::{PayloadError, Stage, Written, body, changes, to_value};
use crate::db::issues::{self, Issue};
use crate::db::labels::{self, Label};
use crate::db::milestones::{self, Milestone};
use crate::db::{comments, repos};
use crate::wire::label::LabelView;

impl<'a> Stage<'a> {
    pub(super) fn issue_row(&self, id: i64) -> Result<Issue, PayloadError> {
        issues::by_id(self.conn, id)?.ok_or(PayloadError::Gone("issue"))
    }

    fn issue(&self, issue: Issue) -> Result<Value, PayloadError> {
        to_value(&self.render.issue(self.repo()?, issue)?)
    }

    pub(super) fn issues(&self, id: i64, action: &str, detail: &Value) -> Written {
        // What is gone, or is elsewhere now, travels along.
        let shown = match &detail["issue"] {
            shown @ Value::Object(_) => shown.clone(),
            _ => self.issue(self.issue_row(id)?)?,
        };
        let mut parts = body([("issue", shown)]);
        match action {
            "transferred" => drop(parts.insert("changes".to_owned(), self.transfer(id)?)),
            _ => parts.extend(self.issue_extras(action, detail)?),
        }
        Ok(parts)
    }

    /// What issues and pull requests show beside themselves.
    pub(super) fn issue_extras(&self, action: &str, detail: &Value) -> Written {
        Ok(match action {
            "edited" => body([("changes", changes(detail))]),
            "labeled" | "unlabeled" => match self.label_by_id(detail)? {
                Some(label) => body([("label", self.label_view(&label)?)]),
                None => body([]),
            },
            "assigned" | "unassigned" => match detail["account"].as_i64() {
                Some(id) => body([("assignee", self.account(id)?)]),
                None => body([("assignee", Value::Null)]),
            },
            "milestoned" | "demilestoned" => {
                let title = detail["title"].as_str().unwrap_or_default();
                match milestones::by_title(self.conn, self.repo()?.id, title)? {
                    Some(milestone) => body([("milestone", self.milestone_view(milestone)?)]),
                    None => body([]),
                }
            }
            _ => body([]),
        })
    }

    fn transfer(&self, id: i64) -> Result<Value, PayloadError> {
        let issue = self.issue_row(id)?;
        let repo = repos::by_id(self.conn, issue.repo_id)?.ok_or(PayloadError::Gone("repository"))?;
        let shown = to_value(&crate::wire::Render::new(self.conn, self.links(), None).issue(&repo, issue)?)?;
        Ok(json!({ "new_issue": shown, "new_repository": self.repository(&repo)? }))
    }

    pub(super) fn issue_comment(&self, id: i64, issue_id: i64, detail: &Value) -> Written {
        let repo = self.repo()?;
        let comment = comments::by_id(self.conn, repo.id, id)?.ok_or(PayloadError::Gone("comment"))?;
        let mut parts = body([
            ("comment", to_value(&self.render.comment(repo, comment)?)?),
            ("issue", self.issue(self.issue_row(issue_id)?)?),
        ]);
        if !detail.is_null() {
            parts.insert("changes".to_owned(), changes(detail));
        }
        Ok(parts)
    }

    /// A link between two issues is told in the repositories of both; each sees the other end if everybody may.
    pub(super) fn sub_issues(&self, id: i64, action: &str, detail: &Value) -> Written {
        let is_parent = action.starts_with("sub_issue");
        let (own, other) =
            if is_parent { ("parent_issue", "sub_issue") } else { ("sub_issue", "parent_issue") };
        self.linked((own, id), (other, detail["issue"].as_i64()))
    }

    pub(super) fn dependencies(&self, id: i64, action: &str, detail: &Value) -> Written {
        let is_blocked = action.starts_with("blocked_by");
        let (own, other) = if is_blocked {
            ("blocked_issue", "blocking_issue")
        } else {
            ("blocking_issue", "blocked_issue")
        };
        self.linked((own, id), (other, detail["issue"].as_i64()))
    }

    fn linked(&self, (own, own_id): (&str, i64), (other, other_id): (&str, Option<i64>)) -> Written {
        let mut parts = body([(own, self.issue(self.issue_row(own_id)?)?)]);
        parts.insert(format!("{own}_id"), json!(own_id));
        let Some(id) = other_id else { return Ok(parts) };
        parts.insert(format!("{other}_id"), json!(id));
        let Some(issue) = issues::by_id(self.conn, id)? else { return Ok(parts) };
        let Some(repo) = repos::by_id(self.conn, issue.repo_id)? else { return Ok(parts) };
        if repo.id == self.repo()?.id || !repo.private {
            let render = crate::wire::Render::new(self.conn, self.links(), None);
            parts.insert(other.to_owned(), to_value(&render.issue(&repo, issue)?)?);
            parts.insert(format!("{other}_repo"), self.repository(&repo)?);
        }
        Ok(parts)
    }

    fn label_by_id(&self, detail: &Value) -> Result<Option<Label>, PayloadError> {
        let Some(id) = detail["label"].as_i64() else { return Ok(None) };
        Ok(labels::by_id(self.conn, id)?.map(|(_, label)| label))
    }

    /// Webhooks know fewer fields of a label than REST.
    fn label_view(&self, label: &Label) -> Result<Value, PayloadError> {
        to_value(&LabelView { links: self.links(), repo: self.repo()?, label })
    }

    fn milestone_view(&self, milestone: Milestone) -> Result<Value, PayloadError> {
        to_value(&self.render.milestone(self.repo()?, milestone)?)
    }

    pub(super) fn label(&self, id: i64, action: &str, detail: &Value) -> Written {
        let (_, label) = labels::by_id(self.conn, id)?.ok_or(PayloadError::Gone("label"))?;
        let mut parts = body([("label", self.label_view(&label)?)]);
        if action == "edited" {
            parts.insert("changes".to_owned(), changes(detail));
        }
        Ok(parts)
    }

    pub(super) fn milestone(&self, id: i64, action: &str, detail: &Value) -> Written {
        let mut parts = body([("milestone", self.milestone_view(milestones::by_id(self.conn, id)?)?)]);
        if action == "edited" {
            parts.insert("changes".to_owned(), changes(detail));
        }
        Ok(parts)
    }
}
