"""Pull requests, from a branch to a merge."""

import base64

from githubkit_steps.answers import REPO, body, label_names, nothing, numbers, refusal
from githubkit_steps.git import commit_file
from githubkit_steps.links import new_issues
from steps import expect, expect_that, step, wait_until


@step("open a pull request from a branch")
def create_pull(ctx):
    ctx.goal = new_issues(ctx, "to be closed by a merge")[0].number
    head = commit_file(ctx, ctx.start, "feature.txt", "a feature\n", "add a feature")
    body(ctx.rest.git.create_ref(*ctx.at, ref="refs/heads/feature", sha=head), 201)
    response = ctx.rest.pulls.create(
        *ctx.at, title="a feature", head="feature", base="main", body=f"Words.\n\nCloses #{ctx.goal}"
    )
    pull = body(response, 201)
    expect("state, merged, draft", (pull.state, pull.merged, pull.draft), ("open", False, False))
    expect("head", (pull.head.ref, pull.head.sha, pull.head.label), ("feature", head, f"{ctx.owner}:feature"))
    expect("base", (pull.base.ref, pull.base.sha, pull.base.repo.full_name), ("main", ctx.start, f"{ctx.owner}/{REPO}"))
    expect("user", (pull.user.login, pull.author_association), (ctx.owner, "OWNER"))
    expect("size", (pull.commits, pull.additions, pull.deletions, pull.changed_files), (1, 1, 0, 1))
    expect("location", response.headers["location"], pull.url)
    expect("ref of the pull request", body(ctx.rest.git.get_ref(*ctx.at, f"pull/{pull.number}/head")).object_.sha, head)
    issue = body(ctx.rest.issues.get(*ctx.at, pull.number))
    expect("as an issue", (issue.title, issue.pull_request.url), ("a feature", pull.url))
    ctx.pull, ctx.head = pull.number, head


@step("find the pull request by its branch, and be refused a second one")
def list_pulls(ctx):
    listed = lambda **kwargs: numbers(body(ctx.rest.pulls.list(*ctx.at, **kwargs)))
    expect("by head", listed(head=f"{ctx.owner}:feature"), [ctx.pull])
    expect("by another head", listed(head=f"{ctx.owner}:topic/b"), [])
    expect("by base", listed(base="main"), [ctx.pull])
    expect("closed ones", listed(state="closed"), [])
    create = lambda **kwargs: refusal(422, ctx.rest.pulls.create, *ctx.at, title="again", base="main", **kwargs)
    errors = create(head="feature").errors
    expect(
        "error",
        [(e.resource, e.code, e.message) for e in errors],
        [("PullRequest", "custom", f"A pull request already exists for {ctx.owner}:feature.")],
    )
    errors = create(head="topic/b").errors
    expect("error", [e.message for e in errors], ["No commits between main and topic/b"])
    errors = create(head="none").errors
    expect("error", [(e.resource, e.field, e.code) for e in errors], [("PullRequest", "head", "invalid")])


@step("change a pull request, and label it as an issue")
def update_pull(ctx):
    pull = body(ctx.rest.pulls.update(*ctx.at, ctx.pull, title="a better feature"))
    expect("title", pull.title, "a better feature")
    body(ctx.rest.issues.add_labels(*ctx.at, ctx.pull, labels=["enhancement"]))
    expect("labels", label_names(body(ctx.rest.pulls.get(*ctx.at, ctx.pull)).labels), ["enhancement"])
    closed = body(ctx.rest.pulls.update(*ctx.at, ctx.pull, state="closed"))
    expect("state, merged", (closed.state, closed.merged), ("closed", False))
    expect("state", body(ctx.rest.pulls.update(*ctx.at, ctx.pull, state="open")).state, "open")


def settled(ctx, number):
    """Returns a pull request once its trial merge has been made, which GitHub does in the background."""
    read = lambda: body(ctx.rest.pulls.get(*ctx.at, number))
    return wait_until("mergeable is known", lambda: (pull := read()).mergeable is not None and pull)


@step("follow the branch of a pull request")
def push_to_pull(ctx):
    head = commit_file(ctx, ctx.head, "feature.txt", "a finished feature\n", "finish the feature")
    body(ctx.rest.git.update_ref(*ctx.at, "heads/feature", sha=head))
    pull = settled(ctx, ctx.pull)
    expect("head, commits", (pull.head.sha, pull.commits), (head, 2))
    expect("mergeable", (pull.mergeable, pull.mergeable_state), (True, "clean"))
    ctx.old_head, ctx.head = ctx.head, head


@step("merge only what was looked at, and only once")
def merge(ctx):
    merge_it = lambda **kwargs: ctx.rest.pulls.merge(*ctx.at, ctx.pull, **kwargs)
    error = refusal(409, merge_it, sha=ctx.old_head)
    expect("message", error.message, "Head branch was modified. Review and try the merge again.")
    refusal(404, ctx.rest.pulls.check_if_merged, *ctx.at, ctx.pull)
    expect("main, unmoved", body(ctx.rest.git.get_ref(*ctx.at, "heads/main")).object_.sha, ctx.start)
    result = body(merge_it(sha=ctx.head, commit_title="Merge the feature"))
    expect("merged", (result.merged, result.message), (True, "Pull Request successfully merged"))
    commit = body(ctx.rest.git.get_commit(*ctx.at, result.sha))
    expect("parents", [p.sha for p in commit.parents], [ctx.start, ctx.head])
    expect("title", commit.message.splitlines()[0], "Merge the feature")
    expect("main", body(ctx.rest.git.get_ref(*ctx.at, "heads/main")).object_.sha, result.sha)
    error = refusal(405, merge_it)
    expect("message", error.message, "Pull Request is not mergeable")
    ctx.merged = result.sha


@step("see the merge in the pull request and in the issue it closes")
def after_merge(ctx):
    pull = body(ctx.rest.pulls.get(*ctx.at, ctx.pull))
    expect("state, merged, by", (pull.state, pull.merged, pull.merged_by.login), ("closed", True, ctx.owner))
    expect_that("merged_at", pull.merged_at is not None, "a time", pull.merged_at)
    nothing(ctx.rest.pulls.check_if_merged(*ctx.at, ctx.pull))
    issue = body(ctx.rest.issues.get(*ctx.at, ctx.goal))
    expect("issue", (issue.state, issue.state_reason, issue.closed_by.login), ("closed", "completed", ctx.owner))
    entries = body(ctx.rest.issues.list_events_for_timeline(*ctx.at, ctx.pull, per_page=100))
    merges = [entry.commit_id for entry in entries if entry.event == "merged"]
    expect("merged event", merges, [ctx.merged])
    crossed = [
        entry
        for entry in body(ctx.rest.issues.list_events_for_timeline(*ctx.at, ctx.goal))
        if entry.event == "cross-referenced"
    ]
    expect("cross-referenced", [entry.source.issue.number for entry in crossed], [ctx.pull])
    expect(
        "content",
        base64.b64decode(body(ctx.rest.repos.get_content(*ctx.at, "feature.txt")).content),
        b"a finished feature\n",
    )


@step("refuse to merge a conflict, and squash what fits")
def conflicts(ctx):
    clash = commit_file(ctx, ctx.start, "feature.txt", "something else\n", "clash")
    body(ctx.rest.git.create_ref(*ctx.at, ref="refs/heads/clash", sha=clash), 201)
    number = body(ctx.rest.pulls.create(*ctx.at, title="a clash", head="clash", base="main"), 201).number
    pull = settled(ctx, number)
    expect("mergeable", (pull.mergeable, pull.mergeable_state), (False, "dirty"))
    error = refusal(405, ctx.rest.pulls.merge, *ctx.at, number)
    expect("message", error.message, "Pull Request is not mergeable")
    body(ctx.rest.git.create_ref(*ctx.at, ref="refs/heads/squashed", sha=ctx.second), 201)
    number = body(ctx.rest.pulls.create(*ctx.at, title="a squash", head="squashed", base="main"), 201).number
    result = body(ctx.rest.pulls.merge(*ctx.at, number, merge_method="squash"))
    commit = body(ctx.rest.git.get_commit(*ctx.at, result.sha))
    expect("parents", [p.sha for p in commit.parents], [ctx.merged])
    expect("title", commit.message.splitlines()[0], f"a squash (#{number})")
