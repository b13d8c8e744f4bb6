#!/usr/bin/env bash
# GitHub's API through the gh program over a unix socket, and the repositories through git over HTTP.
#
# Run as: gh_flow.sh SOCKET TOKEN GH_BINARY BASE_URL, with a second account in FORGE_USER2 and FORGE_TOKEN2.
#
# gh believes that it speaks to github.com, and git to an ordinary server. Here is only `gh api`; the other flows use gh's
# own commands.
helpers="api refused api_refused git_refused sha_of ref_of"
source "$(dirname "$0")/gh_steps.sh"
repo=gh-flow
private=gh-flow-private

# Calls

# Calls `gh api`, which must succeed, and leaves its output in $out.
api() {
  out=$("$gh_binary" api "$@" 2>"$work/stderr") || fail "gh api $*" "success" "exit code $?: $out $(<"$work/stderr")"
}

# Calls `gh api`, which must fail, and leaves its output in $out and its complaint in $complaint.
api_refused() {
  local code=0
  out=$("$gh_binary" api "$@" 2>"$work/stderr") || code=$?
  complaint=$(<"$work/stderr")
  expect "exit code of gh api $*" "$code" 1
}

as_second() { GH_TOKEN=$token2 "$@"; }

# Runs git, which must fail, and leaves its complaint in $complaint.
git_refused() {
  local code=0
  complaint=$(git "$@" 2>&1) || code=$?
  [[ $code -ne 0 ]] || fail "git $*" "a refusal" "success: $complaint"
}

git_does() {
  local said
  said=$(git "$@" 2>&1) || fail "git $*" "success" "$said"
}

address_of() { # TOKEN OWNER/REPO
  printf 'http://x-access-token:%s@%s/%s.git' "$1" "${base#http://}" "$2"
}

sha_of() { # REVISION
  git -C "$work/clone" rev-parse --verify "$1"
}

# What the API says a ref points at, or nothing.
ref_of() { # REF, without refs/
  local sha
  sha=$("$gh_binary" api "repos/$owner/$repo/git/ref/$1" --jq .object.sha 2>/dev/null) && printf '%s' "$sha"
}

# Commits a change of one file in the clone.
commit() { # FILE TEXT
  printf '%s\n' "$2" >"$work/clone/$1"
  git_does -C "$work/clone" add "$1"
  git_does -C "$work/clone" commit -m "write $2"
}

# Steps: the API

read_account() {
  api user --jq .login
  owner=$out
  api user --jq .url
  expect "url" "$out" "https://api.github.com/users/$owner"
  api user --jq .html_url
  expect "html_url" "$out" "https://github.com/$owner"
}

clean_up() {
  local name
  for name in "$repo" "$private"; do
    "$gh_binary" api -X DELETE "repos/$owner/$name" >/dev/null 2>&1 || true
    api_refused "repos/$owner/$name"
  done
}

create_repository() {
  api user/repos -f name="$repo" -F auto_init=true --jq '[.full_name, .default_branch, .private] | @tsv'
  expect "repository" "$out" "$owner/$repo"$'\tmain\tfalse'
  api user/repos -f name="$private" -F private=true -F auto_init=true --jq .visibility
  expect "visibility" "$out" private
  api "repos/$owner/$repo" --jq .name
  expect "read back" "$out" "$repo"
}

read_headers() {
  api -i "repos/$owner/$repo"
  contains "status line" "$(head -1 <<<"$out")" "200 OK"
  local header
  for header in Etag X-Github-Request-Id X-Ratelimit-Limit X-Ratelimit-Remaining X-Ratelimit-Used X-Ratelimit-Reset \
    X-Oauth-Scopes Date; do
    grep -qiE "^$header: .+" <<<"$out" || fail "headers" "$header among them" "$out"
  done
  contains "content type" "$(grep -i '^content-type:' <<<"$out")" "application/json; charset=utf-8"
  local etag
  etag=$(sed -n 's/^Etag: *//Ip' <<<"$out" | tr -d '\r')
  # gh takes 304 for a failure, and shows it all the same.
  api_refused -i -H "If-None-Match: $etag" "repos/$owner/$repo"
  contains "status line" "$(head -1 <<<"$out")" "304 Not Modified"
}

create_issue() {
  api "repos/$owner/$repo/labels" -f name="kind: a/b c" -f color=f29513 --jq .name
  expect "label" "$out" "kind: a/b c"
  api "repos/$owner/$repo/issues" -f title="the first" -f body="with words" -f "labels[]=bug" \
    -f "labels[]=kind: a/b c" --jq '[.number, .state, (.labels | map(.name) | sort | join("|"))] | @tsv'
  expect "issue" "$out" $'1\topen\tbug|kind: a/b c'
  api -X PATCH "repos/$owner/$repo/issues/1" -f state=closed -f state_reason=not_planned \
    --jq '[.state, .state_reason] | @tsv'
  expect "closed" "$out" $'closed\tnot_planned'
  api -X PATCH "repos/$owner/$repo/issues/1" -f state=open --jq .state_reason
  expect "reopened" "$out" reopened
}

comment_and_react() {
  api "repos/$owner/$repo/issues/1/comments" -f body="a comment" --jq .id
  local comment=$out
  api -X PATCH "repos/$owner/$repo/issues/comments/$comment" -f body="edited" --jq .body
  expect "body" "$out" edited
  api -i "repos/$owner/$repo/issues/1/reactions" -f content=heart
  contains "first time" "$(head -1 <<<"$out")" 201
  api -i "repos/$owner/$repo/issues/1/reactions" -f content=heart
  contains "second time" "$(head -1 <<<"$out")" 200
  api "repos/$owner/$repo/issues/1" --jq '[.comments, .reactions.total_count, .reactions.heart] | @tsv'
  expect "counts" "$out" $'1\t1\t1'
}

link_issues() {
  local title ids=()
  for title in "child" "blocker"; do
    api "repos/$owner/$repo/issues" -f title="$title" --jq .id
    ids+=("$out")
  done
  # The ids are those of the database: #2 is the child, #3 the blocker.
  api "repos/$owner/$repo/issues/1/sub_issues" -F sub_issue_id="${ids[0]}" --jq .number
  expect "answer is the parent" "$out" 1
  api "repos/$owner/$repo/issues/1/sub_issues" --jq 'map(.number) | join(",")'
  expect "children" "$out" 2
  api "repos/$owner/$repo/issues/2/parent" --jq .number
  expect "parent" "$out" 1
  api "repos/$owner/$repo/issues/1/dependencies/blocked_by" -F issue_id="${ids[1]}" --jq .number
  expect "answer is the blocked issue" "$out" 1
  api "repos/$owner/$repo/issues/1/dependencies/blocked_by" --jq 'map(.number) | join(",")'
  expect "blockers" "$out" 3
  api "repos/$owner/$repo/issues/3/dependencies/blocking" --jq 'map(.number) | join(",")'
  expect "blocked" "$out" 1
}

paginate() {
  local n
  for n in {1..23}; do
    api "repos/$owner/$repo/issues" -f title="page $n" -f "labels[]=duplicate"
  done
  api --paginate "repos/$owner/$repo/issues?labels=duplicate&per_page=10&direction=asc" --jq '.[].title'
  expect "titles" "$out" "$(printf 'page %s\n' {1..23})"
  api --paginate --slurp "repos/$owner/$repo/issues?labels=duplicate&per_page=10"
  expect "pages" "$(grep -o '"page [0-9]*"' <<<"$out" | sort -u | wc -l | tr -d ' ')" 23
  api -X GET search/issues -f q="repo:$owner/$repo is:issue label:duplicate" --jq .total_count
  expect "found" "$out" 23
}

fail_clearly() {
  api_refused "repos/$owner/no-such-repository"
  contains "complaint" "$complaint" "gh: Not Found (HTTP 404)"
  contains "body" "$out" '"message":"Not Found"'
  api_refused "repos/$owner/$repo/labels" -f name=bug
  contains "complaint" "$complaint" "gh: Validation Failed (HTTP 422)"
  contains "body" "$out" '"already_exists"'
  api_refused "repos/$owner/$repo/labels" -f name="$(printf 'x%.0s' {1..51})"
  contains "complaint" "$complaint" "(HTTP 422)"
  GH_TOKEN=not-a-token api_refused user
  contains "complaint" "$complaint" "gh: Bad credentials (HTTP 401)"
  as_second api_refused -X PATCH "repos/$owner/$repo" -f description=mine
  contains "complaint" "$complaint" "gh: Must have admin rights to Repository. (HTTP 403)"
}

# Steps: git

clone_and_push() {
  git_does clone "$(address_of "$token" "$owner/$repo")" "$work/clone"
  git_does -C "$work/clone" checkout -b topic
  commit one.txt one
  git_does -C "$work/clone" push origin topic
  expect "topic in the API" "$(ref_of heads/topic)" "$(sha_of topic)"
  api "repos/$owner/$repo/contents/one.txt?ref=topic" --jq '.content | @base64d'
  expect "content" "$out" one
  commit one.txt two
  git_does -C "$work/clone" push origin topic topic:refs/baton/claims/1
  expect "topic in the API" "$(ref_of heads/topic)" "$(sha_of topic)"
  expect "claim in the API" "$(ref_of baton/claims/1)" "$(sha_of topic)"
  contains "claim in git" "$(git -C "$work/clone" ls-remote origin 'refs/baton/*')" "$(sha_of topic)"
}

refuse_non_fast_forward() {
  local before
  before=$(sha_of topic)
  git_does -C "$work/clone" checkout -B topic topic~1
  commit one.txt three
  git_refused -C "$work/clone" push origin topic
  contains "complaint" "$complaint" "non-fast-forward"
  expect "topic, unmoved" "$(ref_of heads/topic)" "$before"
  git_does -C "$work/clone" push --force-with-lease=topic:"$before" origin topic
  expect "topic, with a lease" "$(ref_of heads/topic)" "$(sha_of topic)"
}

# One of the two leases names another commit than the server has, so neither ref may move.
refuse_atomic_push_with_wrong_lease() {
  local topic claim main
  topic=$(ref_of heads/topic) claim=$(ref_of baton/claims/1) main=$(sha_of origin/main)
  commit one.txt four
  git_refused -C "$work/clone" push --atomic --force-with-lease="refs/heads/topic:$topic" \
    --force-with-lease="refs/baton/claims/1:$main" origin topic:refs/heads/topic topic:refs/baton/claims/1
  contains "complaint" "$complaint" "stale info"
  expect "topic, unmoved" "$(ref_of heads/topic)" "$topic"
  expect "claim, unmoved" "$(ref_of baton/claims/1)" "$claim"
}

# Both leases are right when git asks, but a ref moves before the push arrives, so the server has to refuse both. The
# pre-push hook runs just in between.
refuse_atomic_push_that_comes_too_late() {
  local topic claim main hook=$work/clone/.git/hooks/pre-push
  topic=$(ref_of heads/topic) claim=$(ref_of baton/claims/1) main=$(sha_of origin/main)
  printf '#!/bin/sh\nexec "%s" api -X PATCH "%s" -f sha=%s -F force=true >/dev/null\n' \
    "$gh_binary" "repos/$owner/$repo/git/refs/baton/claims/1" "$main" >"$hook"
  chmod +x "$hook"
  git_refused -C "$work/clone" push --atomic --force-with-lease="refs/heads/topic:$topic" \
    --force-with-lease="refs/baton/claims/1:$claim" origin topic:refs/heads/topic topic:refs/baton/claims/1
  rm "$hook"
  contains "complaint" "$complaint" "[remote rejected]"
  expect "claim, moved by the other" "$(ref_of baton/claims/1)" "$main"
  expect "topic, unmoved" "$(ref_of heads/topic)" "$topic"
  git_does -C "$work/clone" push --atomic --force-with-lease="refs/heads/topic:$topic" \
    --force-with-lease="refs/baton/claims/1:$main" origin topic:refs/heads/topic topic:refs/baton/claims/1
  expect "topic" "$(ref_of heads/topic)" "$(sha_of topic)"
  expect "claim" "$(ref_of baton/claims/1)" "$(sha_of topic)"
}

push_to_pull_request() {
  api "repos/$owner/$repo/pulls" -f title="a topic" -f head=topic -f base=main -f body="Closes #2" --jq .number
  local pull=$out
  commit one.txt five
  git_does -C "$work/clone" push origin topic
  api "repos/$owner/$repo/pulls/$pull" --jq .head.sha
  expect "head follows the push" "$out" "$(sha_of topic)"
  git_does -C "$work/clone" fetch origin "refs/pull/$pull/head"
  expect "fetched by number" "$(sha_of FETCH_HEAD)" "$(sha_of topic)"
  api -X PUT "repos/$owner/$repo/pulls/$pull/merge" -f sha="$(sha_of topic)" --jq .sha
  local merged=$out
  git_does -C "$work/clone" fetch origin main
  expect "main" "$(sha_of FETCH_HEAD)" "$merged"
  api "repos/$owner/$repo/issues/2" --jq .state
  expect "issue" "$out" closed
  git_does -C "$work/clone" push origin --delete topic refs/baton/claims/1
  expect "topic, deleted" "$(ref_of heads/topic)" ""
  expect "claim, deleted" "$(ref_of baton/claims/1)" ""
}

# A closing keyword in a commit works when the commit reaches the default branch.
close_by_push() {
  git_does -C "$work/clone" checkout -B main FETCH_HEAD
  printf 'six\n' >"$work/clone/one.txt"
  git_does -C "$work/clone" commit -a -m "write six" -m "Fixes #3"
  git_does -C "$work/clone" push origin main
  api "repos/$owner/$repo/issues/3" --jq '[.state, .state_reason] | @tsv'
  expect "issue" "$out" $'closed\tcompleted'
  api "repos/$owner/$repo/issues/3/events" --jq 'map(select(.event == "closed") | .commit_id) | join(",")'
  expect "commit of the event" "$out" "$(sha_of main)"
}

refuse_without_credentials() {
  git_refused clone "$base/$owner/$private.git" "$work/nothing"
  contains "complaint" "$complaint" "could not read Username"
  git_refused clone "$(address_of not-a-token "$owner/$private")" "$work/nothing"
  contains "complaint" "$complaint" "Authentication failed"
  git_refused clone "$(address_of "$token2" "$owner/$private")" "$work/nothing"
  contains "complaint" "$complaint" "not found"
  git_does clone "$base/$owner/$repo.git" "$work/public"
}

refuse_push_of_reader() {
  local before
  before=$(ref_of heads/main)
  git_refused -C "$work/clone" push "$(address_of "$token2" "$owner/$repo")" main:refs/heads/theirs
  contains "complaint" "$complaint" "403"
  git_refused -C "$work/clone" push "$base/$owner/$repo.git" main:refs/heads/nobodys
  api -X PUT "repos/$owner/$private/collaborators/$user2" -f permission=pull
  git_does clone "$(address_of "$token2" "$owner/$private")" "$work/reader"
  git_refused -C "$work/reader" push origin HEAD:refs/heads/theirs
  contains "complaint" "$complaint" "403"
  api -X PUT "repos/$owner/$private/collaborators/$user2" -f permission=push
  git_does -C "$work/reader" push origin HEAD:refs/heads/theirs
  api "repos/$owner/$private/branches" --jq 'map(.name) | join(",")'
  expect "branches" "$out" main,theirs
  expect "main, unmoved" "$(ref_of heads/main)" "$before"
  expect "theirs" "$(ref_of heads/theirs)" ""
  api -X DELETE "repos/$owner/$private"
}

run_step "read the own account, with GitHub's addresses" read_account
run_step "remove what an earlier run left" clean_up
run_step "create repositories" create_repository
run_step "read headers, and be spared what is known" read_headers
run_step "open, close and reopen an issue with labels" create_issue
run_step "comment and react" comment_and_react
run_step "link a sub-issue and a blocker" link_issues
run_step "page through three pages" paginate
run_step "fail with an exit code and a reason" fail_clearly
run_step "clone, commit and push" clone_and_push
run_step "refuse a push that is no fast forward" refuse_non_fast_forward
run_step "refuse a whole atomic push when one lease is wrong" refuse_atomic_push_with_wrong_lease
run_step "refuse a whole atomic push when one ref has moved meanwhile" refuse_atomic_push_that_comes_too_late
run_step "push to a pull request, and merge it" push_to_pull_request
run_step "close an issue by a pushed commit" close_by_push
run_step "refuse clones without the right credentials" refuse_without_credentials
run_step "refuse pushes of readers" refuse_push_of_reader
