"""Reviews: asked for, given, discussed, dismissed."""

from githubkit_steps.answers import body, nothing, refusal
from githubkit_steps.git import commit_file
from steps import expect, expect_that, step


@step("open a draft of several commits, and read its files")
def open_draft(ctx):
    nothing(ctx.rest.repos.add_collaborator(*ctx.at, ctx.user2, permission="push"))
    ctx.main = body(ctx.rest.git.get_ref(*ctx.at, "heads/main")).object_.sha
    first = commit_file(ctx, ctx.main, "review.txt", "one\ntwo\nthree\n", "write three lines")
    ctx.tip = commit_file(ctx, first, "review.txt", "one\ntwo\nthree\nfour\n", "write a fourth")
    body(ctx.rest.git.create_ref(*ctx.at, ref="refs/heads/reviewed", sha=ctx.tip), 201)
    pull = body(ctx.rest.pulls.create(*ctx.at, title="to be reviewed", head="reviewed", base="main", draft=True), 201)
    expect("draft", pull.draft, True)
    expect("message", refusal(405, ctx.rest.pulls.merge, *ctx.at, pull.number).message, "Pull Request is still a draft")
    commits = body(ctx.rest.pulls.list_commits(*ctx.at, pull.number))
    expect("commits", [commit.sha for commit in commits], [first, ctx.tip])
    files = body(ctx.rest.pulls.list_files(*ctx.at, pull.number))
    expect("files", [(f.filename, f.status, f.additions) for f in files], [("review.txt", "added", 4)])
    expect_that("patch", files[0].patch.startswith("@@ -0,0 +1,4 @@\n+one"), "a patch", files[0].patch)
    associated = body(ctx.rest.repos.list_pull_requests_associated_with_commit(*ctx.at, ctx.tip))
    expect("pull requests of the commit", [p.number for p in associated], [pull.number])
    ctx.reviewed = pull.number


@step("ask for a review, but not of the author")
def request_review(ctx):
    pull = body(ctx.rest.pulls.request_reviewers(*ctx.at, ctx.reviewed, reviewers=[ctx.user2]), 201)
    expect("requested", [user.login for user in pull.requested_reviewers], [ctx.user2])
    refusal(422, ctx.rest.pulls.request_reviewers, *ctx.at, ctx.reviewed, reviewers=[ctx.owner])
    asked = body(ctx.rest.pulls.list_requested_reviewers(*ctx.at, ctx.reviewed))
    expect("requested", ([user.login for user in asked.users], asked.teams), ([ctx.user2], []))


@step("review with remarks on lines, and be answered")
def review(ctx):
    remark = {"path": "review.txt", "line": 2, "side": "RIGHT", "body": "why two?"}
    given = body(
        ctx.rest2.pulls.create_review(
            *ctx.at, ctx.reviewed, body="not yet", event="REQUEST_CHANGES", comments=[remark]
        )
    )
    expect("state", (given.state, given.user.login, given.commit_id), ("CHANGES_REQUESTED", ctx.user2, ctx.tip))
    asked = body(ctx.rest.pulls.list_requested_reviewers(*ctx.at, ctx.reviewed))
    expect("requested, once the review is there", asked.users, [])
    (said,) = body(ctx.rest.pulls.list_comments_for_review(*ctx.at, ctx.reviewed, given.id))
    expect("remark", (said.path, said.body, said.pull_request_review_id), ("review.txt", "why two?", given.id))
    (said,) = body(ctx.rest.pulls.list_review_comments(*ctx.at, ctx.reviewed))
    expect("place", (said.line, said.side, said.original_line), (2, "RIGHT", 2))
    expect_that("hunk", said.diff_hunk.endswith("+two"), "the lines up to it", said.diff_hunk)
    reply = body(
        ctx.rest.pulls.create_reply_for_review_comment(*ctx.at, ctx.reviewed, said.id, body="because"), 201
    )
    expect("reply", (reply.in_reply_to_id, reply.path), (said.id, "review.txt"))
    expect("a second reaction of the same", [
        ctx.rest.reactions.create_for_pull_request_review_comment(*ctx.at, said.id, content="eyes").status_code
        for _ in range(2)
    ], [201, 200])
    ctx.given = given.id


@step("be refused one's own approval, approve as another, and dismiss")
def approve(ctx):
    refusal(422, ctx.rest.pulls.create_review, *ctx.at, ctx.reviewed, event="APPROVE")
    pending = body(ctx.rest2.pulls.create_review(*ctx.at, ctx.reviewed, body="now it is good"))
    expect("state", pending.state, "PENDING")
    listed = lambda rest: [r.state for r in body(rest.pulls.list_reviews(*ctx.at, ctx.reviewed))]
    expect_that("others do not see it", "PENDING" not in listed(ctx.rest), "no pending review", listed(ctx.rest))
    done = body(ctx.rest2.pulls.submit_review(*ctx.at, ctx.reviewed, pending.id, event="APPROVE"))
    expect("state", done.state, "APPROVED")
    dismissed = body(ctx.rest.pulls.dismiss_review(*ctx.at, ctx.reviewed, ctx.given, message="answered"))
    expect("state", dismissed.state, "DISMISSED")
    expect_that("all of them", {"DISMISSED", "APPROVED"} <= set(listed(ctx.rest)), "both", listed(ctx.rest))


@step("bring the branch up to date with its base")
def update_branch(ctx):
    base = commit_file(ctx, ctx.main, "elsewhere.txt", "elsewhere\n", "write elsewhere")
    body(ctx.rest.git.update_ref(*ctx.at, "heads/main", sha=base))
    refusal(422, ctx.rest.pulls.update_branch, *ctx.at, ctx.reviewed, expected_head_sha=ctx.main)
    body(ctx.rest.pulls.update_branch(*ctx.at, ctx.reviewed, expected_head_sha=ctx.tip), 202)
    tip = body(ctx.rest.git.get_ref(*ctx.at, "heads/reviewed")).object_.sha
    parents = [parent.sha for parent in body(ctx.rest.git.get_commit(*ctx.at, tip)).parents]
    expect("parents", parents, [ctx.tip, base])
    ctx.tip = tip
