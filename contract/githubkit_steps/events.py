"""What happened to issues: events and timelines."""

import datetime

from githubkit_steps.answers import REPO, body
from steps import expect, expect_in, step

# What the steps before did to the first issue.
DONE = {"labeled", "unlabeled", "assigned", "unassigned", "milestoned", "demilestoned", "renamed", "closed", "reopened"}
FIRST_LABELS = ("bug", "area: out/in put")


@step("read the events of an issue")
def events(ctx):
    # GitHub's description of this list leaves out the plainest events, such as closed, so only the first ones are
    # parsed by its models.
    described = body(ctx.rest.issues.list_events(*ctx.at, 1, per_page=4))
    expect("first events", sorted(event.event for event in described), ["assigned", "labeled", "labeled", "milestoned"])
    labeled = next(event for event in described if event.event == "labeled")
    expect("actor", labeled.actor.login, ctx.owner)
    expect_in("label", labeled.label.name, FIRST_LABELS)
    path = f"/repos/{ctx.owner}/{REPO}/issues/1/events"
    found = ctx.github.request("GET", path, params={"per_page": 100}).json()
    kinds = [event["event"] for event in found]
    expect("kinds that are missing", sorted(DONE - set(kinds)), [])
    renamed = next(event for event in found if event["event"] == "renamed")
    expect("rename", renamed["rename"], {"from": "the first", "to": "the first, renamed"})
    assigned = [event for event in found if event["event"] == "assigned"]
    expect("assignee", assigned[-1]["assignee"]["login"], ctx.user2)
    ids = [event["id"] for event in found]
    expect("order", ids, sorted(ids))
    single = body(ctx.rest.issues.get_event(*ctx.at, ids[0]))
    expect("single event", (single.event, single.issue.number), (kinds[0], 1))


@step("read the events of the repository")
def events_of_repo(ctx):
    found = body(ctx.rest.issues.list_events_for_repo(*ctx.at, per_page=5))
    expect("page", len(found), 5)
    ids = [event.id for event in found]
    expect("latest first", ids, sorted(ids, reverse=True))
    expect("the last thing that happened", (found[0].event, found[0].actor.login), ("closed", ctx.owner))


@step("read the timeline of an issue")
def timeline(ctx):
    pages = ctx.rest.paginate(
        ctx.rest.issues.list_events_for_timeline, owner=ctx.owner, repo=REPO, issue_number=1, per_page=5
    )
    entries = list(pages)
    expect("kinds that are missing", sorted(DONE - {entry.event for entry in entries}), [])
    times = [moment(entry) for entry in entries]
    expect("order", times, sorted(times))
    labeled = next(entry for entry in entries if entry.event == "labeled")
    expect("actor", labeled.actor.login, ctx.owner)
    expect_in("label", labeled.label.name, FIRST_LABELS)
    commented = [entry for entry in entries if entry.event == "commented"]
    expect("comments", [(entry.id, entry.body) for entry in commented], [(ctx.comment, "one, edited")])
    expect("actor", commented[0].actor.login, ctx.owner)
    reasons = [entry.state_reason for entry in entries if entry.event == "closed"]
    expect("reasons", reasons, ["not_planned", "completed"])


def moment(entry):
    """Returns when an entry was made; githubkit's models give a time for comments and a text for events."""
    made = entry.created_at
    return made if isinstance(made, datetime.datetime) else datetime.datetime.fromisoformat(made.replace("Z", "+00:00"))
