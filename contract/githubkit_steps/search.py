"""Search, conditional requests, and the end of a repository."""

import email.utils

from githubkit_steps.answers import PRIVATE, REPO, body, nothing, numbers, refusal
from steps import expect, expect_that, step


@step("search issues")
def search(ctx):
    def found(*terms):
        query = " ".join((f"repo:{ctx.owner}/{REPO}", *terms))
        result = body(ctx.rest.search.issues_and_pull_requests(q=query, per_page=100))
        expect("incomplete_results", result.incomplete_results, False)
        expect("total_count", result.total_count, len(result.items))
        return sorted(numbers(result.items))

    expect("label", found("is:issue", "label:bug"), [1, ctx.closed])
    expect("label and state", found("is:issue", "label:bug", "state:open"), [1])
    expect("label without another", found("is:issue", "label:bug", "-label:wontfix"), [1])
    expect("label with spaces and colon", found("is:issue", 'label:"stage:new one"'), [])
    body(ctx.rest.issues.add_labels(*ctx.at, 1, labels=["stage:new one"]))
    expect("label with spaces and colon", found("is:issue", 'label:"stage:new one"'), [1])
    expect("author", found("is:issue", f"author:{ctx.user2}"), [ctx.strange])
    expect("assignee", found("is:issue", f"assignee:{ctx.user2}"), [1])
    expect("text", found("is:issue", "renamed", "in:title"), [1, ctx.strange])
    expect("text of a body", found("is:issue", '"other words"'), [1])
    expect("pull requests", found("is:pr", "is:merged", "label:enhancement"), [ctx.pull])
    expect("milestone", found("is:issue", "milestone:first"), [1])
    expect("nothing", found("is:issue", "label:nobody-has-this"), [])


@step("page through search results, and search only what is visible")
def search_pages(ctx):
    query = f"repo:{ctx.owner}/{REPO} is:issue label:duplicate"
    pages = ctx.rest.paginate(
        ctx.rest.search.issues_and_pull_requests, lambda r: r.parsed_data.items, q=query, per_page=10
    )
    expect("all of them", len(set(numbers(pages))), 23)
    response = ctx.rest.search.issues_and_pull_requests(q=query, per_page=10)
    expect("total_count", body(response).total_count, 23)
    expect("x-ratelimit-resource", response.headers["x-ratelimit-resource"], "search")
    hidden = f"repo:{ctx.owner}/{PRIVATE} is:issue"
    expect("own", body(ctx.rest.search.issues_and_pull_requests(q=hidden)).total_count, 1)
    refusal(422, ctx.rest2.search.issues_and_pull_requests, q=hidden)


@step("ask only for what has changed, and be charged only for that")
def conditional(ctx):
    get = lambda **headers: ctx.rest.issues.get(*ctx.at, 1, headers=headers)
    used = lambda response: int(response.headers["x-ratelimit-used"])
    first = get()
    tag = first.headers["etag"]
    same = get(**{"If-None-Match": tag})
    expect("status, body", (same.status_code, same.content), (304, b""))
    expect("etag", same.headers["etag"], tag)
    expect("x-ratelimit-used", used(same), used(first))
    expect("x-ratelimit-used after a whole answer", used(get()), used(first) + 1)
    body(ctx.rest.issues.update(*ctx.at, 1, body="changed for the tag"))
    changed = get(**{"If-None-Match": tag})
    expect("body", body(changed).body, "changed for the tag")
    expect_that("etag", changed.headers["etag"] != tag, "another one", tag)
    modified = email.utils.format_datetime(changed.parsed_data.updated_at, usegmt=True)
    expect("last-modified", changed.headers.get("last-modified"), modified)
    dated = get(**{"If-Modified-Since": modified})
    expect("status by date", (dated.status_code, dated.content), (304, b""))
    listed = ctx.rest.issues.list_for_repo(*ctx.at)
    again = ctx.rest.issues.list_for_repo(*ctx.at, headers={"If-None-Match": listed.headers["etag"]})
    expect("status of a list", again.status_code, 304)


@step("delete a repository")
def delete_repository(ctx):
    nothing(ctx.rest.repos.delete(ctx.owner, PRIVATE))
    expect("message", refusal(404, ctx.rest.repos.get, ctx.owner, PRIVATE).message, "Not Found")
    expect("the other one", body(ctx.rest.repos.get(*ctx.at)).id, ctx.repo_id)
