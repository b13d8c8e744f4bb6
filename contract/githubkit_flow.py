"""GitHub's API through githubkit, whose models are generated from GitHub's own description of the API.

Run as: githubkit_flow.py BASE_URL TOKEN, with a second account in FORGE_USER2 and FORGE_TOKEN2.

Every answer is parsed by those models, and every step reads back what it did. The steps are in githubkit_steps.
"""

import os
import sys
from types import SimpleNamespace

import pydantic
from githubkit import TokenAuthStrategy, UnauthAuthStrategy
from githubkit.exception import RequestFailed

from githubkit_steps import boards, checks, comments, events, forge, git, hooks, issues, labels, links, lists, people
from githubkit_steps import pulls, repositories, reviews, search
from githubkit_steps.answers import client
from steps import run

# Later ones build on what earlier ones left in the context.
ORDER = [forge, repositories, labels, issues, people, comments, lists, events, links, git, pulls]
ORDER += [reviews, checks, boards, hooks, search]


def explain(error):
    if isinstance(error, RequestFailed):
        request = error.request
        return f"{error.response.status_code} for {request.method} {request.url}: {error.response.text}"
    if isinstance(error, pydantic.ValidationError):
        return f"an answer that is not a {error.title}: {error}"
    return None


def main():
    base, token = sys.argv[1].rstrip("/"), sys.argv[2]
    requests = []
    github = client(base, TokenAuthStrategy(token), requests)
    second = client(base, TokenAuthStrategy(os.environ["FORGE_TOKEN2"]))
    context = SimpleNamespace(
        base=base,
        github=github,
        rest=github.rest,
        rest2=second.rest,
        anonymous=client(base, UnauthAuthStrategy()),
        user2=os.environ["FORGE_USER2"],
        requests=requests,
    )
    run(ORDER, context, explain)


if __name__ == "__main__":
    main()
