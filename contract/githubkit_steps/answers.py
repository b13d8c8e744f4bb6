"""Clients, and what is expected of their answers."""

from githubkit import GitHub
from githubkit.exception import RequestFailed

from steps import Deviation, expect, expect_in, server_second, wait_until

REPO = "githubkit-flow"
PRIVATE = "githubkit-flow-private"


def body(response, status=200):
    """Returns what a response parses to, once its status is the expected one."""
    expect("status", response.status_code, status)
    return response.parsed_data


def nothing(response):
    expect("status", response.status_code, 204)
    expect("body", response.content, b"")


def refusal(status, call, *args, **kwargs):
    """Makes a call that must fail, and returns the error as githubkit's exception carries it."""
    try:
        response = call(*args, **kwargs)
    except RequestFailed as error:
        expect("status", error.response.status_code, status)
        return error.response.parsed_data
    raise Deviation("status", status, response.status_code)


def message_of(error):
    """Reads the message of an error, which githubkit has no model for where GitHub describes none."""
    return error["message"] if isinstance(error, dict) else error.message


def refused(call, *args, **kwargs):
    """Makes a call that must be forbidden; GitHub says 403 or 404, depending on the kind of token."""
    try:
        response = call(*args, **kwargs)
    except RequestFailed as error:
        expect_in("status", error.response.status_code, (403, 404))
    else:
        raise Deviation("status", "403 or 404", response.status_code)


def invalid(call, *args, **kwargs):
    """Makes a call that must fail validation, and returns its errors as (resource, field, code)."""
    error = refusal(422, call, *args, **kwargs)
    expect("message", error.message, "Validation Failed")
    return [(item.resource, item.field, item.code) for item in error.errors]


def numbers(issues):
    return [issue.number for issue in issues]


def label_names(labels):
    return sorted(label.name for label in labels)


def next_second(ctx):
    """Waits until the server's clock shows another second than now, and returns the new one."""
    read = lambda: server_second(ctx.rest.rate_limit.get().headers)
    start = read()
    return wait_until("the server's clock moves on", lambda: (now := read()) > start and now)


def client(base, auth, requests=None):
    # Githubkit would answer from its cache for a minute, as GitHub allows; here every answer has to be the server's.
    hooks = {"request": [requests.append]} if requests is not None else None
    return GitHub(auth, base_url=base, auto_retry=False, http_cache=False, trust_env=False, event_hooks=hooks)
