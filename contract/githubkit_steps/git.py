"""Git through the API: objects, refs, files, history."""

import base64
import datetime

from githubkit_steps.answers import REPO, body, message_of, nothing, refusal
from steps import expect, expect_that, step


def commit_file(ctx, parent, path, text, message):
    """Writes a commit that changes one file, from a blob upwards."""
    base_tree = body(ctx.rest.git.get_commit(*ctx.at, parent)).tree.sha
    blob = body(ctx.rest.git.create_blob(*ctx.at, content=text, encoding="utf-8"), 201).sha
    entry = {"path": path, "mode": "100644", "type": "blob", "sha": blob}
    tree = body(ctx.rest.git.create_tree(*ctx.at, base_tree=base_tree, tree=[entry]), 201).sha
    return body(ctx.rest.git.create_commit(*ctx.at, message=message, tree=tree, parents=[parent]), 201).sha


@step("write and read blobs, trees and commits")
def git_objects(ctx):
    ctx.start = body(ctx.rest.git.get_ref(*ctx.at, "heads/main")).object_.sha
    raw = bytes(range(256))
    blob = body(ctx.rest.git.create_blob(*ctx.at, content=base64.b64encode(raw).decode(), encoding="base64"), 201)
    read = body(ctx.rest.git.get_blob(*ctx.at, blob.sha))
    expect("size", read.size, 256)
    expect("content", base64.b64decode(read.content), raw)
    entries = [
        {"path": "data/all.bin", "mode": "100644", "type": "blob", "sha": blob.sha},
        {"path": "run.sh", "mode": "100755", "type": "blob", "content": "#!/bin/sh\n"},
    ]
    tree = body(ctx.rest.git.create_tree(*ctx.at, tree=entries), 201)
    expect(
        "top of the tree",
        [(e.path, e.type, e.mode) for e in tree.tree],
        [("data", "tree", "040000"), ("run.sh", "blob", "100755")],
    )
    whole = body(ctx.rest.git.get_tree(*ctx.at, tree.sha, recursive="1"))
    expect("whole tree", [e.path for e in whole.tree], ["data", "data/all.bin", "run.sh"])
    expect("truncated", whole.truncated, False)
    author = {"name": "Ada", "email": "ada@example.org", "date": "2020-02-03T04:05:06Z"}
    commit = body(
        ctx.rest.git.create_commit(*ctx.at, message="by Ada", tree=tree.sha, parents=[ctx.start], author=author), 201
    )
    read = body(ctx.rest.git.get_commit(*ctx.at, commit.sha))
    expect("commit", (read.message, read.tree.sha, [p.sha for p in read.parents]), ("by Ada", tree.sha, [ctx.start]))
    expect("author", (read.author.name, read.author.email), ("Ada", "ada@example.org"))
    expect("date", read.author.date, datetime.datetime(2020, 2, 3, 4, 5, 6, tzinfo=datetime.timezone.utc))
    expect("committer is the author", read.committer.name, "Ada")
    expect(
        "the same commit again",
        body(
            ctx.rest.git.create_commit(*ctx.at, message="by Ada", tree=tree.sha, parents=[ctx.start], author=author),
            201,
        ).sha,
        commit.sha,
    )
    refusal(404, ctx.rest.git.get_commit, *ctx.at, "0" * 40)
    refusal(422, ctx.rest.git.create_commit, *ctx.at, message="no tree", tree="0" * 40)


@step("create and read refs, custom namespaces included")
def create_refs(ctx):
    ctx.second = commit_file(ctx, ctx.start, "two.txt", "two\n", "second")
    ctx.other = commit_file(ctx, ctx.start, "other.txt", "other\n", "beside the second")
    create = lambda name, sha: ctx.rest.git.create_ref(*ctx.at, ref=name, sha=sha)
    ref = body(create("refs/heads/topic/a", ctx.start), 201)
    expect("ref", (ref.ref, ref.object_.sha, ref.object_.type), ("refs/heads/topic/a", ctx.start, "commit"))
    expect("read back", body(ctx.rest.git.get_ref(*ctx.at, "heads/topic/a")).object_.sha, ctx.start)
    expect("duplicate", refusal(422, create, "refs/heads/topic/a", ctx.start).message, "Reference already exists")
    claim = body(create("refs/baton/claims/1", ctx.start), 201)
    expect("custom namespace", claim.ref, "refs/baton/claims/1")
    expect("read back", body(ctx.rest.git.get_ref(*ctx.at, "baton/claims/1")).object_.sha, ctx.start)
    expect("duplicate", refusal(422, create, "refs/baton/claims/1", ctx.second).message, "Reference already exists")
    expect("unmoved", body(ctx.rest.git.get_ref(*ctx.at, "baton/claims/1")).object_.sha, ctx.start)
    expect("no object", refusal(422, create, "refs/heads/none", "0" * 40).message, "Object does not exist")
    refusal(422, create, "heads/short", ctx.start)
    refusal(404, ctx.rest.git.get_ref, *ctx.at, "heads/none")
    # A prefix is no ref.
    refusal(404, ctx.rest.git.get_ref, *ctx.at, "heads/topic")


@step("move refs forward, and backward only by force")
def move_refs(ctx):
    move = lambda sha, **kwargs: ctx.rest.git.update_ref(*ctx.at, "baton/claims/1", sha=sha, **kwargs)
    read = lambda: body(ctx.rest.git.get_ref(*ctx.at, "baton/claims/1")).object_.sha
    expect("forward", body(move(ctx.second)).object_.sha, ctx.second)
    expect("read back", read(), ctx.second)
    for sha in (ctx.start, ctx.other):
        expect("message", refusal(422, move, sha, force=False).message, "Update is not a fast forward")
        expect("unmoved", read(), ctx.second)
    expect("by force", body(move(ctx.other, force=True)).object_.sha, ctx.other)
    expect("read back", read(), ctx.other)
    error = refusal(422, ctx.rest.git.update_ref, *ctx.at, "baton/claims/9", sha=ctx.start)
    expect("message", error.message, "Reference does not exist")


@step("list refs by prefix, and delete them")
def list_refs(ctx):
    for name in ("refs/baton/claims/10", "refs/baton/claims/2", "refs/heads/topic/b"):
        body(ctx.rest.git.create_ref(*ctx.at, ref=name, sha=ctx.start), 201)
    listed = lambda prefix: [ref.ref for ref in body(ctx.rest.git.list_matching_refs(*ctx.at, prefix))]
    expect("claims/1", listed("baton/claims/1"), ["refs/baton/claims/1", "refs/baton/claims/10"])
    expect("claims", listed("baton/claims/"), [f"refs/baton/claims/{n}" for n in ("1", "10", "2")])
    expect("branches", listed("heads/topic"), ["refs/heads/topic/a", "refs/heads/topic/b"])
    expect("none", listed("tags/none"), [])
    nothing(ctx.rest.git.delete_ref(*ctx.at, "baton/claims/10"))
    refusal(404, ctx.rest.git.get_ref, *ctx.at, "baton/claims/10")
    error = refusal(422, ctx.rest.git.delete_ref, *ctx.at, "baton/claims/10")
    expect("message", message_of(error), "Reference does not exist")


@step("write and read an annotated tag")
def tags(ctx):
    tag = body(ctx.rest.git.create_tag(*ctx.at, tag="v1", message="the first", object=ctx.second, type="commit"), 201)
    expect("tag", (tag.tag, tag.message, tag.object_.sha, tag.object_.type), ("v1", "the first", ctx.second, "commit"))
    ref = body(ctx.rest.git.create_ref(*ctx.at, ref="refs/tags/v1", sha=tag.sha), 201)
    expect("points at a tag", (ref.object_.type, ref.object_.sha), ("tag", tag.sha))
    expect("read back", body(ctx.rest.git.get_tag(*ctx.at, tag.sha)).object_.sha, ctx.second)


@step("write, read and delete files")
def contents(ctx):
    encode = lambda text: base64.b64encode(text.encode()).decode()
    readme = body(ctx.rest.repos.get_content(*ctx.at, "README.md"))
    expect_that(
        "README", base64.b64decode(readme.content).startswith(f"# {REPO}\n".encode()), "its name", readme.content
    )
    root = body(ctx.rest.repos.get_content(*ctx.at, ""))
    expect("root", [(entry.name, entry.type) for entry in root], [("README.md", "file")])
    put = lambda text, **kwargs: ctx.rest.repos.create_or_update_file_contents(
        *ctx.at, "docs/a file.txt", message="write a file", content=encode(text), **kwargs
    )
    created = body(put("one\n", branch="topic/a"), 201)
    expect("path", created.content.path, "docs/a file.txt")
    tip = body(ctx.rest.repos.get_branch(*ctx.at, "topic/a")).commit.sha
    expect("branch moved", tip, created.commit.sha)
    read = body(ctx.rest.repos.get_content(*ctx.at, "docs/a file.txt", ref="topic/a"))
    expect(
        "content", (base64.b64decode(read.content), read.encoding, read.sha), (b"one\n", "base64", created.content.sha)
    )
    refusal(404, ctx.rest.repos.get_content, *ctx.at, "docs/a file.txt")
    error = refusal(422, put, "two\n", branch="topic/a")
    expect_that("message", '"sha" wasn\'t supplied' in error.message, "asks for the sha", error.message)
    refusal(409, put, "two\n", branch="topic/a", sha="1" * 40)
    updated = body(put("two\n", branch="topic/a", sha=read.sha))
    listing = body(ctx.rest.repos.get_content(*ctx.at, "docs", ref="topic/a"))
    expect(
        "directory",
        [(entry.name, entry.type, entry.sha) for entry in listing],
        [("a file.txt", "file", updated.content.sha)],
    )
    deleted = body(
        ctx.rest.repos.delete_file(
            *ctx.at, "docs/a file.txt", message="delete it", sha=updated.content.sha, branch="topic/a"
        )
    )
    expect("content", deleted.content, None)
    refusal(404, ctx.rest.repos.get_content, *ctx.at, "docs/a file.txt", ref="topic/a")
    ctx.tip = deleted.commit.sha


@step("list branches and commits, and compare them")
def history(ctx):
    branches = body(ctx.rest.repos.list_branches(*ctx.at))
    expect(
        "branches",
        {b.name: b.commit.sha for b in branches},
        {"main": ctx.start, "topic/a": ctx.tip, "topic/b": ctx.start},
    )
    expect("message", refusal(404, ctx.rest.repos.get_branch, *ctx.at, "none").message, "Branch not found")
    listed = body(ctx.rest.repos.list_commits(*ctx.at, sha="topic/a"))
    expect(
        "messages", [c.commit.message for c in listed], ["delete it", "write a file", "write a file", "Initial commit"]
    )
    of_path = body(ctx.rest.repos.list_commits(*ctx.at, sha="topic/a", path="README.md"))
    expect("commits of a path", [c.sha for c in of_path], [ctx.start])
    commit = body(ctx.rest.repos.get_commit(*ctx.at, ctx.second))
    expect("files", [(f.filename, f.status, f.additions) for f in commit.files], [("two.txt", "added", 1)])
    expect("parents", [p.sha for p in commit.parents], [ctx.start])
    expect("by branch", body(ctx.rest.repos.get_commit(*ctx.at, "topic/a")).sha, ctx.tip)
    compare = lambda spec: body(ctx.rest.repos.compare_commits(*ctx.at, spec))
    ahead = compare("main...topic/a")
    expect("ahead", (ahead.status, ahead.ahead_by, ahead.behind_by, ahead.total_commits), ("ahead", 3, 0, 3))
    expect("behind", compare("topic/a...main").status, "behind")
    expect("identical", compare("main...topic/b").status, "identical")
    diverged = compare(f"{ctx.second}...{ctx.other}")
    expect("diverged", (diverged.status, diverged.ahead_by, diverged.behind_by), ("diverged", 1, 1))
    expect("merge base", diverged.merge_base_commit.sha, ctx.start)
    expect("files", [f.filename for f in diverged.files], ["other.txt"])
