"""Labels and milestones."""

import datetime
from urllib.parse import quote

from githubkit_steps.answers import body, invalid, label_names, nothing, numbers, refusal
from steps import expect, expect_that, step

DEFAULT_LABELS = {
    "bug": "d73a4a",
    "documentation": "0075ca",
    "duplicate": "cfd3d7",
    "enhancement": "a2eeef",
    "good first issue": "7057ff",
    "help wanted": "008672",
    "invalid": "e4e669",
    "question": "d876e3",
    "wontfix": "ffffff",
}


@step("find the labels every new repository has")
def default_labels(ctx):
    labels = body(ctx.rest.issues.list_labels_for_repo(*ctx.at))
    expect("labels", {label.name: label.color for label in labels}, DEFAULT_LABELS)
    expect("default", {label.default for label in labels}, {True})
    bug = body(ctx.rest.issues.get_label(*ctx.at, "bug"))
    expect("description", bug.description, "Something isn't working")


@step("create a label with spaces, a colon and a slash")
def create_label(ctx):
    name = "area: in/out put"
    ctx.label = name
    label = body(ctx.rest.issues.create_label(*ctx.at, name=name, color="f29513", description="both ways"), 201)
    expect("label", (label.name, label.color, label.description, label.default), (name, "f29513", "both ways", False))
    found = body(ctx.rest.issues.get_label(*ctx.at, quote(name, safe="")))
    expect("id", found.id, label.id)
    # A label's own address has its slash as it is, and both spellings lead to it.
    expect_that("url", label.url.endswith("in/out%20put"), "a plain slash", label.url)
    expect("name behind its own url", body(ctx.github.request("GET", label.url))["name"], name)


@step("rename the label")
def update_label(ctx):
    new_name = "area: out/in put"
    old = quote(ctx.label, safe="")
    label = body(ctx.rest.issues.update_label(*ctx.at, old, new_name=new_name, color="00FF00"))
    expect("name", label.name, new_name)
    expect("color", label.color.lower(), "00ff00")
    expect("description, left alone", label.description, "both ways")
    expect("message", refusal(404, ctx.rest.issues.get_label, *ctx.at, old).message, "Not Found")
    ctx.label = new_name


@step("be refused labels that are taken, too long or badly coloured")
def refused_labels(ctx):
    create = ctx.rest.issues.create_label
    expect("taken", invalid(create, *ctx.at, name=ctx.label), [("Label", "name", "already_exists")])
    expect("taken in capitals", invalid(create, *ctx.at, name="BUG"), [("Label", "name", "already_exists")])
    errors = invalid(create, *ctx.at, name="x" * 51)
    expect("too long", [error[:2] for error in errors], [("Label", "name")])
    expect("colour", invalid(create, *ctx.at, name="coloured", color="#ffffff"), [("Label", "color", "invalid")])
    longest = body(create(*ctx.at, name="x" * 50), 201)
    expect("fifty characters", longest.name, "x" * 50)


@step("delete a label")
def delete_label(ctx):
    nothing(ctx.rest.issues.delete_label(*ctx.at, "x" * 50))
    refusal(404, ctx.rest.issues.get_label, *ctx.at, "x" * 50)
    refusal(404, ctx.rest.issues.delete_label, *ctx.at, "x" * 50)
    names = label_names(body(ctx.rest.issues.list_labels_for_repo(*ctx.at, per_page=100)))
    expect("labels left", names, sorted([*DEFAULT_LABELS, ctx.label]))


@step("create, change, list and delete milestones")
def milestones(ctx):
    # GitHub keeps the day only, and in its own time zone: noon is the same day there.
    due = datetime.datetime(2030, 1, 15, 12, tzinfo=datetime.timezone.utc)
    first = body(ctx.rest.issues.create_milestone(*ctx.at, title="first", description="soon", due_on=due), 201)
    expect("number, state, title", (first.number, first.state, first.title), (1, "open", "first"))
    expect("due_on", first.due_on.date(), due.date())
    expect("creator", first.creator.login, ctx.owner)
    second = body(ctx.rest.issues.create_milestone(*ctx.at, title="second"), 201)
    expect(
        "taken title",
        invalid(ctx.rest.issues.create_milestone, *ctx.at, title="second"),
        [("Milestone", "title", "already_exists")],
    )
    closed = body(ctx.rest.issues.update_milestone(*ctx.at, second.number, state="closed"))
    expect("state", closed.state, "closed")
    expect_that("closed_at", closed.closed_at is not None, "a time", closed.closed_at)
    listed = lambda **kwargs: numbers(body(ctx.rest.issues.list_milestones(*ctx.at, **kwargs)))
    expect("open ones", listed(), [1])
    expect("closed ones", listed(state="closed"), [2])
    expect("all", sorted(listed(state="all")), [1, 2])
    nothing(ctx.rest.issues.delete_milestone(*ctx.at, second.number))
    refusal(404, ctx.rest.issues.get_milestone, *ctx.at, second.number)
    ctx.milestone = first.number
