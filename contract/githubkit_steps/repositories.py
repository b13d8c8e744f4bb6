"""Repositories, public and private."""

from githubkit.exception import RequestFailed

from githubkit_steps.answers import PRIVATE, REPO, body, nothing, refusal
from steps import expect, step


@step("remove what an earlier run left")
def clean_up(ctx):
    for name in (REPO, PRIVATE):
        try:
            nothing(ctx.rest.repos.delete(ctx.owner, name))
        except RequestFailed as error:
            expect("status", error.response.status_code, 404)


@step("create a repository")
def create_repository(ctx):
    response = ctx.rest.repos.create_for_authenticated_user(
        name=REPO, description="a first description", auto_init=True, has_issues=True
    )
    repo = body(response, 201)
    expect("full_name", repo.full_name, f"{ctx.owner}/{REPO}")
    expect("owner", repo.owner.login, ctx.owner)
    expect("description", repo.description, "a first description")
    expect("private, visibility", (repo.private, repo.visibility), (False, "public"))
    expect("default_branch", repo.default_branch, "main")
    expect("url", repo.url, f"{ctx.base}/repos/{ctx.owner}/{REPO}")
    expect("clone_url", repo.clone_url, f"{ctx.base}/{ctx.owner}/{REPO}.git")
    expect("location", response.headers["location"], repo.url)
    permissions = repo.permissions
    expect("permissions", (permissions.admin, permissions.push, permissions.pull), (True, True, True))
    ctx.repo_id = repo.id
    ctx.at = (ctx.owner, REPO)


@step("read the repository back")
def get_repository(ctx):
    repo = body(ctx.rest.repos.get(*ctx.at))
    expect("id", repo.id, ctx.repo_id)
    expect("open_issues_count", repo.open_issues_count, 0)
    expect("has_issues, archived, fork", (repo.has_issues, repo.archived, repo.fork), (True, False, False))
    shouted = body(ctx.rest.repos.get(ctx.owner.upper(), REPO.upper()))
    expect("id by a name in capitals", shouted.id, ctx.repo_id)
    by_id = body(ctx.github.request("GET", f"/repositories/{ctx.repo_id}"))
    expect("full_name by id", by_id["full_name"], f"{ctx.owner}/{REPO}")
    own = ctx.rest.paginate(ctx.rest.repos.list_for_authenticated_user, per_page=100)
    expect("among the own ones", REPO in [repo.name for repo in own], True)
    seen = ctx.rest2.paginate(ctx.rest2.repos.list_for_user, username=ctx.owner, per_page=100)
    expect("among those that others see", REPO in [repo.name for repo in seen], True)


@step("be refused a second repository of that name")
def create_repository_again(ctx):
    error = refusal(422, ctx.rest.repos.create_for_authenticated_user, name=REPO)
    expect("message", error.message, "Repository creation failed.")
    expect(
        "errors",
        [(e.resource, e.field, e.message) for e in error.errors],
        [("Repository", "name", "name already exists on this account")],
    )


@step("change the repository")
def update_repository(ctx):
    repo = body(ctx.rest.repos.update(*ctx.at, description="a second description"))
    expect("description", repo.description, "a second description")
    expect("description, read back", body(ctx.rest.repos.get(*ctx.at)).description, "a second description")


@step("create a private repository, which is not there for others")
def create_private_repository(ctx):
    repo = body(ctx.rest.repos.create_for_authenticated_user(name=PRIVATE, private=True, auto_init=True), 201)
    expect("private, visibility", (repo.private, repo.visibility), (True, "private"))
    seen = ctx.rest2.paginate(ctx.rest2.repos.list_for_user, username=ctx.owner, per_page=100)
    expect("among those that others see", PRIVATE in [repo.name for repo in seen], False)
    for rest in (ctx.rest2, ctx.anonymous.rest):
        expect("message", refusal(404, rest.repos.get, ctx.owner, PRIVATE).message, "Not Found")
        expect("message", refusal(404, rest.issues.list_for_repo, ctx.owner, PRIVATE).message, "Not Found")
