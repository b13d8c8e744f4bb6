"""The server itself: its addresses, its accounts, its limits, its versions."""

from githubkit_steps.answers import body, refusal
from steps import expect, expect_that, server_second, step


@step("read the root, the meta data and a word")
def read_meta(ctx):
    root = body(ctx.rest.meta.root())
    expect("current_user_url", root.current_user_url, f"{ctx.base}/user")
    expect("repository_url", root.repository_url, f"{ctx.base}/repos/{{owner}}/{{repo}}")
    meta = body(ctx.rest.meta.get())
    expect("verifiable_password_authentication", meta.verifiable_password_authentication, False)
    zen = ctx.rest.meta.get_zen()
    expect_that("zen", zen.headers["content-type"].startswith("text/plain") and zen.text, "a sentence", zen.text)


@step("read the own account and another one")
def read_users(ctx):
    me = body(ctx.rest.users.get_authenticated())
    ctx.owner, ctx.me = me.login, me
    expect("type", me.type, "User")
    same = body(ctx.rest.users.get_by_username(me.login))
    expect("id", same.id, me.id)
    other = body(ctx.rest.users.get_by_username(ctx.user2))
    expect("login", other.login, ctx.user2)
    expect_that("id", other.id != me.id, "another id", other.id)
    expect("message", refusal(404, ctx.rest.users.get_by_username, "nobody-of-that-name").message, "Not Found")


@step("change the own profile")
def update_user(ctx):
    changed = body(ctx.rest2.users.update_authenticated(name="A Second Person"))
    expect("name", (changed.login, changed.name), (ctx.user2, "A Second Person"))
    expect("read back", body(ctx.rest.users.get_by_username(ctx.user2)).name, "A Second Person")


@step("read the rate limit without spending any")
def read_rate_limit(ctx):
    resources = body(ctx.rest.rate_limit.get()).resources
    core = resources.core
    expect("limit", core.used + core.remaining, core.limit)
    again = body(ctx.rest.rate_limit.get()).resources.core
    expect("used", again.used, core.used)
    now = server_second(ctx.rest.rate_limit.get().headers).timestamp()
    expect_that("reset", now < core.reset <= now + 3600, "within the next hour", core.reset - now)
    expect_that("reset of search", resources.search.reset <= now + 60, "within a minute", resources.search.reset - now)
    response = ctx.rest.users.get_authenticated()
    expect("x-ratelimit-resource", response.headers["x-ratelimit-resource"], "core")
    expect("x-ratelimit-used", int(response.headers["x-ratelimit-used"]), core.used + 1)


@step("be told which version of the API answers")
def api_version(ctx):
    response = ctx.rest.users.get_authenticated()
    sent = response.raw_request.headers["x-github-api-version"]
    expect("x-github-api-version-selected", response.headers["x-github-api-version-selected"], sent)
    refusal(400, ctx.github.request, "GET", "/user", headers={"X-GitHub-Api-Version": "1999-01-01"})
