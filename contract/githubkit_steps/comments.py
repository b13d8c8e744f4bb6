"""Comments, reactions and locks."""

from githubkit_steps.answers import REPO, body, next_second, nothing, refusal
from steps import expect, expect_that, step


@step("comment, edit, list and delete")
def comments(ctx):
    response = ctx.rest.issues.create_comment(*ctx.at, 1, body="one")
    one = body(response, 201)
    expect("location", response.headers["location"], one.url)
    expect("issue_url", one.issue_url, f"{ctx.base}/repos/{ctx.owner}/{REPO}/issues/1")
    expect("html_url", one.html_url, f"{ctx.base}/{ctx.owner}/{REPO}/issues/1#issuecomment-{one.id}")
    next_second(ctx)
    two = body(ctx.rest.issues.create_comment(*ctx.at, 1, body="two"), 201)
    expect_that("created_at", two.created_at > one.created_at, "later", (one.created_at, two.created_at))
    bodies = lambda **kwargs: [comment.body for comment in body(ctx.rest.issues.list_comments(*ctx.at, 1, **kwargs))]
    expect("comments", bodies(), ["one", "two"])
    expect("since", bodies(since=two.created_at), ["two"])
    next_second(ctx)
    edited = body(ctx.rest.issues.update_comment(*ctx.at, one.id, body="one, edited"))
    expect("body", edited.body, "one, edited")
    expect("created_at, left alone", edited.created_at, one.created_at)
    expect_that("updated_at", edited.updated_at > two.updated_at, "later", edited.updated_at)
    expect("since, by update", bodies(since=edited.updated_at), ["one, edited"])
    expect("comments of the issue", body(ctx.rest.issues.get(*ctx.at, 1)).comments, 2)
    nothing(ctx.rest.issues.delete_comment(*ctx.at, two.id))
    refusal(404, ctx.rest.issues.get_comment, *ctx.at, two.id)
    expect("comments left", bodies(), ["one, edited"])
    expect("comments of the issue", body(ctx.rest.issues.get(*ctx.at, 1)).comments, 1)
    ctx.comment = one.id


@step("list the comments of the whole repository")
def comments_of_repo(ctx):
    listed = lambda **kwargs: [c.id for c in body(ctx.rest.issues.list_comments_for_repo(*ctx.at, **kwargs))]
    expect("by creation", listed(sort="created", direction="asc"), [ctx.strange_comment, ctx.comment])
    expect("latest update first", listed(sort="updated", direction="desc"), [ctx.comment, ctx.strange_comment])


@step("be refused comments without words or on nothing")
def refused_comments(ctx):
    errors = refusal(422, ctx.rest.issues.create_comment, *ctx.at, 1, body="").errors
    expect("resource", errors[0].resource, "IssueComment")
    refusal(404, ctx.rest.issues.create_comment, *ctx.at, 999, body="to nobody")
    stranger_issue = body(ctx.rest.issues.get(*ctx.at, ctx.strange))
    expect("comments", stranger_issue.comments, 1)


@step("react to an issue and to a comment")
def reactions(ctx):
    on_issue = lambda rest, content: rest.reactions.create_for_issue(*ctx.at, 1, content=content)
    heart = body(on_issue(ctx.rest, "heart"), 201)
    expect("reaction", (heart.content, heart.user.login), ("heart", ctx.owner))
    expect("the same again", body(on_issue(ctx.rest, "heart"), 200).id, heart.id)
    body(on_issue(ctx.rest2, "heart"), 201)
    body(on_issue(ctx.rest, "-1"), 201)
    rollup = body(ctx.rest.issues.get(*ctx.at, 1)).reactions
    expect("rollup", (rollup.total_count, rollup.heart, rollup.minus_one, rollup.plus_one), (3, 2, 1, 0))
    listed = body(ctx.rest.reactions.list_for_issue(*ctx.at, 1, content="heart"))
    expect("hearts", sorted(reaction.user.login for reaction in listed), sorted([ctx.owner, ctx.user2]))
    nothing(ctx.rest.reactions.delete_for_issue(*ctx.at, 1, heart.id))
    refusal(404, ctx.rest.reactions.delete_for_issue, *ctx.at, 1, heart.id)
    expect("total_count", body(ctx.rest.issues.get(*ctx.at, 1)).reactions.total_count, 2)

    on_comment = lambda: ctx.rest.reactions.create_for_issue_comment(*ctx.at, ctx.comment, content="rocket")
    rocket = body(on_comment(), 201)
    expect("the same again", body(on_comment(), 200).id, rocket.id)
    rollup = body(ctx.rest.issues.get_comment(*ctx.at, ctx.comment)).reactions
    expect("rollup", (rollup.total_count, rollup.rocket), (1, 1))
    nothing(ctx.rest.reactions.delete_for_issue_comment(*ctx.at, ctx.comment, rocket.id))
    expect("left", body(ctx.rest.reactions.list_for_issue_comment(*ctx.at, ctx.comment)), [])
    path = f"/repos/{ctx.owner}/{REPO}/issues/1/reactions"
    refusal(422, ctx.github.request, "POST", path, json={"content": "applause"})


@step("lock and unlock an issue")
def lock(ctx):
    nothing(ctx.rest.issues.lock(*ctx.at, ctx.strange, lock_reason="too heated"))
    issue = body(ctx.rest.issues.get(*ctx.at, ctx.strange))
    expect("locked", (issue.locked, issue.active_lock_reason), (True, "too heated"))
    nothing(ctx.rest.repos.remove_collaborator(*ctx.at, ctx.user2))
    error = refusal(403, ctx.rest2.issues.create_comment, *ctx.at, ctx.strange, body="still there?")
    expect("message", error.message, "Unable to create comment because issue is locked.")
    nothing(ctx.rest.repos.add_collaborator(*ctx.at, ctx.user2, permission="push"))
    body(ctx.rest2.issues.create_comment(*ctx.at, ctx.strange, body="a collaborator may"), 201)
    nothing(ctx.rest.issues.unlock(*ctx.at, ctx.strange))
    issue = body(ctx.rest.issues.get(*ctx.at, ctx.strange))
    expect("locked", (issue.locked, issue.active_lock_reason), (False, None))
