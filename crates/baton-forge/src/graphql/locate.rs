//! Issues and pull requests by the address of their page.

use super::ask::Ask;
use super::context::Context;
use super::entity::{Answer, null, object};
use super::issue::IssueNode;
use super::pull_request::PullRequestNode;
use crate::db::{issues, pulls};

/// Finds what a page shows; nothing for a page that shows neither an issue nor a pull request, or that may not be seen.
/// Whose name is in the address does not matter: the forge answers under several.
pub(super) fn resource<'a>(context: &'a Context<'a>, ask: &Ask<'a>) -> Answer<'a> {
    let Some((owner, repo, kind, number)) = parts(ask.str("url").unwrap_or_default()) else { return null() };
    let Some(visit) = context.repo_named(owner, repo)? else { return null() };
    if kind == "issues" {
        let found = issues::by_number(context.conn, visit.repo.id, number)?;
        return match found.filter(|issue| !issue.is_pull) {
            Some(issue) => object(context, IssueNode { visit, issue }),
            None => null(),
        };
    }
    match pulls::by_number(context.conn, visit.repo.id, number)? {
        Some((issue, pull)) => object(context, PullRequestNode { visit, issue, pull }),
        None => null(),
    }
}

fn parts(url: &str) -> Option<(&str, &str, &str, i64)> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = rest.split_once('/')?.1;
    let mut parts = path.split(['/', '?', '#']);
    let (owner, repo, kind) = (parts.next()?, parts.next()?, parts.next()?);
    let number = parts.next()?.parse().ok()?;
    matches!(kind, "issues" | "pull").then_some((owner, repo, kind, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_taken_apart() {
        let issue = Some(("acme", "web", "issues", 7));
        assert_eq!(parts("https://github.com/acme/web/issues/7"), issue);
        assert_eq!(parts("http://127.0.0.1:80/acme/web/issues/7#issuecomment-1"), issue);
        assert_eq!(parts("https://github.com/acme/web/pull/8?a=b"), Some(("acme", "web", "pull", 8)));
        for text in
            ["", "x", "https://github.com/acme/web", "https://github.com/acme/web/wiki/7", "a/b/issues/x"]
        {
            assert_eq!(parts(text), None, "{text}");
        }
    }
}
