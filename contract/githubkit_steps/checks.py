"""Checks, statuses and the protection that asks for them."""

from githubkit_steps.answers import body, nothing, refusal
from githubkit_steps.git import commit_file
from githubkit_steps.pulls import settled
from steps import expect, expect_that, step, wait_until


@step("report a check from its start to its end")
def check_run(ctx):
    start = body(ctx.rest.git.get_ref(*ctx.at, "heads/main")).object_.sha
    ctx.checked = commit_file(ctx, start, "checked.txt", "checked\n", "write what is checked")
    body(ctx.rest.git.create_ref(*ctx.at, ref="refs/heads/checked", sha=ctx.checked), 201)
    ctx.check_pull = body(ctx.rest.pulls.create(*ctx.at, title="checked", head="checked", base="main"), 201).number
    run = body(ctx.rest.checks.create(*ctx.at, name="test", head_sha=ctx.checked, status="in_progress"), 201)
    expect("status", (run.status, run.conclusion, run.head_sha), ("in_progress", None, ctx.checked))
    mark = {"path": "checked.txt", "start_line": 1, "end_line": 1, "annotation_level": "failure", "message": "odd"}
    output = {"title": "one odd line", "summary": "see below", "annotations": [mark]}
    done = body(
        ctx.rest.checks.update(*ctx.at, run.id, status="completed", conclusion="failure", output=output)
    )
    expect("end", (done.status, done.conclusion, done.output.annotations_count), ("completed", "failure", 1))
    expect_that("completed_at", done.completed_at is not None, "a time", done.completed_at)
    (odd,) = body(ctx.rest.checks.list_annotations(*ctx.at, run.id))
    expect("annotation", (odd.path, odd.start_line, odd.annotation_level), ("checked.txt", 1, "failure"))
    again = body(ctx.rest.checks.create(*ctx.at, name="test", head_sha=ctx.checked, status="queued"), 201)
    listed = lambda **kwargs: body(ctx.rest.checks.list_for_ref(*ctx.at, "checked", **kwargs))
    expect("the latest of its name", [r.id for r in listed().check_runs], [again.id])
    expect("all of them", listed(filter_="all").total_count, 2)
    suites = body(ctx.rest.checks.list_suites_for_ref(*ctx.at, ctx.checked))
    expect("suites", (suites.total_count, suites.check_suites[0].head_sha), (1, ctx.checked))
    ctx.check = again.id


@step("set statuses, of which the last of each context counts")
def statuses(ctx):
    put = lambda state, context: body(
        ctx.rest.repos.create_commit_status(*ctx.at, ctx.checked, state=state, context=context), 201
    )
    put("failure", "lint"), put("success", "lint"), put("pending", "build")
    combined = body(ctx.rest.repos.get_combined_status_for_ref(*ctx.at, "checked"))
    expect("combined", (combined.state, combined.total_count), ("pending", 2))
    listed = body(ctx.rest.repos.list_commit_statuses_for_ref(*ctx.at, ctx.checked))
    expect("the newest first", [(s.context, s.state) for s in listed][0], ("build", "pending"))
    put("success", "build")
    expect("combined", body(ctx.rest.repos.get_combined_status_for_ref(*ctx.at, ctx.checked)).state, "success")


@step("protect a branch, and be refused a merge until its checks are good")
def protection(ctx):
    refusal(404, ctx.rest.repos.get_branch_protection, *ctx.at, "main")
    rules = body(
        ctx.rest.repos.update_branch_protection(
            *ctx.at,
            "main",
            required_status_checks={"strict": False, "contexts": ["test", "lint"]},
            enforce_admins=True,
            required_pull_request_reviews=None,
            restrictions=None,
        )
    )
    expect("contexts", sorted(rules.required_status_checks.contexts), ["lint", "test"])
    expect("enforce_admins", rules.enforce_admins.enabled, True)
    expect("protected", body(ctx.rest.repos.get_branch(*ctx.at, "main")).protected, True)
    expect("mergeable_state", settled(ctx, ctx.check_pull).mergeable_state, "blocked")
    error = refusal(405, ctx.rest.pulls.merge, *ctx.at, ctx.check_pull)
    expect_that("message", "status check" in error.message, "it names the status check", error.message)
    body(ctx.rest.checks.update(*ctx.at, ctx.check, status="completed", conclusion="success"))
    state = lambda: settled(ctx, ctx.check_pull).mergeable_state == "clean"
    wait_until("it is clean", state)
    body(ctx.rest.pulls.merge(*ctx.at, ctx.check_pull, merge_method="rebase"))
    nothing(ctx.rest.repos.delete_branch_protection(*ctx.at, "main"))


@step("merge one branch into another without a pull request")
def merge_branches(ctx):
    main = body(ctx.rest.git.get_ref(*ctx.at, "heads/main")).object_.sha
    body(ctx.rest.git.create_ref(*ctx.at, ref="refs/heads/target", sha=main), 201)
    side = commit_file(ctx, main, "side.txt", "side\n", "write aside")
    other = commit_file(ctx, main, "side.txt", "other\n", "write something else")
    body(ctx.rest.git.create_ref(*ctx.at, ref="refs/heads/side", sha=side), 201)
    body(ctx.rest.git.create_ref(*ctx.at, ref="refs/heads/other", sha=other), 201)
    merged = body(ctx.rest.repos.merge(*ctx.at, base="target", head="side"), 201)
    expect("parents", [p.sha for p in merged.parents], [main, side])
    nothing(ctx.rest.repos.merge(*ctx.at, base="target", head="side"))
    refusal(409, ctx.rest.repos.merge, *ctx.at, base="target", head="other")
