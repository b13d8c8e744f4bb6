"""Steps of a flow: named functions that run in the order in which they are written.

A flow stops at the first deviation and says which step it was, what was expected and what came instead. With
CONTRACT_KEEP_GOING=1 it goes on with the next step, to show at once all that a new server does differently; steps
that build on a failed one then fail as well.
"""

import datetime
import email.utils
import os
import sys
import time
import traceback

WAIT_S = 180


class Deviation(Exception):
    """The server did something that GitHub would not."""

    def __init__(self, what, wanted, got):
        super().__init__(f"{what}\n      expected: {wanted}\n      got:      {got}")


def step(name):
    """Makes a function a step of its module."""

    def mark(function):
        function.step_name = name
        return function

    return mark


def steps_of(module):
    """Lists the steps that a module defines, in the order in which they are written."""
    own = [thing for thing in vars(module).values() if getattr(thing, "__module__", None) == module.__name__]
    return [thing for thing in own if hasattr(thing, "step_name")]


def expect(what, got, wanted):
    if got != wanted:
        raise Deviation(what, repr(wanted), repr(got))


def expect_in(what, got, choices):
    if got not in choices:
        raise Deviation(what, f"one of {choices!r}", repr(got))


def expect_that(what, holds, wanted, got):
    if not holds:
        raise Deviation(what, wanted, repr(got))


def wait_until(what, ask):
    """Asks until the answer is true, and returns it."""
    deadline = time.monotonic() + WAIT_S
    while True:
        answer = ask()
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise Deviation(what, f"true within {WAIT_S} s", repr(answer))
        time.sleep(0.05)


def server_second(headers):
    """Reads the server's clock, which times have to be compared with; they have no fractions."""
    return email.utils.parsedate_to_datetime(headers["date"]).astimezone(datetime.timezone.utc)


def run(modules, context, explain):
    """Runs the steps of modules. `explain` turns an exception of the client into text, or returns None."""
    keep_going = os.environ.get("CONTRACT_KEEP_GOING") == "1"
    failed = False
    for function in [function for module in modules for function in steps_of(module)]:
        try:
            function(context)
        except Exception as error:  # A client's complaint about an answer is a deviation, too.
            failed = True
            print(f"FAIL  {function.step_name}", flush=True)
            print(f"      {describe(error, explain)}\n      at:       {place_of(error)}", file=sys.stderr, flush=True)
            if not keep_going:
                break
        else:
            print(f"ok  {function.step_name}", flush=True)
    sys.exit(1 if failed else 0)


def describe(error, explain):
    if isinstance(error, Deviation):
        return str(error)
    text = explain(error) or "".join(traceback.format_exception(error)).rstrip()
    return f"expected: an answer that the client takes\n      got:      {text}"


def place_of(error):
    """Names the last line of a flow that was reached, not one of this file, of a helper or of a client."""
    here = os.path.dirname(os.path.abspath(__file__))
    aside = {"steps.py", "answers.py"}
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if os.path.abspath(frame.filename).startswith(here + os.sep) and os.path.basename(frame.filename) not in aside
    ]
    return f"{os.path.relpath(frames[-1].filename, here)}:{frames[-1].lineno}" if frames else "outside of the flow"
