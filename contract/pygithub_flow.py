"""GitHub's API through PyGithub, which follows the addresses in answers and refuses those of other hosts.

Run as: pygithub_flow.py BASE_URL TOKEN, with a second account in FORGE_USER2 and FORGE_TOKEN2.

Its objects fetch what they lack from their own `url`, so every wrong link shows.
"""

import base64
import datetime
import os
import sys
from types import SimpleNamespace

from github import Auth, BadCredentialsException, Github, GithubException, InputGitAuthor, InputGitTreeElement
from github import UnknownObjectException

from steps import Deviation, expect, expect_in, expect_that, run, server_second, step, wait_until

REPO = "pygithub-flow"
PRIVATE = "pygithub-flow-private"

# What the steps do to the first issue.
DONE = {"labeled", "unlabeled", "assigned", "unassigned", "milestoned", "renamed", "closed", "reopened", "unlocked"}


def refusal(status, call, *args, **kwargs):
    """Makes a call that must fail, and returns the error's message."""
    try:
        answer = call(*args, **kwargs)
    except GithubException as error:
        expect("status", error.status, status)
        message = error.data["message"]
        if message == "Not Found":
            # PyGithub knows that something does not exist by this very text.
            expect("kind", type(error), UnknownObjectException)
        return message
    raise Deviation("status", status, f"none, but {answer!r}")


def numbers(issues):
    return [issue.number for issue in issues]


def names(things):
    return sorted(thing.name for thing in things)


def logins(users):
    return [user.login for user in users]


def next_second(ctx):
    """Waits until the server's clock shows another second than now, and returns the new one."""

    def read():
        headers, _ = ctx.github.requester.requestJsonAndCheck("GET", "/rate_limit")
        return server_second(headers)

    start = read()
    return wait_until("the server's clock moves on", lambda: (now := read()) > start and now)


# Accounts


@step("read the own account and another one")
def users(ctx):
    me = ctx.github.get_user()
    ctx.owner = me.login
    expect("id", ctx.github.get_user(me.login).id, me.id)
    other = ctx.github.get_user(ctx.user2)
    expect("login, type", (other.login, other.type), (ctx.user2, "User"))
    expect("message", refusal(404, ctx.github.get_user, "nobody-of-that-name"), "Not Found")


@step("read the rate limit, from the answer and from its headers")
def rate_limit(ctx):
    overview = ctx.github.get_rate_limit()
    core = overview.resources.core
    expect("limit", core.used + core.remaining, core.limit)
    expect_that("search", overview.resources.search.limit > 0, "a limit", overview.resources.search.limit)
    # A new client asks for the rate limit, and reads the headers of that answer.
    remaining, limit = connect(ctx.base, Auth.Token(ctx.token)).rate_limiting
    expect("limit in the headers", limit, core.limit)
    expect_that("remaining", 0 < remaining <= limit, "up to the limit", remaining)
    expect_that("reset", ctx.github.rate_limiting_resettime > 0, "a time", ctx.github.rate_limiting_resettime)


@step("require credentials, and right ones")
def credentials(ctx):
    wrong = connect(ctx.base, Auth.Token("not-a-token"))
    try:
        login = wrong.get_user().login
    except BadCredentialsException as error:
        expect("error", (error.status, error.data["message"]), (401, "Bad credentials"))
    else:
        raise Deviation("a wrong token", "401", login)
    expect("message", refusal(401, lambda: connect(ctx.base, None).get_user().login), "Requires authentication")
    expect_that("scopes", "repo" in (ctx.github.oauth_scopes or []), "repo among them", ctx.github.oauth_scopes)


# Repositories


@step("remove what an earlier run left")
def clean_up(ctx):
    for name in (REPO, PRIVATE):
        try:
            ctx.github.get_repo(f"{ctx.owner}/{name}").delete()
        except UnknownObjectException:
            pass


@step("create repositories")
def create_repository(ctx):
    me = ctx.github.get_user()
    repo = me.create_repo(REPO, description="made by PyGithub", auto_init=True)
    expect("full_name, private", (repo.full_name, repo.private), (f"{ctx.owner}/{REPO}", False))
    expect("default_branch", repo.default_branch, "main")
    expect("permissions", (repo.permissions.admin, repo.permissions.push), (True, True))
    private = me.create_repo(PRIVATE, private=True, auto_init=True)
    expect("private", private.private, True)
    expect("message", refusal(422, me.create_repo, REPO), "Repository creation failed.")
    ctx.repo, ctx.private = repo, private


@step("fetch what a lazy object lacks from its own address")
def lazy(ctx):
    by_name = connect(ctx.base, Auth.Token(ctx.token), lazy=True).get_repo(f"{ctx.owner}/{REPO}")
    expect("id", by_name.id, ctx.repo.id)
    by_id = ctx.github.get_repo(ctx.repo.id)
    expect("full_name", by_id.full_name, f"{ctx.owner}/{REPO}")
    expect("owner, fetched through its url", by_name.owner.created_at, ctx.github.get_user().created_at)
    expect("url", by_name.url, f"{ctx.base}/repos/{ctx.owner}/{REPO}")
    expect("in the list of own ones", REPO in [repo.name for repo in ctx.github.get_user().get_repos()], True)


@step("serve the same under /api/v3, with links that stay there")
def enterprise(ctx):
    enterprise = connect(f"{ctx.base}/api/v3", Auth.Token(ctx.token))
    repo = enterprise.get_repo(f"{ctx.owner}/{REPO}")
    expect("id", repo.id, ctx.repo.id)
    expect("url", repo.url, f"{ctx.base}/api/v3/repos/{ctx.owner}/{REPO}")
    expect("html_url", repo.html_url, f"{ctx.base}/{ctx.owner}/{REPO}")
    # PyGithub follows the branch's commit and that commit's author by their links.
    commit = repo.get_branch("main").commit
    expect("commit", commit.commit.message, "Initial commit")
    expect("url of the commit", commit.url, f"{ctx.base}/api/v3/repos/{ctx.owner}/{REPO}/commits/{commit.sha}")


@step("change a repository")
def edit_repository(ctx):
    ctx.repo.edit(description="edited by PyGithub")
    expect("description", ctx.github.get_repo(ctx.repo.id).description, "edited by PyGithub")
    expect("changed since", ctx.repo.update(), True)
    expect("changed since", ctx.repo.update(), False)


# Labels and milestones


@step("create, rename and delete labels")
def labels(ctx):
    expect("labels of a new repository", len(names(ctx.repo.get_labels())), 9)
    label = ctx.repo.create_label("area: in/out put", "f29513", "both ways")
    expect("label", (label.name, label.color, label.description), ("area: in/out put", "f29513", "both ways"))
    expect("read back", ctx.repo.get_label("area: in/out put").color, "f29513")
    label.edit("area: out/in put", "00ff00", "the other way")
    expect("read back", ctx.repo.get_label("area: out/in put").description, "the other way")
    expect("message", refusal(404, ctx.repo.get_label, "area: in/out put"), "Not Found")
    expect("message", refusal(422, ctx.repo.create_label, "x" * 51, "ffffff"), "Validation Failed")
    expect("message", refusal(422, ctx.repo.create_label, "bug", "ffffff"), "Validation Failed")
    gone = ctx.repo.create_label("gone soon", "ffffff")
    gone.delete()
    expect("labels", len(names(ctx.repo.get_labels())), 10)
    ctx.label = label


@step("create, close and delete milestones")
def milestones(ctx):
    first = ctx.repo.create_milestone("first", description="soon", due_on=datetime.date(2030, 1, 15))
    expect("milestone", (first.number, first.title, first.state), (1, "first", "open"))
    second = ctx.repo.create_milestone("second")
    second.edit("second", state="closed")
    expect("open ones", numbers(ctx.repo.get_milestones()), [1])
    expect("closed ones", numbers(ctx.repo.get_milestones(state="closed")), [2])
    second.delete()
    refusal(404, lambda: ctx.repo.get_milestone(2).title)
    ctx.milestone = first


# Issues


@step("open an issue with labels, assignee and milestone")
def create_issue(ctx):
    issue = ctx.repo.create_issue(
        "the first",
        body="with words",
        labels=[ctx.label, ctx.repo.get_label("bug")],
        assignees=[ctx.owner],
        milestone=ctx.milestone,
    )
    expect("number, state", (issue.number, issue.state), (1, "open"))
    expect("labels", names(issue.labels), ["area: out/in put", "bug"])
    expect("assignees", logins(issue.assignees), [ctx.owner])
    expect("milestone", issue.milestone.title, "first")
    expect("user", (issue.user.login, issue.author_association), (ctx.owner, "OWNER"))
    expect("repository, through its link", issue.repository.full_name, f"{ctx.owner}/{REPO}")
    expect("read back", ctx.repo.get_issue(1).body, "with words")
    expect("milestone's issues", ctx.repo.get_milestone(1).open_issues, 1)
    expect("message", refusal(404, ctx.repo.get_issue, 999), "Not Found")
    ctx.issue = issue


@step("edit, close and reopen the issue")
def edit_issue(ctx):
    issue = ctx.issue
    issue.edit(title="the first, renamed", body="other words")
    expect("title, body", (issue.title, issue.body), ("the first, renamed", "other words"))
    issue.edit(state="closed", state_reason="not_planned")
    read = ctx.repo.get_issue(1)
    expect("state", (read.state, read.state_reason, read.closed_by.login), ("closed", "not_planned", ctx.owner))
    expect("closed ones", numbers(ctx.repo.get_issues(state="closed")), [1])
    issue.edit(state="open")
    expect("state", (issue.state, issue.state_reason, issue.closed_at), ("open", "reopened", None))


@step("notice a change, and only a change, of an issue")
def update_issue(ctx):
    issue = ctx.repo.get_issue(1)
    expect("unchanged", issue.update(), False)
    # GitHub dates an issue by its last change.
    expect("last modified", issue.last_modified_datetime, issue.updated_at)
    ctx.repo.get_issue(1).edit(body="words again")
    expect("changed", issue.update(), True)
    expect("body", issue.body, "words again")


@step("set, add and remove labels of an issue")
def issue_labels(ctx):
    issue = ctx.issue
    issue.add_to_labels("question", "stage:new one")
    expect("labels", names(issue.get_labels()), ["area: out/in put", "bug", "question", "stage:new one"])
    issue.remove_from_labels(ctx.label)
    issue.remove_from_labels("stage:new one")
    expect("labels", names(issue.get_labels()), ["bug", "question"])
    expect("message", refusal(404, issue.remove_from_labels, "wontfix"), "Label does not exist")
    issue.set_labels("wontfix")
    expect("labels", names(ctx.repo.get_issue(1).labels), ["wontfix"])
    issue.delete_labels()
    expect("labels", names(ctx.repo.get_issue(1).labels), [])
    issue.add_to_labels("bug")


@step("page through issues, forward and backward")
def pagination(ctx):
    made = [ctx.repo.create_issue(f"page {n}", labels=["duplicate"]).number for n in range(23)]
    few = connect(ctx.base, Auth.Token(ctx.token), per_page=7)
    listed = few.get_repo(ctx.repo.id).get_issues(labels=["duplicate"], direction="asc")
    # PyGithub counts by asking for pages of one, and reading the number of the last one.
    expect("totalCount", listed.totalCount, 23)
    expect("forward", numbers(listed), made)
    expect("backward", numbers(listed.reversed), made[::-1])
    expect("third page", numbers(listed.get_page(2)), made[14:21])
    expect("slice", numbers(listed[5:9]), made[5:9])
    expect("newest first", numbers(few.get_repo(ctx.repo.id).get_issues(labels=["duplicate"])), made[::-1])
    for number in made:
        ctx.repo.get_issue(number).edit(state="closed", state_reason="duplicate")
    expect("none open", ctx.repo.get_issues(labels=["duplicate"]).totalCount, 0)


@step("list issues by label, assignee, creator, milestone and time")
def list_issues(ctx):
    other = ctx.repo.create_issue("another one")
    listed = lambda **kwargs: numbers(ctx.repo.get_issues(**kwargs))
    expect("open", listed(), [other.number, 1])
    expect("label", listed(labels=["bug"]), [1])
    expect("assignee", listed(assignee=ctx.owner), [1])
    expect("nobody's", listed(assignee="none"), [other.number])
    expect("milestone", listed(milestone=ctx.milestone), [1])
    expect("creator", listed(creator=ctx.github.get_user(ctx.user2)), [])
    now = next_second(ctx)
    ctx.issue.edit(body="touched")
    expect("latest update first", listed(sort="updated"), [1, other.number])
    expect("since", listed(since=now), [1])
    ctx.other = other


# Comments, reactions, people


@step("comment, edit, list and delete")
def comments(ctx):
    one = ctx.issue.create_comment("one")
    now = next_second(ctx)
    two = ctx.issue.create_comment("two")
    bodies = lambda **kwargs: [comment.body for comment in ctx.issue.get_comments(**kwargs)]
    expect("comments", bodies(), ["one", "two"])
    expect("since", bodies(since=now), ["two"])
    one.edit("one, edited")
    expect("read back", ctx.issue.get_comment(one.id).body, "one, edited")
    expect(
        "of the repository",
        [c.id for c in ctx.repo.get_issues_comments(sort="created", direction="desc")],
        [two.id, one.id],
    )
    two.delete()
    expect("message", refusal(404, ctx.issue.get_comment, two.id), "Not Found")
    expect("count", ctx.repo.get_issue(1).comments, 1)
    ctx.comment = one


@step("react to an issue and to a comment")
def reactions(ctx):
    heart = ctx.issue.create_reaction("heart")
    expect("the same again", ctx.issue.create_reaction("heart").id, heart.id)
    ctx.issue.create_reaction("+1")
    expect("reactions", sorted(r.content for r in ctx.issue.get_reactions()), ["+1", "heart"])
    rollup = ctx.repo.get_issue(1).reactions
    expect("rollup", (rollup["total_count"], rollup["heart"], rollup["+1"]), (2, 1, 1))
    expect("deleted", ctx.issue.delete_reaction(heart.id), True)
    expect("left", [r.content for r in ctx.issue.get_reactions()], ["+1"])
    rocket = ctx.comment.create_reaction("rocket")
    expect("of the comment", [(r.content, r.user.login) for r in ctx.comment.get_reactions()], [("rocket", ctx.owner)])
    expect("deleted", ctx.comment.delete_reaction(rocket.id), True)
    expect("left", ctx.comment.get_reactions().totalCount, 0)


@step("tell strangers from collaborators")
def collaborators(ctx):
    repo, user2 = ctx.repo, ctx.user2
    theirs = ctx.github2.get_repo(ctx.repo.id)
    issue = theirs.create_issue("a stranger's")
    expect("association", issue.author_association, "NONE")
    expect("permission", repo.get_collaborator_permission(user2), "read")
    expect("collaborator", repo.has_in_collaborators(user2), False)
    expect("message", refusal(403, issue.add_to_labels, "bug"), "Must have admin rights to Repository.")
    expect("message", refusal(403, theirs.edit, description="mine"), "Must have admin rights to Repository.")
    # GitHub has nobody to invite here, as the forge has no invitations.
    expect("invitation", repo.add_to_collaborators(user2, "push"), None)
    expect(
        "permission, role",
        (repo.get_collaborator_permission(user2), repo.get_collaborator_role_name(user2)),
        ("write", "write"),
    )
    expect("collaborator", repo.has_in_collaborators(user2), True)
    expect("collaborators", sorted(logins(repo.get_collaborators())), sorted([ctx.owner, user2]))
    expect("association", repo.get_issue(issue.number).author_association, "COLLABORATOR")
    issue.add_to_labels("bug")
    expect("labelled by a collaborator", names(repo.get_issue(issue.number).labels), ["bug"])
    ctx.strange = issue


@step("keep a private repository from others")
def private(ctx):
    full_name = f"{ctx.owner}/{PRIVATE}"
    expect("message", refusal(404, ctx.github2.get_repo, full_name), "Not Found")
    expect("permission", ctx.private.get_collaborator_permission(ctx.user2), "none")
    ctx.private.add_to_collaborators(ctx.user2, "pull")
    theirs = ctx.github2.get_repo(full_name)
    expect("permissions", (theirs.permissions.pull, theirs.permissions.push), (True, False))
    sha = ctx.private.get_branch("main").commit.sha
    try:
        theirs.create_git_ref("refs/heads/mine", sha)
    except GithubException as error:
        # 403 or 404, depending on the kind of token.
        expect_in("status", error.status, (403, 404))
    else:
        raise Deviation("a ref made by a reader", "a refusal", "none")
    ctx.private.remove_from_collaborators(ctx.user2)
    refusal(404, ctx.github2.get_repo, full_name)
    ctx.private.delete()
    refusal(404, ctx.github.get_repo, full_name)


@step("assign people and lock issues")
def assign_and_lock(ctx):
    expect("assignable", sorted(logins(ctx.repo.get_assignees())), sorted([ctx.owner, ctx.user2]))
    expect("can be assigned", ctx.repo.has_in_assignees(ctx.user2), True)
    ctx.issue.add_to_assignees(ctx.user2)
    expect("assignees", sorted(logins(ctx.repo.get_issue(1).assignees)), sorted([ctx.owner, ctx.user2]))
    ctx.issue.remove_from_assignees(ctx.owner)
    expect("assignees", logins(ctx.repo.get_issue(1).assignees), [ctx.user2])
    ctx.issue.lock("resolved")
    read = ctx.repo.get_issue(1)
    expect("locked", (read.locked, read.active_lock_reason), (True, "resolved"))
    ctx.issue.unlock()
    expect("locked", ctx.repo.get_issue(1).locked, False)


@step("read events and timelines")
def events(ctx):
    found = list(ctx.issue.get_events())
    kinds = [event.event for event in found]
    expect("kinds that are missing", sorted(DONE - set(kinds)), [])
    labeled = next(event for event in found if event.event == "labeled")
    expect("labeled", (labeled.actor.login, labeled.label.name in ("bug", "area: out/in put")), (ctx.owner, True))
    assigned = [event for event in found if event.event == "assigned"][-1]
    expect("assigned", (assigned.assignee.login, assigned.assigner.login), (ctx.user2, ctx.owner))
    single = ctx.repo.get_issues_event(found[0].id)
    expect("single event", (single.event, single.issue.number), (kinds[0], 1))
    latest = ctx.repo.get_issues_events()[0]
    expect("latest of the repository", (latest.event, latest.issue.number), ("unlocked", 1))
    timeline = list(ctx.issue.get_timeline())
    commented = [entry for entry in timeline if entry.event == "commented"]
    expect("commented", [(entry.body, entry.actor.login) for entry in commented], [("one, edited", ctx.owner)])
    expect_that("timeline", "closed" in [entry.event for entry in timeline], "closed among them", len(timeline))


@step("link issues as parents and children")
def sub_issues(ctx):
    parent, one, two = (ctx.repo.create_issue(title) for title in ("parent", "child one", "child two"))
    parent.add_sub_issue(one)
    parent.add_sub_issue(two.id)
    expect("children", numbers(parent.get_sub_issues()), [one.number, two.number])
    summary = ctx.repo.get_issue(parent.number).sub_issues_summary
    expect("summary", (summary.total, summary.completed), (2, 0))
    parent.prioritize_sub_issue(one, two)
    expect("order", numbers(parent.get_sub_issues()), [two.number, one.number])
    expect("parent", ctx.repo.get_issue(one.number).parent_issue_url, parent.url)
    refusal(422, two.add_sub_issue, one)
    parent.remove_sub_issue(one)
    expect("children", numbers(parent.get_sub_issues()), [two.number])
    expect("parent", ctx.repo.get_issue(one.number).parent_issue_url, None)


@step("link issues as blockers")
def dependencies(ctx):
    blocked, blocker = ctx.repo.create_issue("blocked"), ctx.repo.create_issue("blocker")
    number = blocked.number
    # PyGithub takes the answer for the blocked issue's new state.
    blocked.add_blocked_by(blocker)
    expect("still the blocked issue", blocked.number, number)
    expect("blocked by", numbers(blocked.get_blocked_by()), [blocker.number])
    expect("blocking", numbers(blocker.get_blocking()), [number])
    expect("summary", blocked.issue_dependencies_summary.blocked_by, 1)
    refusal(422, blocker.add_blocked_by, blocked)
    blocked.remove_blocked_by(blocker)
    expect("still the blocked issue", blocked.number, number)
    expect("blocked by", numbers(blocked.get_blocked_by()), [])


# Git


def commit_file(ctx, parent, path, text, message):
    """Writes a commit that changes one file, from a blob upwards."""
    blob = ctx.repo.create_git_blob(text, "utf-8")
    entry = InputGitTreeElement(path, "100644", "blob", sha=blob.sha)
    tree = ctx.repo.create_git_tree([entry], parent.tree)
    return ctx.repo.create_git_commit(message, tree, [parent])


@step("write blobs, trees, commits and tags")
def git_objects(ctx):
    repo = ctx.repo
    ctx.start = repo.get_git_commit(repo.get_branch("main").commit.sha)
    blob = repo.create_git_blob(base64.b64encode(bytes(range(256))).decode(), "base64")
    expect("content", base64.b64decode(repo.get_git_blob(blob.sha).content), bytes(range(256)))
    tree = repo.create_git_tree(
        [
            InputGitTreeElement("data/all.bin", "100644", "blob", sha=blob.sha),
            InputGitTreeElement("run.sh", "100755", "blob", content="#!/bin/sh\n"),
        ]
    )
    expect(
        "tree", [e.path for e in repo.get_git_tree(tree.sha, recursive=True).tree], ["data", "data/all.bin", "run.sh"]
    )
    ada = InputGitAuthor("Ada", "ada@example.org", "2020-02-03T04:05:06Z")
    commit = repo.create_git_commit("by Ada", tree, [ctx.start], author=ada)
    read = repo.get_git_commit(commit.sha)
    expect("commit", (read.message, read.author.name, read.tree.sha), ("by Ada", "Ada", tree.sha))
    expect("date", read.author.date, datetime.datetime(2020, 2, 3, 4, 5, 6, tzinfo=datetime.timezone.utc))
    tag = repo.create_git_tag("v1", "the first", commit.sha, "commit", tagger=ada)
    repo.create_git_ref("refs/tags/v1", tag.sha)
    expect("tag", (repo.get_git_tag(tag.sha).object.sha, repo.get_git_ref("tags/v1").object.type), (commit.sha, "tag"))


@step("create, move, list and delete refs")
def refs(ctx):
    repo = ctx.repo
    second = commit_file(ctx, ctx.start, "two.txt", "two\n", "second")
    ref = repo.create_git_ref("refs/baton/claims/1", ctx.start.sha)
    expect("ref", (ref.ref, ref.object.sha), ("refs/baton/claims/1", ctx.start.sha))
    expect("message", refusal(422, repo.create_git_ref, "refs/baton/claims/1", second.sha), "Reference already exists")
    ref.edit(second.sha)
    expect("moved", repo.get_git_ref("baton/claims/1").object.sha, second.sha)
    expect("message", refusal(422, ref.edit, ctx.start.sha, False), "Update is not a fast forward")
    expect("unmoved", repo.get_git_ref("baton/claims/1").object.sha, second.sha)
    ref.edit(ctx.start.sha, force=True)
    expect("moved back", repo.get_git_ref("baton/claims/1").object.sha, ctx.start.sha)
    repo.create_git_ref("refs/baton/claims/12", second.sha)
    matching = [(ref.ref, ref.object.sha) for ref in repo.get_git_matching_refs("baton/claims/1")]
    expect("matching", matching, [("refs/baton/claims/1", ctx.start.sha), ("refs/baton/claims/12", second.sha)])
    ref.delete()
    refusal(404, lambda: repo.get_git_ref("baton/claims/1").object)
    ctx.second = second


@step("write, read and delete files")
def contents(ctx):
    repo = ctx.repo
    repo.create_git_ref("refs/heads/files", ctx.start.sha)
    created = repo.create_file("docs/a file.txt", "write a file", "one\n", branch="files")
    read = repo.get_contents("docs/a file.txt", ref="files")
    expect("content", (read.decoded_content, read.sha), (b"one\n", created["content"].sha))
    updated = repo.update_file(read.path, "write it again", "two\n", read.sha, branch="files")
    refusal(409, repo.update_file, read.path, "too late", "three\n", read.sha, branch="files")
    expect("directory", [entry.path for entry in repo.get_contents("docs", ref="files")], ["docs/a file.txt"])
    deleted = repo.delete_file(read.path, "delete it", updated["content"].sha, branch="files")
    refusal(404, repo.get_contents, read.path, ref="files")
    messages = [commit.commit.message for commit in repo.get_commits(sha="files")]
    expect("commits", messages, ["delete it", "write it again", "write a file", "Initial commit"])
    expect("tip", repo.get_branch("files").commit.sha, deleted["commit"].sha)
    comparison = repo.compare("main", "files")
    expect("comparison", (comparison.status, comparison.ahead_by, comparison.total_commits), ("ahead", 3, 3))
    expect("branches", names(repo.get_branches()), ["files", "main"])


# Pull requests and search


@step("open a pull request, and find it by its branch")
def create_pull(ctx):
    repo = ctx.repo
    ctx.goal = repo.create_issue("to be closed by a merge")
    repo.create_git_ref("refs/heads/feature", ctx.second.sha)
    pull = repo.create_pull("main", "feature", title="a feature", body=f"Fixes #{ctx.goal.number}")
    expect("pull request", (pull.state, pull.merged, pull.draft), ("open", False, False))
    expect("head, base", (pull.head.sha, pull.head.ref, pull.base.ref), (ctx.second.sha, "feature", "main"))
    expect("repository of the head", pull.head.repo.full_name, repo.full_name)
    expect("by head", numbers(repo.get_pulls(head=f"{ctx.owner}:feature")), [pull.number])
    expect("by another head", numbers(repo.get_pulls(head=f"{ctx.owner}:files")), [])
    expect("message", refusal(422, repo.create_pull, "main", "feature", title="again"), "Validation Failed")
    expect("as an issue", pull.as_issue().pull_request.raw_data["url"], pull.url)
    expect("among the issues", pull.number in numbers(repo.get_issues()), True)
    ctx.pull = pull


@step("edit, comment and label a pull request")
def edit_pull(ctx):
    pull = ctx.pull
    pull.edit(title="a better feature")
    pull.add_to_labels("enhancement")
    comment = pull.create_issue_comment("looks good")
    read = ctx.repo.get_pull(pull.number)
    expect("title, labels", (read.title, names(read.labels)), ("a better feature", ["enhancement"]))
    expect("comments", [c.id for c in read.get_issue_comments()], [comment.id])
    expect("size", (read.commits, read.additions, read.changed_files, read.comments), (1, 1, 1, 1))
    wait_until("mergeable is known", lambda: ctx.repo.get_pull(pull.number).mergeable is not None)
    expect("mergeable", ctx.repo.get_pull(pull.number).mergeable, True)


@step("merge a pull request, which closes its issue")
def merge(ctx):
    pull, repo = ctx.pull, ctx.repo
    expect("merged", pull.is_merged(), False)
    message = refusal(409, pull.merge, sha=ctx.start.sha)
    expect("message", message, "Head branch was modified. Review and try the merge again.")
    status = pull.merge(sha=ctx.second.sha, commit_title="Merge the feature")
    expect("status", (status.merged, status.message), (True, "Pull Request successfully merged"))
    expect("main", repo.get_branch("main").commit.sha, status.sha)
    expect("merged", pull.is_merged(), True)
    expect("message", refusal(405, pull.merge), "Pull Request is not mergeable")
    read = repo.get_pull(pull.number)
    expect("pull request", (read.state, read.merged_by.login, read.merge_commit_sha), ("closed", ctx.owner, status.sha))
    goal = repo.get_issue(ctx.goal.number)
    expect("issue", (goal.state, goal.state_reason), ("closed", "completed"))
    kinds = [event.event for event in read.get_issue_events()]
    expect_that("events", {"labeled", "renamed", "merged", "closed"} <= set(kinds), "merged and closed", kinds)
    pull.delete_branch()
    refusal(404, repo.get_branch, "feature")


@step("search issues")
def search(ctx):
    here = f"repo:{ctx.owner}/{REPO}"
    found = lambda query: ctx.github.search_issues(f"{here} {query}")
    expect("label", numbers(found("is:issue is:open label:bug").reversed), sorted([1, ctx.strange.number]))
    expect("without a label", ctx.strange.number in numbers(found("is:issue -label:bug")), False)
    expect("total", found("is:issue label:duplicate").totalCount, 23)
    expect("paged", len(set(numbers(found("is:issue label:duplicate")))), 23)
    expect("text", numbers(found('is:issue "a stranger\'s" in:title')), [ctx.strange.number])
    expect("pull request", [issue.as_pull_request().merged for issue in found("is:pr is:merged")], [True])
    expect("nothing", found("is:issue label:nobody-has-this").totalCount, 0)


def connect(base, auth, **options):
    # PyGithub waits between requests to spare GitHub, and tries again what failed.
    return Github(
        base_url=base, auth=auth, retry=None, seconds_between_requests=None, seconds_between_writes=None, **options
    )


def explain(error):
    if isinstance(error, GithubException):
        return f"{error.status}: {error.data}"
    return None


def main():
    base, token = sys.argv[1].rstrip("/"), sys.argv[2]
    context = SimpleNamespace(
        base=base,
        token=token,
        github=connect(base, Auth.Token(token)),
        github2=connect(base, Auth.Token(os.environ["FORGE_TOKEN2"])),
        user2=os.environ["FORGE_USER2"],
    )
    run([sys.modules[__name__]], context, explain)


if __name__ == "__main__":
    main()
