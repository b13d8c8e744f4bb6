"""Boards over REST; they are made over GraphQL, as on GitHub."""

from githubkit_steps.answers import body, nothing, refusal
from githubkit_steps.links import new_issues
from steps import expect, expect_that, step

CREATE = """mutation($owner: ID!) {
  createProjectV2(input: {ownerId: $owner, title: "githubkit"}) { projectV2 { id number } }
}"""
STATUS = """query($id: ID!, $status: String!) {
  node(id: $id) { ... on ProjectV2 { items(first: 10) { totalCount nodes {
    id fieldValueByName(name: $status) { ... on ProjectV2ItemFieldSingleSelectValue { name } }
    content { ... on Issue { number title } }
  } } } }
}"""


@step("make a board, and put an issue on it")
def make_board(ctx):
    ctx.board = ctx.github.graphql(CREATE, {"owner": ctx.me.node_id})["createProjectV2"]["projectV2"]
    ctx.on_board = (ctx.board["number"], ctx.owner)
    listed = body(ctx.rest.projects.list_for_user(ctx.owner))
    expect_that("boards", ctx.board["number"] in [b.number for b in listed], "the new one", listed)
    fields = body(ctx.rest.projects.list_fields_for_user(*ctx.on_board))
    (ctx.status,) = [field for field in fields if field.name == "Status"]
    expect("options", [option.name.raw for option in ctx.status.options], ["Todo", "In Progress", "Done"])
    ctx.card = new_issues(ctx, "to be moved")[0]
    item = body(ctx.rest.projects.add_item_for_user(*reversed(ctx.on_board), type="Issue", id=ctx.card.id), 201)
    # GitHub describes the id as a number, of which githubkit makes one with a fraction.
    ctx.item = int(item.id)
    refusal(404, ctx.rest.projects.get_for_user, 999, ctx.owner)


@step("move an issue on the board, and see it over GraphQL")
def move(ctx):
    (doing,) = [option for option in ctx.status.options if option.name.raw == "In Progress"]
    change = [{"id": ctx.status.id, "value": doing.id}]
    body(ctx.rest.projects.update_item_for_user(*ctx.on_board, ctx.item, fields=change))
    seen = ctx.github.graphql(STATUS, {"id": ctx.board["id"], "status": "Status"})["node"]["items"]
    expect("items", seen["totalCount"], 1)
    expect("status", seen["nodes"][0]["fieldValueByName"]["name"], "In Progress")
    expect("content", seen["nodes"][0]["content"]["number"], ctx.card.number)
    items = body(ctx.rest.projects.list_items_for_user(*ctx.on_board))
    expect("items", [int(item.id) for item in items], [ctx.item])
    nothing(ctx.rest.projects.delete_item_for_user(*ctx.on_board, ctx.item))
    expect("items", body(ctx.rest.projects.list_items_for_user(*ctx.on_board)), [])
