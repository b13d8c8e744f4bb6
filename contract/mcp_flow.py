"""Drives `baton mcp` with the Python library of the Model Context Protocol, against a forge.

Usage: mcp_flow.py BATON URL TOKEN DIRECTORY MODE. DIRECTORY has the baton.yaml of crates/baton/tests/mcp; MODE is `legacy` for
the handshake that older clients begin with, or `auto` for the newest protocol that both sides know.

The library checks every result against the schema that the tool was listed with, so a shape that does not keep it is a
deviation. Nothing else may be on standard output: a line that is no message of the protocol fails the session.
"""

import sys
from contextlib import contextmanager

import requests
from anyio.from_thread import start_blocking_portal
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters

import steps
from steps import expect, expect_in, expect_that, step

BATON, URL, TOKEN, DIRECTORY, MODE = sys.argv[1:6]
REPO = "admin/web"
NOWHERE = "http://127.0.0.1:9"

# The arguments of each tool: those that must be there, and those that may.
INPUTS = {
    "claim": (set(), {"issue", "next", "labels", "repos", "ttl"}),
    "renew": ({"issue"}, {"token"}),
    "release": ({"issue"}, {"token", "outcome", "to", "pr"}),
    "check": ({"issue"}, set()),
    "explain": ({"issue"}, set()),
    "wake": ({"issue", "agent"}, {"reason", "context", "key"}),
    "comment": ({"issue", "text"}, set()),
    "request_approval": ({"issue", "plan"}, set()),
}
# The fields of each result, all of which are always there.
OUTPUTS = {
    "claim": {"outcome", "issue", "claim", "held_by", "why"},
    "renew": {"outcome", "issue", "claim", "held_by", "why"},
    "release": {"outcome", "issue", "went", "to", "held_by", "why"},
    "check": {"outcome", "issue", "title", "is_open", "labels", "protocol", "held_by", "reasons"},
    "explain": {"issue", "title", "stage", "sentence", "explanation"},
    "wake": {"outcome", "issue", "agent", "wakeup", "run", "why"},
    "comment": {"outcome", "issue", "comment"},
    "request_approval": {"outcome", "issue", "is_new", "by", "reason", "released", "held_by"},
}
HOLD = {"holder", "token", "epoch", "deadline_in_s"}
HOLDING = {"codename", "firing_id", "is_this_session", "age_s", "expires_in_s"}
READERS = {"check", "explain"}


class Session:
    """One client with a server of its own."""

    def __init__(self, portal, client):
        self.portal, self.client = portal, client

    def ask(self, tool, **arguments):
        return self.portal.call(lambda: self.client.call_tool(tool, arguments))

    def told(self, tool, **arguments):
        """Calls a tool that is carried out, and returns its shape."""
        result = self.ask(tool, **arguments)
        expect_that(f"{tool} is carried out", not result.is_error, "a result", result.content)
        expect(f"{tool} has all fields", set(result.structured_content), OUTPUTS[tool])
        words = "".join(block.text for block in result.content)
        expect_that(f"{tool} says something", len(result.content) == 1 and words.strip(), "one text", result.content)
        expect_that("the token of the tracker is not told", TOKEN not in str(result), "no token", result)
        return result.structured_content

    def refused(self, tool, **arguments):
        """Calls a tool that is not carried out, and returns what it says."""
        result = self.ask(tool, **arguments)
        expect_that(f"{tool} is an error", result.is_error, "an error", result)
        expect("an error has no shape", result.structured_content, None)
        expect_that("the token of the tracker is not told", TOKEN not in str(result), "no token", result)
        return "".join(block.text for block in result.content)


@contextmanager
def session(portal, codename, **environment):
    variables = {"BATON_GITHUB_API_URL": URL, "BATON_TOKEN": TOKEN, **environment}
    server = StdioServerParameters(command=BATON, args=["mcp", "--codename", codename], env=variables, cwd=DIRECTORY)
    with portal.wrap_async_context_manager(Client(server, mode=MODE, read_timeout_seconds=60)) as client:
        yield Session(portal, client)


class World:
    def __init__(self, portal, lucius, rival):
        self.portal, self.lucius, self.rival = portal, lucius, rival
        self.issue = self.open_issue("agent:implement")
        self.token = None

    def api(self, method, path, body=None):
        headers = {"authorization": f"Bearer {TOKEN}"}
        answer = requests.request(method, f"{URL}/repos/{REPO}{path}", json=body, headers=headers, timeout=30)
        answer.raise_for_status()
        return answer.json()

    def open_issue(self, *labels):
        number = self.api("POST", "/issues", {"title": "something to do", "labels": list(labels)})["number"]
        return f"{REPO}#{number}"

    def comments(self, issue):
        return self.api("GET", f"/issues/{issue.split('#')[1]}/comments?per_page=100")

    def say(self, issue, body):
        return self.api("POST", f"/issues/{issue.split('#')[1]}/comments", {"body": body})

    def labels(self, issue):
        return {label["name"] for label in self.api("GET", f"/issues/{issue.split('#')[1]}")["labels"]}


@step("lists its tools, with descriptions, schemas and what they do")
def lists(world):
    tools = {tool.name: tool for tool in world.portal.call(world.lucius.client.list_tools).tools}
    expect("the tools", set(tools), set(INPUTS))
    for name, tool in tools.items():
        required, optional = INPUTS[name]
        schema = tool.input_schema
        expect(f"{name}: its arguments", set(schema["properties"]), required | optional)
        expect(f"{name}: those that must be there", set(schema.get("required", [])), required)
        expect(f"{name}: no others", schema["additionalProperties"], False)
        for argument, described in schema["properties"].items():
            expect_that(f"{name}.{argument} is described", described.get("description"), "words", described)
        expect(f"{name}: what comes out", set(tool.output_schema["required"]), OUTPUTS[name])
        expect_that(f"{name} is described", len(tool.description) > 60 and tool.title, "words", tool.description)
        expect(f"{name} reads", tool.annotations.read_only_hint, name in READERS)


@step("says who it is and how to use it")
def introduces_itself(world):
    client = world.lucius.client
    expect("the name", client.server_info.name, "baton")
    expect_that("it says how to use it", "Claim an issue before" in client.instructions, "words", client.instructions)


@step("claims an issue, which is then held on the tracker")
def claims(world):
    before = world.lucius.told("check", issue=world.issue)
    expect("how it stands", (before["outcome"], before["reasons"], before["held_by"]), ("claimable", [], None))
    won = world.lucius.told("claim", issue=world.issue)
    expect("the outcome", won["outcome"], "won")
    expect("the claim", set(won["claim"]), HOLD)
    world.token = won["claim"]["token"]
    expect_that("the token", len(world.token) == 32, "32 digits", world.token)
    expect_that("the holder", won["claim"]["holder"].startswith("lucius:"), "lucius", won)
    expect_that("the deadline", 0 < won["claim"]["deadline_in_s"] <= 600, "up to the ttl", won)
    expect_in("the label", "agent:in-flight", world.labels(world.issue))


@step("refuses a second session, with the holder's name and for how long")
def refuses_a_second(world):
    lost = world.rival.told("claim", issue=world.issue)
    expect("the outcome", (lost["outcome"], lost["claim"]), ("lost", None))
    held_by = lost["held_by"]
    expect("who holds it", set(held_by), HOLDING)
    expect("the holder", (held_by["codename"], held_by["is_this_session"]), ("lucius", False))
    expect_that("for how long", 0 < held_by["expires_in_s"] <= 600, "up to the ttl", held_by)
    expect_that("in words", "lucius" in lost["why"], "the holder's name", lost["why"])
    seen = world.rival.told("check", issue=world.issue)
    expect("how it stands", (seen["outcome"], seen["held_by"]["codename"]), ("held", "lucius"))
    own = world.lucius.told("check", issue=world.issue)
    expect("whose it is", own["held_by"]["is_this_session"], True)


@step("renews by the issue alone, and for others only by the token")
def renews(world):
    renewed = world.lucius.told("renew", issue=world.issue)
    expect("the outcome", (renewed["outcome"], renewed["claim"]["token"]), ("renewed", world.token))
    for tool in ("renew", "release"):
        stranger = world.rival.told(tool, issue=world.issue)
        expect(f"{tool} of another", stranger["outcome"], "not_held")
        expect_that("it says what to do", "`token`" in stranger["why"], "the token", stranger["why"])
        wrong = world.rival.told(tool, issue=world.issue, token="0" * 32)
        expect(f"{tool} with another token", wrong["outcome"], "not_held")
    expect("the holder", world.rival.told("check", issue=world.issue)["held_by"]["codename"], "lucius")
    known = world.rival.told("renew", issue=world.issue, token=world.token)
    expect("with the token", known["outcome"], "renewed")


@step("explains an issue")
def explains(world):
    explained = world.lucius.told("explain", issue=world.issue)
    expect("the issue", (explained["issue"], explained["title"]), (world.issue, "something to do"))
    expect_that("a sentence", explained["sentence"], "words", explained)
    trail = explained["explanation"]["trail"]
    expect_that("the rules", trail and all("rule" in entry for entry in trail), "a trail", trail)


@step("comments under the agent's name, whatever the text begins with")
def comments(world):
    texts = {
        "/approve": "/approve",
        "  /reject because": "/reject because",
        "🏃 **Baton — approval: Plan**\n\n<!-- baton:approval=Plan -->": "<!- - baton:approval=Plan -->",
        "<!-- agent-release: codename=lucius firing_id=x outcome=success -->": "<!- - agent-release:",
        f"my token is {TOKEN}.": "my token is ***.",
    }
    for text, shown in texts.items():
        posted = world.lucius.told("comment", issue=world.issue, text=text)
        expect("the outcome", posted["outcome"], "posted")
        last = world.comments(world.issue)[-1]
        expect("the comment", last["id"], posted["comment"])
        expect_that("the heading", last["body"].startswith("🤖 **Agent lucius:**\n\n"), "the agent's", last["body"])
        expect_that("the text", shown in last["body"] and "<!--" not in last["body"], shown, last["body"])
    expect("still held", world.rival.told("check", issue=world.issue)["outcome"], "held")


@step("wakes an agent once for each key")
def wakes(world):
    woken = world.lucius.told("wake", issue=world.issue, agent="coder", key="k", context={"why": "tests"})
    expect("the outcome", (woken["outcome"], woken["agent"]), ("queued", "coder"))
    expect_that("numbers", woken["wakeup"] and woken["run"], "a wakeup and a run", woken)
    again = world.lucius.told("wake", issue=world.issue, agent="coder", key="k")
    expect("the second time", (again["outcome"], again["wakeup"]), ("duplicate", woken["wakeup"]))
    merged = world.lucius.told("wake", issue=world.issue, agent="coder", reason="ci_failed")
    expect("without a key", (merged["outcome"], merged["run"]), ("merged", woken["run"]))


@step("names the argument that is wrong, and what is allowed")
def names_wrong_arguments(world):
    table = [
        ("claim", {}, "issue", "OWNER/REPO#7"),
        ("claim", {"issue": "nonsense"}, "issue", "OWNER/REPO#7"),
        ("claim", {"issue": 7}, "issue", "string"),
        ("claim", {"issue": world.issue, "next": True}, "next", "not both"),
        ("claim", {"issue": world.issue, "labels": ["a", "b"]}, "labels", "one label"),
        ("claim", {"issue": world.issue, "repos": [REPO]}, "repos", "only with `next`"),
        ("claim", {"issue": world.issue, "ttl": "soon"}, "ttl", "soon"),
        ("claim", {"next": True, "repos": ["a/b/c"]}, "repos", "a/b/c"),
        ("claim", {"issue": world.issue, "holder": "x"}, "holder", "unknown field"),
        ("renew", {}, "issue", "missing field `issue`"),
        ("renew", {"issue": world.issue, "token": "short"}, "token", "32 hexadecimal digits"),
        ("release", {"issue": world.issue, "outcome": "a b"}, "outcome", "a b"),
        ("release", {"issue": world.issue, "to": "a b"}, "to", "one word"),
        ("release", {"issue": world.issue, "pr": "none"}, "pr", "address"),
        ("check", {"issue": "https://elsewhere.test/a/b/issues/1"}, "issue", "elsewhere.test"),
        ("explain", {"issue": "#"}, "issue", "OWNER/REPO#7"),
        ("wake", {"issue": world.issue, "agent": "nobody"}, "agent", "coder"),
        ("wake", {"issue": world.issue, "agent": "coder", "reason": "because"}, "reason", "stage_ready"),
        ("wake", {"issue": world.issue, "agent": "coder", "context": [1]}, "context", "map"),
        ("wake", {"issue": world.issue, "agent": "coder", "context": {"stage": "Build"}}, "context", "`stage`"),
        ("wake", {"issue": world.issue, "agent": "coder", "context": {"a": 1, "settled": True}}, "context", "`settled`"),
        ("wake", {"issue": world.issue, "agent": "coder", "key": ""}, "key", "1 to 200 characters"),
        ("comment", {"issue": world.issue, "text": " "}, "text", "empty"),
        ("comment", {"issue": world.issue, "text": "x" * 60_001}, "text", "60000"),
        ("request_approval", {"issue": world.issue, "plan": ""}, "plan", "empty"),
    ]
    before = len(world.comments(world.issue))
    for tool, arguments, argument, allowed in table:
        said = world.lucius.refused(tool, **arguments)
        expect_that(f"{tool} {arguments}", f"`{argument}`" in said and allowed in said, (argument, allowed), said)
        expect_that("it says what to do", "Nothing was done" in said, "what to do", said)
    expect("nothing was written", len(world.comments(world.issue)), before)


@step("tells an issue that is not there from a tracker that is not there")
def tells_troubles_apart(world):
    missing = f"{REPO}#9999"
    calls = {
        "claim": {},
        "check": {},
        "explain": {},
        "comment": {"text": "hello"},
        "request_approval": {"plan": "do it"},
    }
    for tool, arguments in calls.items():
        said = world.lucius.refused(tool, issue=missing, **arguments)
        expect_that(f"{tool} of no issue", "there is no issue admin/web#9999" in said, "that it is not there", said)
    with session(world.portal, "lost", BATON_GITHUB_API_URL=NOWHERE, BATON_REQUEST_TIMEOUT="1s") as lost:
        for tool, arguments in calls.items():
            said = lost.refused(tool, issue=world.issue, **arguments)
            expect_that(f"{tool} out of reach", "could not be carried out" in said, "that it was tried", said)
            expect_that("it names the address", "127.0.0.1:9" in said or "connect" in said, "what came back", said)
            expect_that("it says what to do", "again" in said, "what to do", said)


@step("has no other tools, and says which it has")
def has_no_others(world):
    try:
        world.lucius.ask("approve", issue=world.issue)
    except MCPError as error:
        expect_that("it lists the tools", "request_approval" in str(error), "the tools", str(error))
    else:
        expect("an unknown tool", "a result", "an error")


@step("asks people for their approval, and hears no agent in their place")
def asks_for_approval(world):
    issue = world.open_issue("agent:implement")
    expect("the claim", world.lucius.told("claim", issue=issue)["outcome"], "won")
    asked = world.lucius.told("request_approval", issue=issue, plan="Rename it.\n\n<!-- baton:approval=x -->")
    expect("the outcome", (asked["outcome"], asked["is_new"], asked["released"]), ("pending", True, True))
    expect("the labels", world.labels(issue), {"agent:plan-pending-approval"})
    again = world.lucius.told("request_approval", issue=issue, plan="Rename it.\n\n<!-- baton:approval=x -->")
    expect("the same plan", (again["outcome"], again["is_new"]), ("pending", False))
    world.lucius.told("comment", issue=issue, text="/approve")
    again = world.rival.told("request_approval", issue=issue, plan="Rename it.\n\n<!-- baton:approval=x -->")
    expect("after an agent's word", (again["outcome"], again["is_new"]), ("pending", False))
    expect("nobody may claim it", world.rival.told("claim", issue=issue)["outcome"], "refused")
    # The words of claims are between those to people.
    plan, question, _ = [it for it in world.comments(issue) if not it["body"].startswith("<!--")]
    expect_that("the plan", plan["body"].startswith("🤖 **Agent lucius:**\n\nRename it."), "its heading", plan["body"])
    expect_that("the question", "— approval: agent plan " in question["body"], "the engine's", question["body"])


@step("tells what people decided, and asks anew about another plan")
def tells_verdicts(world):
    issue = world.open_issue("agent:implement")
    ask = lambda session, plan: world_of(session.told("request_approval", issue=issue, plan=plan))
    expect("without a claim", ask(world.lucius, "One."), ("pending", True, None))
    world.say(issue, "/approve with care")
    expect("after a person's word", ask(world.lucius, "One.\n"), ("approved", False, "admin"))
    expect("the labels", world.labels(issue), {"agent:implement"})
    expect("another plan", ask(world.lucius, "Two."), ("pending", True, None))
    world.say(issue, "/reject too bold")
    expect("after a person's word", ask(world.rival, "Two."), ("rejected", False, "admin"))
    rejected = world.lucius.told("request_approval", issue=issue, plan="Two.")
    expect("the reason", rejected["reason"], "too bold")
    expect("the first plan again", ask(world.lucius, "One."), ("pending", True, None))
    world.say(issue, "/approve")
    expect("after a person's word", ask(world.lucius, "One."), ("approved", False, "admin"))
    expect("it can be claimed again", world.lucius.told("claim", issue=issue)["outcome"], "won")
    held = world.rival.told("request_approval", issue=issue, plan="Three.")
    expect("while another holds it", (held["outcome"], held["held_by"]["codename"]), ("held", "lucius"))
    expect("it is handed back", world.lucius.told("release", issue=issue, to="agent:done")["outcome"], "released")


@step("asks nobody about its plan while one of the engine waits")
def waits_for_the_engine(world):
    issue = world.open_issue("agent:implement", "agent:plan-pending-approval")
    said = world.lucius.refused("request_approval", issue=issue, plan="Mine.")
    expect_that("it says what to do", "nothing was asked" in said and "call again" in said, "to wait", said)
    expect("nothing was written", world.comments(issue), [])
    expect("the labels", world.labels(issue), {"agent:implement", "agent:plan-pending-approval"})


def world_of(told):
    return told["outcome"], told["is_new"], told["by"]


@step("releases an issue, which can then be claimed by another")
def releases(world):
    refused = world.lucius.told("release", issue=world.issue, to="agent:bogus")
    expect("to a place that is none", refused["outcome"], "refused")
    released = world.lucius.told("release", issue=world.issue, outcome="cancelled")
    expect("the outcome", (released["outcome"], released["went"]), ("released", "cancelled"))
    expect("the label", released["to"], "agent:implement")
    expect_in("the label on the tracker", "agent:implement", world.labels(world.issue))
    expect("a second time", world.lucius.told("release", issue=world.issue)["outcome"], "not_held")
    won = world.rival.told("claim", next=True, repos=[REPO])
    expect("the next one", (won["outcome"], won["issue"]), ("won", world.issue))
    none = world.lucius.told("claim", next=True, repos=[REPO], labels=["stage:none", "agent:implement"])
    expect("nothing is left", (none["outcome"], none["issue"]), ("none", None))
    expect("it is handed back", world.rival.told("release", issue=world.issue)["outcome"], "released")


@step("keeps a claim when its client goes away, for a session that knows the token")
def keeps_claims(world):
    with session(world.portal, "brief") as brief:
        token = brief.told("claim", issue=world.issue)["claim"]["token"]
    seen = world.lucius.told("check", issue=world.issue)
    expect("who holds it", (seen["outcome"], seen["held_by"]["codename"]), ("held", "brief"))
    expect("by the token", world.lucius.told("renew", issue=world.issue, token=token)["outcome"], "renewed")
    expect("it is remembered", world.lucius.told("release", issue=world.issue)["outcome"], "released")


@step("tells why an issue may not be claimed")
def tells_refusals(world):
    issue = world.open_issue("agent:implement", "do-not-pickup")
    refused = world.lucius.told("claim", issue=issue)
    expect("the outcome", (refused["outcome"], refused["claim"]), ("refused", None))
    expect_that("the reason", "do-not-pickup" in refused["why"], "the label", refused["why"])
    seen = world.lucius.told("check", issue=issue)
    expect_that("and beforehand", seen["outcome"] == "refused" and seen["reasons"], "the reasons", seen)


def explain(error):
    return str(error) if isinstance(error, (MCPError, requests.HTTPError)) else None


def main():
    with start_blocking_portal() as portal, session(portal, "lucius") as lucius, session(portal, "rival") as rival:
        try:
            steps.run([sys.modules[__name__]], World(portal, lucius, rival), explain)
        except SystemExit as end:  # The sessions are closed before the end, and not by it.
            return end.code


sys.exit(main())
