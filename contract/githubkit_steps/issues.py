"""Issues: opened, changed, closed, labelled."""

from urllib.parse import quote

from githubkit.utils import UNSET

from githubkit_steps.answers import REPO, body, label_names, nothing, refusal
from steps import expect, expect_that, server_second, step


@step("open an issue with labels, assignee and milestone")
def create_issue(ctx):
    response = ctx.rest.issues.create(
        *ctx.at,
        title="the first",
        body="with *words*",
        labels=["bug", ctx.label],
        assignees=[ctx.owner],
        milestone=ctx.milestone,
    )
    issue = body(response, 201)
    expect("number", issue.number, 1)
    expect("state, state_reason", (issue.state, issue.state_reason), ("open", None))
    expect("title, body", (issue.title, issue.body), ("the first", "with *words*"))
    expect("labels", label_names(issue.labels), sorted(["bug", ctx.label]))
    expect("assignees", [user.login for user in issue.assignees], [ctx.owner])
    expect("milestone", issue.milestone.title, "first")
    expect("user, association", (issue.user.login, issue.author_association), (ctx.owner, "OWNER"))
    expect("comments, locked", (issue.comments, issue.locked), (0, False))
    expect("url", issue.url, f"{ctx.base}/repos/{ctx.owner}/{REPO}/issues/1")
    expect("html_url", issue.html_url, f"{ctx.base}/{ctx.owner}/{REPO}/issues/1")
    expect("location", response.headers["location"], issue.url)
    expect("pull_request", issue.pull_request, UNSET)
    age_s = (server_second(response.headers) - issue.created_at).total_seconds()
    expect_that("created_at", 0 <= age_s <= 5, "now", issue.created_at)
    ctx.first = issue


@step("read the issue back")
def get_issue(ctx):
    issue = body(ctx.rest.issues.get(*ctx.at, 1))
    expect("id", issue.id, ctx.first.id)
    expect("created_at", issue.created_at, ctx.first.created_at)
    milestone = body(ctx.rest.issues.get_milestone(*ctx.at, ctx.milestone))
    expect("issues of the milestone", (milestone.open_issues, milestone.closed_issues), (1, 0))
    labels = body(ctx.rest.issues.list_labels_for_milestone(*ctx.at, ctx.milestone))
    expect("labels of the milestone", label_names(labels), sorted(["bug", ctx.label]))
    expect("open_issues_count", body(ctx.rest.repos.get(*ctx.at)).open_issues_count, 1)
    error = refusal(404, ctx.rest.issues.get, *ctx.at, 999)
    expect("error", (error.message, error.status), ("Not Found", "404"))


@step("be refused issues without a title or with an unknown milestone")
def refused_issues(ctx):
    create = lambda **fields: refusal(422, ctx.github.request, "POST", f"/repos/{ctx.owner}/{REPO}/issues", json=fields)
    error = create(body="no title")
    expect_that("message", '"title" wasn\'t supplied' in error["message"], "says what is missing", error["message"])
    errors = create(title="")["errors"]
    expect("errors", [(e["resource"], e["field"], e["code"]) for e in errors], [("Issue", "title", "missing_field")])
    errors = create(title="x", milestone=99)["errors"]
    expect("errors", [(e["resource"], e["field"], e["code"]) for e in errors], [("Issue", "milestone", "invalid")])
    error = refusal(400, ctx.github.request, "POST", f"/repos/{ctx.owner}/{REPO}/issues", content=b"{")
    expect("message", error["message"], "Problems parsing JSON")
    expect("open_issues_count", body(ctx.rest.repos.get(*ctx.at)).open_issues_count, 1)


@step("change the issue's title and body")
def update_issue(ctx):
    issue = body(ctx.rest.issues.update(*ctx.at, 1, title="the first, renamed", body="other words"))
    expect("title, body", (issue.title, issue.body), ("the first, renamed", "other words"))
    expect("labels, left alone", len(issue.labels), 2)
    cleared = body(ctx.rest.issues.update(*ctx.at, 1, milestone=None))
    expect("milestone", cleared.milestone, None)
    again = body(ctx.rest.issues.update(*ctx.at, 1, milestone=ctx.milestone))
    expect("milestone", again.milestone.number, ctx.milestone)


@step("close and reopen the issue, with reasons")
def close_issue(ctx):
    issue = body(ctx.rest.issues.update(*ctx.at, 1, state="closed", state_reason="not_planned"))
    expect("state, reason", (issue.state, issue.state_reason), ("closed", "not_planned"))
    expect("closed_by", issue.closed_by.login, ctx.owner)
    expect_that("closed_at", issue.closed_at >= issue.created_at, "a time", issue.closed_at)
    expect("open_issues_count", body(ctx.rest.repos.get(*ctx.at)).open_issues_count, 0)
    issue = body(ctx.rest.issues.update(*ctx.at, 1, state="open"))
    expect("state, reason, closed_at", (issue.state, issue.state_reason, issue.closed_at), ("open", "reopened", None))
    issue = body(ctx.rest.issues.update(*ctx.at, 1, state="closed"))
    expect("state, reason", (issue.state, issue.state_reason), ("closed", "completed"))
    issue = body(ctx.rest.issues.update(*ctx.at, 1, state="open"))
    expect("state", issue.state, "open")


@step("set, add and remove labels of an issue")
def issue_labels(ctx):
    labels = lambda: label_names(body(ctx.rest.issues.list_labels_on_issue(*ctx.at, 1)))
    added = body(ctx.rest.issues.add_labels(*ctx.at, 1, labels=["question", "stage:new one"]))
    expect("labels", label_names(added), sorted(["bug", ctx.label, "question", "stage:new one"]))
    expect("a label made on the way", body(ctx.rest.issues.get_label(*ctx.at, "stage%3Anew%20one")).default, False)
    left = body(ctx.rest.issues.remove_label(*ctx.at, 1, quote(ctx.label, safe="")))
    expect("labels left", label_names(left), ["bug", "question", "stage:new one"])
    error = refusal(404, ctx.rest.issues.remove_label, *ctx.at, 1, "wontfix")
    expect("message", error.message, "Label does not exist")
    expect("labels set", label_names(body(ctx.rest.issues.set_labels(*ctx.at, 1, labels=["bug"]))), ["bug"])
    nothing(ctx.rest.issues.remove_all_labels(*ctx.at, 1))
    expect("no labels", labels(), [])
    body(ctx.rest.issues.add_labels(*ctx.at, 1, labels=["bug"]))
    expect("labels", labels(), ["bug"])
