"""Sub-issues and dependencies."""

from githubkit_steps.answers import REPO, body, numbers, refusal
from steps import expect, step


def new_issues(ctx, *titles):
    return [body(ctx.rest.issues.create(*ctx.at, title=title), 201) for title in titles]


@step("give an issue sub-issues")
def sub_issues(ctx):
    parent, one, two, three = new_issues(ctx, "parent", "child one", "child two", "child three")
    add = lambda issue: ctx.rest.issues.add_sub_issue(*ctx.at, parent.number, sub_issue_id=issue.id)
    response = add(one)
    answer = body(response, 201)
    expect("answer is the parent", answer.number, parent.number)
    expect("location", response.headers["location"], parent.url)
    expect("summary", (answer.sub_issues_summary.total, answer.sub_issues_summary.completed), (1, 0))
    body(add(two), 201)
    body(add(three), 201)
    children = body(ctx.rest.issues.list_sub_issues(*ctx.at, parent.number))
    expect("children", numbers(children), [one.number, two.number, three.number])
    # A sub-issue may live in another repository, so each says where it lives.
    ctx.parent, ctx.children = parent, (one, two, three)
    expect(
        "repository",
        [child.repository and child.repository.full_name for child in children],
        [f"{ctx.owner}/{REPO}"] * 3,
    )
    expect("parent", body(ctx.rest.issues.get_parent(*ctx.at, two.number)).number, parent.number)
    expect("parent_issue_url", body(ctx.rest.issues.get(*ctx.at, two.number)).parent_issue_url, parent.url)
    expect("no parent", refusal(404, ctx.rest.issues.get_parent, *ctx.at, parent.number).message, "Not Found")


@step("reorder, complete and remove sub-issues")
def change_sub_issues(ctx):
    parent, (one, two, three) = ctx.parent, ctx.children
    order = lambda: numbers(body(ctx.rest.issues.list_sub_issues(*ctx.at, parent.number)))
    move = lambda issue, **place: body(
        ctx.rest.issues.reprioritize_sub_issue(*ctx.at, parent.number, sub_issue_id=issue.id, **place)
    )
    expect("answer is the parent", move(one, after_id=three.id).number, parent.number)
    expect("moved behind", order(), [two.number, three.number, one.number])
    move(three, before_id=two.id)
    expect("moved before", order(), [three.number, two.number, one.number])
    body(ctx.rest.issues.update(*ctx.at, two.number, state="closed"))
    summary = body(ctx.rest.issues.get(*ctx.at, parent.number)).sub_issues_summary
    expect("summary", (summary.total, summary.completed, summary.percent_completed), (3, 1, 33))
    removed = body(ctx.rest.issues.remove_sub_issue(*ctx.at, parent.number, sub_issue_id=three.id))
    expect("answer is the parent", removed.number, parent.number)
    expect("left", order(), [two.number, one.number])
    refusal(404, ctx.rest.issues.get_parent, *ctx.at, three.number)
    refusal(404, ctx.rest.issues.remove_sub_issue, *ctx.at, parent.number, sub_issue_id=three.id)


@step("refuse a second parent, a circle and an unknown sub-issue")
def refused_sub_issues(ctx):
    parent, (one, _, three) = ctx.parent, ctx.children
    add = ctx.rest.issues.add_sub_issue
    refusal(422, add, *ctx.at, three.number, sub_issue_id=one.id)
    refusal(422, add, *ctx.at, one.number, sub_issue_id=parent.id)
    refusal(422, add, *ctx.at, parent.number, sub_issue_id=parent.id)
    expect("parent", body(ctx.rest.issues.get_parent(*ctx.at, one.number)).number, parent.number)
    moved = body(add(*ctx.at, three.number, sub_issue_id=one.id, replace_parent=True), 201)
    expect("answer is the new parent", moved.number, three.number)
    expect("parent", body(ctx.rest.issues.get_parent(*ctx.at, one.number)).number, three.number)


@step("find sub-issues in the timelines of both ends")
def sub_issue_events(ctx):
    parent, (one, _, three) = ctx.parent, ctx.children
    read = lambda issue: body(ctx.rest.issues.list_events_for_timeline(*ctx.at, issue.number, per_page=100))
    added = [entry.sub_issue.number for entry in read(parent) if entry.event == "sub_issue_added"]
    expect("sub_issue_added", added, [child.number for child in ctx.children])
    removed = [entry.sub_issue.number for entry in read(parent) if entry.event == "sub_issue_removed"]
    expect("sub_issue_removed", removed, [three.number, one.number])
    parents = [entry.parent_issue.number for entry in read(one) if entry.event == "parent_issue_added"]
    expect("parent_issue_added", parents, [parent.number, three.number])


@step("block an issue by others")
def dependencies(ctx):
    blocked, first, second = new_issues(ctx, "blocked", "blocks it", "blocks it, too")
    add = lambda issue, by: ctx.rest.issues.add_blocked_by_dependency(*ctx.at, issue.number, issue_id=by.id)
    expect("answer is the blocked issue", body(add(blocked, first), 201).number, blocked.number)
    body(add(blocked, second), 201)
    blockers = lambda: sorted(numbers(body(ctx.rest.issues.list_dependencies_blocked_by(*ctx.at, blocked.number))))
    expect("blocked by", blockers(), [first.number, second.number])
    blocking = body(ctx.rest.issues.list_dependencies_blocking(*ctx.at, first.number))
    expect("blocking", numbers(blocking), [blocked.number])
    read = lambda issue: body(ctx.rest.issues.get(*ctx.at, issue.number)).issue_dependencies_summary
    expect("summary", (read(blocked).blocked_by, read(blocked).total_blocked_by), (2, 2))
    expect("summary of a blocker", (read(first).blocking, read(first).total_blocking), (1, 1))
    # What is closed no longer blocks, but is still listed.
    body(ctx.rest.issues.update(*ctx.at, second.number, state="closed"))
    expect("summary", (read(blocked).blocked_by, read(blocked).total_blocked_by), (1, 2))
    ctx.blocked, ctx.blockers = blocked, (first, second)


@step("refuse circles of dependencies, and remove them")
def change_dependencies(ctx):
    blocked, (first, second) = ctx.blocked, ctx.blockers
    add = ctx.rest.issues.add_blocked_by_dependency
    refusal(422, add, *ctx.at, first.number, issue_id=blocked.id)
    refusal(422, add, *ctx.at, blocked.number, issue_id=blocked.id)
    refusal(422, add, *ctx.at, blocked.number, issue_id=first.id)
    answer = body(ctx.rest.issues.remove_dependency_blocked_by(*ctx.at, blocked.number, second.id))
    expect("answer is the blocked issue", answer.number, blocked.number)
    left = body(ctx.rest.issues.list_dependencies_blocked_by(*ctx.at, blocked.number))
    expect("left", numbers(left), [first.number])
    expect("no longer blocking", body(ctx.rest.issues.list_dependencies_blocking(*ctx.at, second.number)), [])
    refusal(404, ctx.rest.issues.remove_dependency_blocked_by, *ctx.at, blocked.number, second.id)
    kinds = [entry.event for entry in body(ctx.rest.issues.list_events_for_timeline(*ctx.at, blocked.number))]
    expect("events", kinds, ["blocked_by_added", "blocked_by_added", "blocked_by_removed"])
