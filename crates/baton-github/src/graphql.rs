//! The GraphQL documents, each a file in `graphql/`, and the shapes of their answers beside them.
//!
//! A document is its own file followed by those of the fragments it uses. Answers are read leniently: words of GitHub's
//! enums stay texts until they are judged, so that a new one spoils no page.
//!
//! Deliberately absent: sending, which the client does, and what an answer means, which the tracker and the boards know.

pub(crate) mod board;
pub(crate) mod comment;
pub(crate) mod issue;
pub(crate) mod page;
pub(crate) mod pull;

/// A document with a single operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Document {
    /// The operation's name.
    pub name: &'static str,
    /// The whole text, fragments included.
    pub text: &'static str,
}

macro_rules! documents {
    ($($constant:ident = $name:literal: $first:literal $(, $fragment:literal)*;)*) => {
        $(pub(crate) const $constant: Document = Document {
            name: $name,
            text: concat!(
                include_str!(concat!("graphql/", $first, ".graphql"))
                $(, include_str!(concat!("graphql/", $fragment, ".graphql")))*
            ),
        };)*

        /// Returns every document that this crate sends.
        pub fn graphql_documents() -> Vec<Document> {
            vec![$($constant),*]
        }
    };
}

documents! {
    SIGHT = "Sight": "sight", "pull_fields", "comment_fields", "thread_fields", "review_comment_fields",
        "context_fields", "request_fields", "blocker_fields";
    SIGHT_WITH_PLACEMENTS = "SightWithPlacements": "sight_with_placements", "pull_fields", "comment_fields",
        "thread_fields", "review_comment_fields", "context_fields", "request_fields", "blocker_fields",
        "placement_fields", "value_fields";
    PULL = "PullByNumber": "pull", "pull_fields", "comment_fields", "thread_fields", "review_comment_fields",
        "context_fields", "request_fields";
    PULLS_OF_BRANCH = "PullsOfBranch": "pulls_of_branch";
    MORE_LABELS = "MoreLabels": "more_labels";
    MORE_COMMENTS = "MoreComments": "more_comments", "comment_fields";
    MORE_BLOCKERS = "MoreBlockers": "more_blockers", "blocker_fields";
    MORE_PLACEMENTS = "MorePlacements": "more_placements", "placement_fields", "value_fields";
    MORE_VALUES = "MoreValues": "more_values", "value_fields";
    MORE_REVIEWS = "MoreReviews": "more_reviews";
    MORE_REQUESTS = "MoreRequests": "more_requests", "request_fields";
    MORE_THREADS = "MoreThreads": "more_threads", "thread_fields", "review_comment_fields";
    MORE_THREAD_COMMENTS = "MoreThreadComments": "more_thread_comments", "review_comment_fields";
    MORE_CONTEXTS = "MoreContexts": "more_contexts", "context_fields";
    MORE_ROCKETS = "MoreRockets": "more_rockets";
    SIGNS = "Signs": "signs";
    EARLIER_LABELS = "EarlierLabels": "earlier_labels";
    ROCKETS = "Rockets": "rockets";
    RESOLVE_THREAD = "ResolveThread": "resolve_thread";
    MARK_READY = "MarkReady": "mark_ready";
    DRAFT_STATE = "DraftState": "draft_state";
    OPEN_ISSUES = "OpenIssues": "open_issues", "row_fields";
    CLOSED_ISSUES = "ClosedIssues": "closed_issues", "row_fields";
    PROJECT_GATE = "ProjectGate": "project_gate";
    PROJECT_ITEMS = "ProjectItems": "project_items";
    REPOSITORY_NAME = "RepositoryName": "repository_name";
    ISSUE_NODE = "IssueNode": "issue_node";
    ADD_TO_PROJECT = "AddToProject": "add_to_project";
    MOVE_ITEM = "MoveItem": "move_item";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_document_has_the_operation_that_it_is_called_by() {
        for document in graphql_documents() {
            let begins = |kind: &str| document.text.contains(&format!("{kind} {}(", document.name));
            assert!(begins("query") != begins("mutation"), "{}", document.name);
        }
    }
}
