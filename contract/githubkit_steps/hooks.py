"""Hooks: made, told of what happens, asked to tell again."""

import hashlib
import hmac
import http.server
import threading

from githubkit.webhooks import parse, verify
from githubkit_steps.answers import body, nothing, refusal
from githubkit_steps.links import new_issues
from steps import expect, expect_that, step, wait_until

SECRET = "between the two of us"


class Receiver:
    """A server of the hook's owner, which writes down what it is sent."""

    def __init__(self):
        self.sent = []
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                content = self.rfile.read(int(self.headers["content-length"]))
                receiver.sent.append((self.headers, content))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def of(self, event):
        return [(headers, content) for headers, content in self.sent if headers["X-GitHub-Event"] == event]


@step("make a hook, and receive its ping")
def make_hook(ctx):
    ctx.receiver = Receiver()
    config = {"url": ctx.receiver.url, "content_type": "json", "secret": SECRET}
    hook = body(ctx.rest.repos.create_webhook(*ctx.at, config=config, events=["issues", "push"]), 201)
    expect("secret", hook.config.secret, "********")
    refusal(422, ctx.rest.repos.create_webhook, *ctx.at, config=config, events=["issues", "push"])
    wait_until("the ping", lambda: ctx.receiver.of("ping"))
    ctx.hook = hook.id


@step("receive what happens, signed, in githubkit's own models")
def receive(ctx):
    number = new_issues(ctx, "to be told")[0].number
    headers, content = wait_until("the event", lambda: ctx.receiver.of("issues"))[0]
    signature = headers["X-Hub-Signature-256"]
    expect_that("signature", verify(SECRET, content, signature), "githubkit accepts it", signature)
    own = "sha256=" + hmac.new(SECRET.encode(), content, hashlib.sha256).hexdigest()
    expect("signature", signature, own)
    event = parse("issues", content)
    expect("event", (event.action, event.issue.number, event.sender.login), ("opened", number, ctx.owner))
    expect_that("user agent", headers["User-Agent"].startswith("GitHub-Hookshot/"), "GitHub's", headers["User-Agent"])
    ctx.guid = headers["X-GitHub-Delivery"]


@step("look at a delivery, and have it delivered again")
def redeliver(ctx):
    listed = lambda: body(ctx.rest.repos.list_webhook_deliveries(*ctx.at, ctx.hook))
    find = lambda: [d for d in listed() if d.guid == ctx.guid and d.status_code == 200]
    (delivery,) = wait_until("the delivery is known", find)
    whole = body(ctx.rest.repos.get_webhook_delivery(*ctx.at, ctx.hook, delivery.id))
    expect("delivery", (whole.event, whole.action, whole.redelivery), ("issues", "opened", False))
    before = len(ctx.receiver.of("issues"))
    body(ctx.rest.repos.redeliver_webhook_delivery(*ctx.at, ctx.hook, delivery.id), 202)
    wait_until("the second delivery", lambda: len(ctx.receiver.of("issues")) > before)
    expect("the same event", ctx.receiver.of("issues")[-1][0]["X-GitHub-Delivery"], ctx.guid)
    nothing(ctx.rest.repos.delete_webhook(*ctx.at, ctx.hook))
    refusal(404, ctx.rest.repos.get_webhook, *ctx.at, ctx.hook)
