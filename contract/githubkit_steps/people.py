"""Who may do what: strangers, collaborators of every level, and nobody in particular."""

from githubkit import TokenAuthStrategy

from githubkit_steps.answers import PRIVATE, body, client, message_of, nothing, refusal, refused
from steps import expect, step


@step("let a stranger read, ask and comment in a public repository")
def stranger(ctx):
    expect("permissions", body(ctx.rest2.repos.get(*ctx.at)).permissions.push, False)
    # Labels and assignees of somebody who may not set them are dropped without a word.
    issue = body(ctx.rest2.issues.create(*ctx.at, title="a stranger's", labels=["bug"], assignees=[ctx.owner]), 201)
    expect("user, association", (issue.user.login, issue.author_association), (ctx.user2, "NONE"))
    expect("labels, assignees", (issue.labels, issue.assignees), ([], []))
    comment = body(ctx.rest2.issues.create_comment(*ctx.at, issue.number, body="anybody there?"), 201)
    expect("association", comment.author_association, "NONE")
    own = body(ctx.rest2.issues.update(*ctx.at, issue.number, title="a stranger's, renamed"))
    expect("title", own.title, "a stranger's, renamed")
    ctx.strange, ctx.strange_comment = issue.number, comment.id


@step("refuse a stranger everything else")
def stranger_refused(ctx):
    at = ctx.at
    for error in (
        refusal(403, ctx.rest2.issues.add_labels, *at, ctx.strange, labels=["bug"]),
        refusal(403, ctx.rest2.issues.update, *at, 1, title="mine"),
        refusal(403, ctx.rest2.repos.update, *at, description="mine"),
        refusal(403, ctx.rest2.repos.delete, *at),
    ):
        expect("message", message_of(error), "Must have admin rights to Repository.")
    head = body(ctx.rest.git.get_ref(*at, "heads/main")).object_.sha
    refused(ctx.rest2.git.create_ref, *at, ref="refs/heads/mine", sha=head)
    refused(ctx.rest2.issues.create_label, *at, name="mine")
    refused(ctx.rest2.issues.create_milestone, *at, title="mine")
    expect("description", body(ctx.rest.repos.get(*at)).description, "a second description")
    refusal(404, ctx.rest.git.get_ref, *at, "heads/mine")
    refusal(404, ctx.rest.issues.get_label, *at, "mine")


@step("keep a stranger from others' comments")
def strangers_comments(ctx):
    own = body(ctx.rest.issues.create_comment(*ctx.at, ctx.strange, body="the owner's"), 201).id
    refused(ctx.rest2.issues.update_comment, *ctx.at, own, body="not any more")
    refused(ctx.rest2.issues.delete_comment, *ctx.at, own)
    expect("body", body(ctx.rest.issues.get_comment(*ctx.at, own)).body, "the owner's")
    nothing(ctx.rest.issues.delete_comment(*ctx.at, own))


@step("require credentials, and right ones")
def credentials(ctx):
    error = refusal(401, ctx.anonymous.rest.users.get_authenticated)
    expect("message", error.message, "Requires authentication")
    wrong = client(ctx.base, TokenAuthStrategy("not-a-token"))
    expect("message", refusal(401, wrong.rest.users.get_authenticated).message, "Bad credentials")
    expect("a public repository, unnamed", body(ctx.anonymous.rest.repos.get(*ctx.at)).id, ctx.repo_id)
    # A wrong credential is refused even where none is needed.
    refusal(401, wrong.rest.repos.get, *ctx.at)
    refusal(401, ctx.anonymous.rest.issues.create, *ctx.at, title="from nobody")


def level(ctx, repo):
    found = body(ctx.rest.repos.get_collaborator_permission_level(ctx.owner, repo, ctx.user2))
    expect("user", found.user.login, ctx.user2)
    return found.permission, found.role_name


@step("add a collaborator, level by level, and remove it")
def collaborators(ctx):
    at = (ctx.owner, PRIVATE)
    expect("permission of a stranger", level(ctx, PRIVATE)[0], "none")
    refusal(404, ctx.rest.repos.check_collaborator, *at, ctx.user2)
    # GitHub has all these levels in organisations only, the forge in every repository. 204 is GitHub's answer about
    # somebody who needs no invitation.
    for asked, permission, role in [
        ("pull", "read", "read"),
        ("triage", "read", "triage"),
        ("push", "write", "write"),
        ("maintain", "write", "maintain"),
        ("admin", "admin", "admin"),
    ]:
        nothing(ctx.rest.repos.add_collaborator(*at, ctx.user2, permission=asked))
        expect(f"level after {asked}", level(ctx, PRIVATE), (permission, role))
    nothing(ctx.rest.repos.check_collaborator(*at, ctx.user2))
    expect("seen by it", body(ctx.rest2.repos.get(*at)).private, True)
    people = body(ctx.rest.repos.list_collaborators(*at))
    expect(
        "collaborators",
        {person.login: person.permissions.admin for person in people},
        {ctx.owner: True, ctx.user2: True},
    )
    nothing(ctx.rest.repos.remove_collaborator(*at, ctx.user2))
    refusal(404, ctx.rest.repos.check_collaborator, *at, ctx.user2)
    refusal(404, ctx.rest2.repos.get, *at)


@step("hold a reader, a triager and a writer to their level")
def levels(ctx):
    at = (ctx.owner, PRIVATE)
    issue = body(ctx.rest.issues.create(*at, title="in private"), 201).number
    nothing(ctx.rest.repos.add_collaborator(*at, ctx.user2, permission="pull"))
    expect("read", body(ctx.rest2.issues.get(*at, issue)).title, "in private")
    refusal(403, ctx.rest2.issues.update, *at, issue, state="closed")
    nothing(ctx.rest.repos.add_collaborator(*at, ctx.user2, permission="triage"))
    expect("closed by a triager", body(ctx.rest2.issues.update(*at, issue, state="closed")).state, "closed")
    refused(ctx.rest2.issues.create_label, *at, name="theirs")
    nothing(ctx.rest.repos.add_collaborator(*at, ctx.user2, permission="push"))
    expect("made by a writer", body(ctx.rest2.issues.create_label(*at, name="theirs"), 201).name, "theirs")
    refusal(403, ctx.rest2.repos.update, *at, description="theirs")
    nothing(ctx.rest.repos.remove_collaborator(*at, ctx.user2))


@step("know a collaborator by its association")
def association(ctx):
    nothing(ctx.rest.repos.add_collaborator(*ctx.at, ctx.user2, permission="push"))
    expect("issue", body(ctx.rest.issues.get(*ctx.at, ctx.strange)).author_association, "COLLABORATOR")
    comment = body(ctx.rest.issues.get_comment(*ctx.at, ctx.strange_comment))
    expect("comment", comment.author_association, "COLLABORATOR")
    expect("permissions", body(ctx.rest2.repos.get(*ctx.at)).permissions.push, True)


@step("assign people and take them off again")
def assignees(ctx):
    nothing(ctx.rest.issues.check_user_can_be_assigned(*ctx.at, ctx.user2))
    refusal(404, ctx.rest.issues.check_user_can_be_assigned, *ctx.at, "nobody-of-that-name")
    nothing(ctx.rest.issues.check_user_can_be_assigned_to_issue(*ctx.at, 1, ctx.user2))
    refusal(404, ctx.rest.issues.check_user_can_be_assigned_to_issue, *ctx.at, 1, "nobody-of-that-name")
    assignable = body(ctx.rest.issues.list_assignees(*ctx.at))
    expect("assignable", sorted(user.login for user in assignable), sorted([ctx.owner, ctx.user2]))
    issue = body(ctx.rest.issues.add_assignees(*ctx.at, 1, assignees=[ctx.user2]), 201)
    expect("assignees", [user.login for user in issue.assignees], [ctx.owner, ctx.user2])
    issue = body(ctx.rest.issues.remove_assignees(*ctx.at, 1, assignees=[ctx.owner]))
    expect("assignees", [user.login for user in issue.assignees], [ctx.user2])
    expect("read back", [user.login for user in body(ctx.rest.issues.get(*ctx.at, 1)).assignees], [ctx.user2])
