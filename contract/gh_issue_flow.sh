#!/usr/bin/env bash
# gh's own commands for issues, labels and repositories, over a unix socket: all of them are GraphQL.
#
# Run as: gh_issue_flow.sh SOCKET TOKEN GH_BINARY BASE_URL, with a second account in FORGE_USER2 and FORGE_TOKEN2.
helpers="gh refused field"
source "$(dirname "$0")/gh_steps.sh"
name=gh-issue-flow
cd "$work" || exit 2

# Runs gh, which must succeed, and leaves its output in $out.
gh() {
  out=$("$gh_binary" "$@" 2>"$work/stderr") || fail "gh $*" "success" "exit code $?: $out $(<"$work/stderr")"
}

# Runs gh, which must fail, and leaves its complaint in $complaint.
refused() {
  local code=0
  out=$("$gh_binary" "$@" 2>"$work/stderr") || code=$?
  complaint=$(<"$work/stderr")
  expect "exit code of gh $*" "$code" 1
}

# A value of an issue, by gh's own names.
field() { # NUMBER FIELDS JQ
  gh issue view "$1" --json "$2" --jq "$3"
}

# Steps

make_repository() {
  gh api user --jq .login
  owner=$out
  "$gh_binary" api -X DELETE "repos/$owner/$name" >/dev/null 2>&1 || true
  gh api user/repos -f name="$name" -F auto_init=true --jq .full_name
  export GH_REPO=$owner/$name
  gh api -X PUT "repos/$GH_REPO/collaborators/$user2" -f permission=push
  gh api "repos/$GH_REPO/milestones" -f title="first milestone" --jq .number
}

view_repository() {
  gh repo view "$GH_REPO"
  contains "view" "$out" "$GH_REPO"
  gh repo view "$GH_REPO" --json defaultBranchRef,visibility,viewerPermission,isEmpty,isFork,issues \
    --jq '[.defaultBranchRef.name, .visibility, .viewerPermission, .isEmpty, .isFork, .issues.totalCount] | @tsv'
  expect "repository" "$out" $'main\tPUBLIC\tADMIN\tfalse\tfalse\t0'
  gh repo list "$owner" --limit 100 --json nameWithOwner --jq '.[].nameWithOwner'
  contains "list" "$out" "$GH_REPO"
  refused repo view "$owner/no-such-repository"
  contains "complaint" "$complaint" "Could not resolve to a Repository"
}

work_on_labels() {
  gh label create alpha --color ff0000 --description "the first"
  gh label edit alpha --name beta --color 00ff00
  gh label list --search beta --json name,color,description --jq '.[] | [.name, .color, .description] | @tsv'
  expect "label" "$out" $'beta\t00ff00\tthe first'
  gh label create gone --color 0000ff
  gh label delete gone --yes
  gh label list --json name --jq '[.[].name] | contains(["gone"])'
  expect "deleted" "$out" false
}

create_issues() {
  gh issue create --title "one" --body "the first" --label bug --assignee @me --milestone "first milestone"
  expect "address" "$out" "https://github.com/$GH_REPO/issues/1"
  field 1 title,body,state,labels,assignees,milestone,author \
    '[.title, .body, .state, .labels[0].name, .assignees[0].login, .milestone.title, .author.login] | @tsv'
  expect "issue" "$out" $'one\tthe first\tOPEN\tbug\t'"$owner"$'\tfirst milestone\t'"$owner"
  gh issue create --title "two words" --body "see #1"
  gh issue create --title "three" --body ""
  gh issue create --title "child" --body "" --parent 1
  field 1 subIssues,subIssuesSummary '[.subIssues.nodes[0].number, .subIssuesSummary.total] | @tsv'
  expect "child" "$out" $'4\t1'
  refused issue create --title "x" --body "" --label no-such-label
  contains "complaint" "$complaint" "no-such-label"
}

list_and_search() {
  gh issue list --json number --jq '[.[].number] | join(",")'
  expect "newest first" "$out" "4,3,2,1"
  gh issue list --label bug --json number --jq '[.[].number] | join(",")'
  expect "by label" "$out" 1
  gh issue list --assignee @me --json number --jq '[.[].number] | join(",")'
  expect "by assignee" "$out" 1
  gh issue list --milestone "first milestone" --json number --jq '[.[].number] | join(",")'
  expect "by milestone" "$out" 1
  gh issue list --search "words in:title" --json number --jq '[.[].number] | join(",")'
  expect "by a word" "$out" 2
  gh issue list --limit 2 --json number --jq '[.[].number] | join(",")'
  expect "limited" "$out" "4,3"
  gh issue list --state closed --json number --jq length
  expect "closed" "$out" 0
  gh search issues words --repo "$GH_REPO" --json number --jq '[.[].number] | join(",")'
  expect "searched" "$out" 2
}

comment() {
  gh issue comment 1 --body "hello"
  contains "address" "$out" "https://github.com/$GH_REPO/issues/1#issuecomment-"
  gh issue comment 1 --edit-last --body "hello again"
  GH_TOKEN=$token2 gh issue comment 1 --body "me too"
  field 1 comments '[.comments[].body] | join("|")'
  expect "comments" "$out" "hello again|me too"
  gh issue view 1 --comments
  contains "shown" "$out" "hello again"
  GH_TOKEN=$token2 gh issue comment 1 --delete-last --yes
  field 1 comments '.comments | length'
  expect "left" "$out" 1
}

edit() {
  gh issue edit 1 --title "one!" --body "changed" --add-label beta --remove-label bug --add-assignee "$user2" \
    --remove-assignee @me --remove-milestone
  field 1 title,body,labels,assignees,milestone \
    '[.title, .body, .labels[0].name, .assignees[0].login, (.assignees | length), .milestone] | @tsv'
  expect "edited" "$out" $'one!\tchanged\tbeta\t'"$user2"$'\t1\t'
  gh issue edit 2 3 --add-label question
  gh issue list --label question --json number --jq '[.[].number] | sort | join(",")'
  expect "several at once" "$out" "2,3"
}

link() {
  gh issue edit 1 --add-blocked-by 3
  field 1 blockedBy '.blockedBy.nodes[0].number'
  expect "blocked by" "$out" 3
  field 3 blocking '.blocking.nodes[0].number'
  expect "blocking" "$out" 1
  gh issue edit 1 --remove-blocked-by 3
  field 1 blockedBy .blockedBy.totalCount
  expect "free" "$out" 0
  gh issue edit 4 --remove-parent
  field 4 parent .parent
  expect "parent" "$out" ""
}

close_and_reopen() {
  gh issue close 2 --reason "not planned" --comment "no"
  field 2 state,stateReason,comments '[.state, .stateReason, .comments[0].body] | @tsv'
  expect "closed" "$out" $'CLOSED\tNOT_PLANNED\tno'
  gh issue reopen 2
  field 2 state,stateReason '[.state, .stateReason] | @tsv'
  expect "reopened" "$out" $'OPEN\tREOPENED'
}

pin_and_lock() {
  gh issue pin 1
  field 1 isPinned .isPinned
  expect "pinned" "$out" true
  gh issue unpin 1
  field 1 isPinned .isPinned
  expect "unpinned" "$out" false
  gh issue lock 1 --reason resolved
  gh api graphql -f query="{ repository(owner: \"$owner\", name: \"$name\") { issue(number: 1) { locked activeLockReason } } }" \
    --jq '.data.repository.issue | [.locked, .activeLockReason] | @tsv'
  expect "locked" "$out" $'true\tRESOLVED'
  gh issue unlock 1
}

see_status() {
  gh issue status --json number --jq '[.createdBy[].number] | sort | join(",")'
  expect "own" "$out" "1,2,3,4"
  gh status --org "$owner"
  contains "status" "$out" "Assigned Issues"
}

ask_graphql() {
  gh api graphql --paginate -F owner="$owner" -F name="$name" -f query='
    query($owner: String!, $name: String!, $endCursor: String) {
      repository(owner: $owner, name: $name) {
        issues(first: 1, after: $endCursor) { nodes { number } pageInfo { hasNextPage endCursor } } } }' \
    --jq '.data.repository.issues.nodes[].number'
  expect "page by page" "$out" "$(printf '%s\n' 1 2 3 4)"
  refused api graphql -f query='{ viewer { nothing } }'
  contains "complaint" "$complaint" "Field 'nothing' doesn't exist on type 'User'"
  gh api graphql -f query='{ rateLimit { cost remaining } }' --jq .data.rateLimit.cost
  expect "cost" "$out" 1
}

delete() {
  GH_TOKEN=$token2 refused issue delete 3 --yes
  gh issue delete 3 --yes
  refused issue view 3
  contains "complaint" "$complaint" "Could not resolve to an issue or pull request with the number of 3."
  gh api -X DELETE "repos/$GH_REPO"
}

run_step "make a repository" make_repository
run_step "view and list repositories" view_repository
run_step "create, edit, list and delete labels" work_on_labels
run_step "create issues" create_issues
run_step "list and search issues" list_and_search
run_step "comment, edit and delete comments" comment
run_step "edit issues" edit
run_step "link issues" link
run_step "close and reopen" close_and_reopen
run_step "pin and lock" pin_and_lock
run_step "see the status" see_status
run_step "ask GraphQL page by page" ask_graphql
run_step "delete an issue" delete
