"""Webhooks through githubkit, whose models of payloads are generated from GitHub's own description.

Run as: githubkit_webhooks.py FILE SECRET. Each line of the file is a delivery: its event, its signature and its body.
Every signature must be right, and every body must be read as the event that it says it is.
"""

import json
import sys

import pydantic
from githubkit import webhooks


def read(delivery, secret):
    body, event = delivery["body"], delivery["event"]
    if not webhooks.verify(secret, body, delivery["signature"]):
        return "its signature is wrong"
    if webhooks.verify(secret + "!", body, delivery["signature"]):
        return "its signature is right with another secret"
    try:
        parsed = webhooks.parse(event, body)
    except pydantic.ValidationError as error:
        return f"not a {error.title}: {error}"
    action = json.loads(body).get("action")
    if action is not None and parsed.action != action:
        return f"read as {parsed.action}"
    return None


def main():
    path, secret = sys.argv[1], sys.argv[2]
    with open(path, encoding="utf-8") as lines:
        deliveries = [json.loads(line) for line in lines]
    wrong = 0
    for delivery in deliveries:
        complaint = read(delivery, secret)
        if complaint:
            wrong += 1
            action = json.loads(delivery["body"]).get("action", "")
            print(f"{delivery['event']} {action}: {complaint}"[:2000], file=sys.stderr)
    if wrong or not deliveries:
        sys.exit(f"{wrong} of {len(deliveries)} deliveries are not what they should be")
    print(f"githubkit_webhooks.py: {len(deliveries)} deliveries")


if __name__ == "__main__":
    main()
