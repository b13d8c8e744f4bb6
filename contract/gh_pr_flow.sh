#!/usr/bin/env bash
# A pull request's whole way by the gh program alone: cloned, pushed, opened, discussed, reviewed by somebody else, brought
# up to date, merged, and the issue that it names closed.
#
# Run as: gh_pr_flow.sh SOCKET TOKEN GH_BINARY BASE_URL, with a second account in FORGE_USER2 and FORGE_TOKEN2.
#
# gh believes that it speaks to github.com, and knows a clone by its remote's address. So git keeps addresses of github.com
# and reaches the forge as if it were a proxy for that host.
helpers="gh gh_refused git_does as_second"
source "$(dirname "$0")/gh_steps.sh"
repo=gh-pr-flow

# The settings of git for one account.
git_settings() { # FILE TOKEN
  local credential
  credential=$(printf 'x-access-token:%s' "$2" | base64 | tr -d '\n')
  git config --file "$1" url."http://github.com/".insteadOf "https://github.com/"
  git config --file "$1" http."http://github.com/".proxy "$base"
  git config --file "$1" http."http://github.com/".extraHeader "Authorization: Basic $credential"
}
git_settings "$work/git-first" "$token"
git_settings "$work/git-second" "$token2"
export GIT_CONFIG_GLOBAL=$work/git-first

# Calls

# Runs gh in the clone; it must succeed, and leaves its output in $out.
gh() {
  out=$(cd "$directory" && "$gh_binary" "$@" 2>"$work/stderr") ||
    fail "gh $*" "success" "exit code $?: $out $(<"$work/stderr")"
}

# Runs gh, which must fail, and leaves its complaint in $complaint.
gh_refused() {
  local code=0
  out=$(cd "$directory" && "$gh_binary" "$@" 2>"$work/stderr") || code=$?
  complaint=$(<"$work/stderr")
  [[ $code -ne 0 ]] || fail "gh $*" "a refusal" "success: $out"
}

as_second() { GH_TOKEN=$token2 GIT_CONFIG_GLOBAL=$work/git-second "$@"; }

git_does() {
  local said
  said=$(git -C "$directory" "$@" 2>&1) || fail "git $*" "success" "$said"
}

commit() { # FILE TEXT
  printf '%s\n' "$2" >"$directory/$1"
  git_does add "$1"
  git_does commit -m "write $1"
}

# Steps

prepare() {
  directory=$work
  gh api user --jq .login
  owner=$out
  "$gh_binary" api -X DELETE "repos/$owner/$repo" >/dev/null 2>&1 || true
  gh api user/repos -f name="$repo" -F auto_init=true --jq .full_name
  expect "repository" "$out" "$owner/$repo"
  gh api -X PUT "repos/$owner/$repo/collaborators/$user2" -f permission=push
  gh api "repos/$owner/$repo/issues" -f title="the greeting is missing" --jq .number
  expect "issue" "$out" 1
}

clone_repository() {
  gh repo clone "$owner/$repo" "$work/clone"
  directory=$work/clone
  contains "remote" "$(git -C "$directory" remote -v)" "github.com/$owner/$repo"
}

open_pull_request() {
  git_does checkout -b topic
  commit greeting.txt "hello"
  git_does push --set-upstream origin topic
  gh pr create --title "Add a greeting" --body "Closes #1" --base main --draft --label bug --assignee @me
  contains "address" "$out" "https://github.com/$owner/$repo/pull/2"
  gh pr view 2 --json title,isDraft,state,baseRefName,headRefName,author,labels,assignees,closingIssuesReferences \
    --jq '[.title, .isDraft, .state, .baseRefName, .headRefName, .author.login, .labels[0].name, .assignees[0].login,
           .closingIssuesReferences[0].number] | @tsv'
  expect "pull request" "$out" \
    "Add a greeting"$'\t'true$'\t'OPEN$'\t'main$'\t'topic$'\t'"$owner"$'\t'bug$'\t'"$owner"$'\t'1
  gh_refused pr create --title "again" --body "" --base main
  contains "complaint" "$complaint" "already exists"
}

list_and_read() {
  gh pr list --json number,headRefName --jq '.[] | [.number, .headRefName] | @tsv'
  expect "list" "$out" $'2\ttopic'
  gh pr list
  contains "list for people" "$out" "Add a greeting"
  gh pr list --state closed
  expect "closed ones" "$out" ""
  gh pr view
  contains "of this branch" "$out" "Add a greeting"
  gh pr status
  contains "status" "$out" "Add a greeting"
  gh pr diff 2
  contains "difference" "$out" "+hello"
  gh pr diff 2 --name-only
  expect "files" "$out" "greeting.txt"
  gh pr view 2 --json files,commits,additions,changedFiles \
    --jq '[.files[0].path, (.commits | length), .additions, .changedFiles] | @tsv'
  expect "contents" "$out" $'greeting.txt\t1\t1\t1'
}

make_ready() {
  gh pr ready 2
  gh pr view 2 --json isDraft --jq .isDraft
  expect "draft" "$out" false
  gh pr ready 2 --undo
  gh pr view 2 --json isDraft --jq .isDraft
  expect "draft again" "$out" true
  gh pr ready 2
}

edit() {
  gh pr edit 2 --title "Add the greeting" --add-label enhancement --remove-label bug --add-reviewer "$user2"
  gh pr view 2 --json title,labels,reviewRequests --jq '[.title, .labels[0].name, .reviewRequests[0].login] | @tsv'
  expect "edited" "$out" "Add the greeting"$'\t'enhancement$'\t'"$user2"
  gh pr comment 2 --body "have a look"
  gh pr view 2 --json comments --jq '.comments[0].body'
  expect "comment" "$out" "have a look"
}

review() {
  gh_refused pr review 2 --approve
  contains "complaint" "$complaint" "Can not approve your own pull request"
  as_second gh repo clone "$owner/$repo" "$work/second"
  directory=$work/second
  as_second gh pr checkout 2
  expect "content" "$(<"$directory/greeting.txt")" "hello"
  as_second gh pr review 2 --request-changes --body "say more"
  as_second gh pr view 2 --json latestReviews,reviewRequests \
    --jq '[.latestReviews[0].state, (.reviewRequests | length)] | @tsv'
  expect "review" "$out" $'CHANGES_REQUESTED\t0'
  directory=$work/clone
  commit greeting.txt "hello world"
  git_does push origin topic
  as_second gh pr review 2 --approve --body "better"
  gh pr view 2 --json reviews --jq '.reviews | map(.state) | join(",")'
  expect "reviews" "$out" "CHANGES_REQUESTED,APPROVED"
}

bring_up_to_date() {
  gh api -X PUT "repos/$owner/$repo/contents/other.txt" -f message="something else" -f content="$(printf 'x' | base64)"
  gh pr update-branch 2
  git_does pull -q origin topic
  [[ -f $directory/other.txt ]] || fail "the branch" "other.txt in it" "$(ls "$directory")"
}

close_and_reopen() {
  gh pr close 2 --comment "not now"
  gh pr view 2 --json state --jq .state
  expect "closed" "$out" CLOSED
  gh pr reopen 2
  gh pr view 2 --json state --jq .state
  expect "reopened" "$out" OPEN
}

merge() {
  gh pr merge 2 --squash --delete-branch
  gh pr view 2 --json state,mergedBy,mergeCommit --jq '[.state, .mergedBy.login] | @tsv'
  expect "merged" "$out" "MERGED"$'\t'"$owner"
  gh issue view 1 --json state,stateReason --jq '[.state, .stateReason] | @tsv'
  expect "issue" "$out" $'CLOSED\tCOMPLETED'
  git_does checkout main
  git_does pull -q origin main
  expect "main" "$(<"$directory/greeting.txt")" "hello world"
  expect "branch" "$(git -C "$directory" ls-remote origin refs/heads/topic)" ""
}

run_step "prepare a repository, an issue and a second writer" prepare
run_step "clone" clone_repository
run_step "push a branch and open a pull request" open_pull_request
run_step "list, read and compare" list_and_read
run_step "make a draft ready, and a draft again" make_ready
run_step "edit, label, ask for a review, comment" edit
run_step "check out and review as somebody else" review
run_step "bring the branch up to date" bring_up_to_date
run_step "close and reopen" close_and_reopen
run_step "merge, and have the issue closed" merge
