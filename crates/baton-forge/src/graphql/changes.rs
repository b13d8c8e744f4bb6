//! The mutations of issues, labels, comments, reactions, links and refs, by name.

use apollo_compiler::response::JsonMap;

use super::context::Context;
use super::error::GraphError;
use super::mutation::Payload;
use super::{comment_changes, issue_changes, label_changes, link_changes, ref_changes};

pub(super) type Change = fn(&Context<'_>, &JsonMap) -> Result<Payload, GraphError>;

const CHANGES: &[(&str, Change)] = &[
    ("addAssigneesToAssignable", issue_changes::assign),
    ("addBlockedBy", link_changes::add_blocker),
    ("addComment", comment_changes::add),
    ("addLabelsToLabelable", label_changes::add),
    ("addReaction", comment_changes::react),
    ("addSubIssue", link_changes::add_child),
    ("clearLabelsFromLabelable", label_changes::clear),
    ("closeIssue", issue_changes::close),
    ("createIssue", issue_changes::create),
    ("createLabel", label_changes::create),
    ("createRef", ref_changes::create),
    ("deleteIssue", issue_changes::delete),
    ("deleteIssueComment", comment_changes::delete),
    ("deleteLabel", label_changes::delete),
    ("deleteRef", ref_changes::delete),
    ("lockLockable", issue_changes::lock),
    ("pinIssue", issue_changes::pin),
    ("removeAssigneesFromAssignable", issue_changes::unassign),
    ("removeBlockedBy", link_changes::remove_blocker),
    ("removeLabelsFromLabelable", label_changes::remove),
    ("removeReaction", comment_changes::unreact),
    ("removeSubIssue", link_changes::remove_child),
    ("reopenIssue", issue_changes::reopen),
    ("replaceActorsForAssignable", issue_changes::replace_actors),
    ("reprioritizeSubIssue", link_changes::move_child),
    ("transferIssue", issue_changes::transfer),
    ("unlockLockable", issue_changes::unlock),
    ("unpinIssue", issue_changes::unpin),
    ("updateIssue", issue_changes::update),
    ("updateIssueComment", comment_changes::update),
    ("updateLabel", label_changes::update),
    ("updateRef", ref_changes::update),
    ("updateRefs", ref_changes::update_all),
];

pub(super) fn find(name: &str) -> Option<Change> {
    CHANGES.iter().find(|(known, _)| *known == name).map(|(_, change)| *change)
}
