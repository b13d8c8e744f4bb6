//! Comments: posted once, edited and deleted as often as needed, read to the last page.

use baton_core::RepoSlug;
use baton_core::time::ServerTime;
use baton_core::tracker::{Comment, Dated, IssueKey};
use http::Method;
use serde_json::json;

use crate::client::{Answer, GitHub, map};
use crate::wire::CommentWire;

const OF_ISSUE: &str = "/repos/{owner}/{repo}/issues/{issue_number}/comments";
const ONE: &str = "/repos/{owner}/{repo}/issues/comments/{comment_id}";

pub(super) async fn list(
    github: &GitHub,
    issue: &IssueKey,
    since: Option<ServerTime>,
) -> Answer<Dated<Vec<Comment>>> {
    let mut draft = github.call(Method::GET, &issue.repo, OF_ISSUE, &[&issue.number.to_string()])?;
    if let Some(since) = since {
        draft = draft.query(&[("since", &since.to_string())]);
    }
    Ok(map(github.list::<CommentWire>(draft).await?, in_order))
}

/// Oldest first, each once: a comment can be on two pages when another one goes in between.
fn in_order(list: Vec<CommentWire>) -> Vec<Comment> {
    let mut comments: Vec<_> = list.into_iter().map(Comment::from).collect();
    comments.sort_by_key(|comment| (comment.created_at, comment.id));
    comments.dedup_by_key(|comment| comment.id);
    comments
}

pub(super) async fn post(github: &GitHub, issue: &IssueKey, body: &str) -> Answer<Dated<Comment>> {
    let draft = github.call(Method::POST, &issue.repo, OF_ISSUE, &[&issue.number.to_string()])?;
    // A repeated comment is a second comment, so it is sent once.
    let sent = github.ask(draft.json(&json!({ "body": body })).once()).await?;
    Ok(map(sent.dated::<CommentWire>()?, Comment::from))
}

pub(super) async fn edit(github: &GitHub, repo: &RepoSlug, id: u64, body: &str) -> Answer<Dated<Comment>> {
    let draft = github.call(Method::PATCH, repo, ONE, &[&id.to_string()])?;
    let sent = github.ask(draft.json(&json!({ "body": body }))).await?;
    Ok(map(sent.dated::<CommentWire>()?, Comment::from))
}

pub(super) async fn delete(github: &GitHub, repo: &RepoSlug, id: u64) -> Answer<()> {
    let sent = github.send(github.call(Method::DELETE, repo, ONE, &[&id.to_string()])?).await?;
    if sent.status() == 404 { Ok(()) } else { sent.succeeded().map(drop) }
}
