"""Lists of issues: filters, order, pages."""

import re

from githubkit_steps.answers import REPO, body, next_second, numbers
from steps import expect, step


@step("list issues by state, label, assignee, creator and milestone")
def list_filters(ctx):
    listed = lambda **kwargs: sorted(numbers(body(ctx.rest.issues.list_for_repo(*ctx.at, **kwargs))))
    closed = body(ctx.rest.issues.create(*ctx.at, title="closed at once", labels=["wontfix", "bug"]), 201).number
    body(ctx.rest.issues.update(*ctx.at, closed, state="closed"))
    expect("open", listed(), [1, ctx.strange])
    expect("closed", listed(state="closed"), [closed])
    expect("all", listed(state="all"), [1, ctx.strange, closed])
    expect("one label", listed(state="all", labels="bug"), [1, closed])
    expect("two labels, both", listed(state="all", labels="bug,wontfix"), [closed])
    expect("a label nobody has", listed(state="all", labels="question"), [])
    expect("assignee", listed(assignee=ctx.user2), [1])
    expect("assignee none", listed(assignee="none"), [ctx.strange])
    expect("assignee any", listed(assignee="*"), [1])
    expect("creator", listed(creator=ctx.user2), [ctx.strange])
    expect("milestone", listed(milestone=str(ctx.milestone)), [1])
    expect("milestone none", listed(milestone="none"), [ctx.strange])
    expect("milestone any", listed(milestone="*"), [1])
    ctx.closed = closed


@step("list issues by time, in either direction")
def list_order(ctx):
    listed = lambda **kwargs: numbers(body(ctx.rest.issues.list_for_repo(*ctx.at, state="all", **kwargs)))
    by_creation = [1, ctx.strange, ctx.closed]
    expect("newest first", listed(), by_creation[::-1])
    expect("oldest first", listed(sort="created", direction="asc"), by_creation)
    now = next_second(ctx)
    body(ctx.rest.issues.update(*ctx.at, ctx.strange, body="touched"))
    expect("latest update first", listed(sort="updated")[0], ctx.strange)
    expect("latest update last", listed(sort="updated", direction="asc")[-1], ctx.strange)
    expect("since", listed(since=now), [ctx.strange])
    # The stranger's issue has two comments, the first one has one, the closed one none.
    expect("most comments first", listed(sort="comments"), [ctx.strange, 1, ctx.closed])


@step("page through a list by the Link header")
def pagination(ctx):
    made = [
        body(ctx.rest.issues.create(*ctx.at, title=f"page {n}", labels=["duplicate"]), 201).number for n in range(23)
    ]
    ctx.requests.clear()
    pages = ctx.rest.paginate(
        ctx.rest.issues.list_for_repo, owner=ctx.owner, repo=REPO, labels="duplicate", direction="asc", per_page=7
    )
    expect("all of them, once each", numbers(pages), made)
    expect("requests", len(ctx.requests), 4)
    response = ctx.rest.issues.list_for_repo(*ctx.at, labels="duplicate", per_page=7, page=2)
    relations = re.findall(r'<[^>]*[?&]page=(\d+)[^>]*>; rel="(\w+)"', response.headers["link"])
    expect("relations", {name: int(page) for page, name in relations}, {"prev": 1, "next": 3, "last": 4, "first": 1})
    expect("a page behind the last", body(ctx.rest.issues.list_for_repo(*ctx.at, page=999)), [])
    single = ctx.rest.issues.list_for_repo(*ctx.at, labels="wontfix", state="all", per_page=7)
    expect("Link of a list that fits one page", single.headers.get("link"), None)
    expect("default size", len(body(ctx.rest.issues.list_for_repo(*ctx.at, state="all"))), len(made) + 3)
    for number in made:
        body(ctx.rest.issues.update(*ctx.at, number, state="closed", state_reason="duplicate"))
