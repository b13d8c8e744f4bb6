#!/usr/bin/env bash
# Boards through the gh program's `project` commands, over a unix socket.
#
# Run as: gh_project_flow.sh SOCKET TOKEN GH_BINARY BASE_URL, with a second account in FORGE_USER2 and FORGE_TOKEN2.
#
# gh believes that it speaks to github.com. The boards here belong to the account of the token.
helpers="api project project_refused"
source "$(dirname "$0")/gh_steps.sh"
repo=gh-project-flow

# Calls

# Calls `gh api`, which must succeed, and leaves its output in $out.
api() {
  out=$("$gh_binary" api "$@" 2>"$work/stderr") || fail "gh api $*" "success" "exit code $?: $out $(<"$work/stderr")"
}

# Calls `gh project`, which must succeed, and leaves its output in $out.
project() {
  out=$("$gh_binary" project "$@" 2>"$work/stderr") ||
    fail "gh project $*" "success" "exit code $?: $out $(<"$work/stderr")"
}

# Calls `gh project`, which must fail, and leaves its complaint in $complaint.
project_refused() {
  local code=0
  out=$("$gh_binary" project "$@" 2>"$work/stderr") || code=$?
  complaint=$(<"$work/stderr")
  expect "exit code of gh project $*" "$code" 1
}

as_second() { GH_TOKEN=$token2 "$@"; }

# Steps

make_issues() {
  api user --jq .login
  owner=$out
  "$gh_binary" api -X DELETE "repos/$owner/$repo" >/dev/null 2>&1 || true
  api user/repos -f name="$repo" -F auto_init=true --jq .name
  api "repos/$owner/$repo/milestones" -f title="first milestone" -f due_on="2027-01-01T00:00:00Z" --jq .number
  api "repos/$owner/$repo/issues" -f title="the first" -f body="words" -f "labels[]=bug" -f "assignees[]=$owner" \
    -F milestone="$out" --jq .html_url
  issue_url=$out
  expect "address" "$issue_url" "https://github.com/$owner/$repo/issues/1"
  api "repos/$owner/$repo/git/ref/heads/main" --jq .object.sha
  api "repos/$owner/$repo/git/refs" -f ref=refs/heads/topic -f sha="$out" --jq .ref
  api -X PUT "repos/$owner/$repo/contents/a.txt" -f message=write -f content=YQo= -f branch=topic --jq .commit.sha
  api "repos/$owner/$repo/pulls" -f title="a topic" -f head=topic -f base=main --jq .html_url
  pull_url=$out
}

create_board() {
  project create --owner "$owner" --title "the board" --format json --jq '[.number, .title, .closed, .public] | @tsv'
  number=${out%%$'\t'*}
  expect "board" "$out" "$number"$'\tthe board\tfalse\tfalse'
  project list --owner "$owner" --format json --jq ".projects[] | select(.number == $number) | .title"
  expect "listed" "$out" "the board"
  project list --owner @me --format json --jq ".projects[] | select(.number == $number) | .title"
  expect "listed as one's own" "$out" "the board"
  project view "$number" --owner "$owner" --format json --jq '[.items.totalCount, .fields.totalCount, .owner.login] | @tsv'
  expect "viewed" "$out" "0	10	$owner"
  project view "$number" --owner "$owner" --format json --jq .id
  board=$out
}

edit_board() {
  project edit "$number" --owner "$owner" --title "our board" --description "short" --readme "# long" \
    --visibility PUBLIC --format json --jq '[.title, .shortDescription, .readme, .public] | @tsv'
  expect "edited" "$out" $'our board\tshort\t# long\ttrue'
  project view "$number" --owner "$owner"
  contains "for people" "$out" "our board"
  as_second project view "$number" --owner "$owner" --format json --jq .title
  expect "public" "$out" "our board"
  as_second project_refused edit "$number" --owner "$owner" --title theirs
  contains "complaint" "$complaint" "write access"
}

make_fields() {
  project field-list "$number" --owner "$owner" --format json --jq '.fields | map(.name) | join(",")'
  expect "built in" "$out" \
    "Title,Assignees,Status,Labels,Linked pull requests,Milestone,Repository,Reviewers,Parent issue,Sub-issues progress"
  project field-list "$number" --owner "$owner" --format json \
    --jq '.fields[] | select(.name == "Status") | .options | map(.name) | join(",")'
  expect "options" "$out" "Todo,In Progress,Done"
  project field-create "$number" --owner "$owner" --name Priority --data-type SINGLE_SELECT \
    --single-select-options "High,Low" --format json --jq '[.name, .type] | @tsv'
  expect "select" "$out" $'Priority\tProjectV2SingleSelectField'
  local kind
  for kind in TEXT NUMBER DATE; do
    project field-create "$number" --owner "$owner" --name "my $kind" --data-type "$kind" --format json --jq .name
    expect "field" "$out" "my $kind"
  done
  project_refused field-create "$number" --owner "$owner" --name "my TEXT" --data-type TEXT
  contains "complaint" "$complaint" "already been taken"
}

field_id() { # NAME
  "$gh_binary" project field-list "$number" --owner "$owner" --format json --jq ".fields[] | select(.name == \"$1\") | .id"
}

option_id() { # FIELD OPTION
  "$gh_binary" project field-list "$number" --owner "$owner" --format json \
    --jq ".fields[] | select(.name == \"$1\") | .options[] | select(.name == \"$2\") | .id"
}

fill_board() {
  project item-add "$number" --owner "$owner" --url "$issue_url" --format json --jq '[.type, .title, .url] | @tsv'
  expect "issue" "$out" $'Issue\tthe first\t'"$issue_url"
  project item-add "$number" --owner "$owner" --url "$pull_url" --format json --jq '[.type, .title] | @tsv'
  expect "pull request" "$out" $'PullRequest\ta topic'
  project item-create "$number" --owner "$owner" --title "a draft" --body "to be thought about" --format json \
    --jq '[.type, .title, .body] | @tsv'
  expect "draft" "$out" $'DraftIssue\ta draft\tto be thought about'
  project item-list "$number" --owner "$owner" --format json --jq '[.totalCount, (.items | map(.title) | join(","))] | @tsv'
  expect "items" "$out" $'3\tthe first,a topic,a draft'
}

item_id() { # TITLE
  "$gh_binary" project item-list "$number" --owner "$owner" --format json --jq ".items[] | select(.title == \"$1\") | .id"
}

move_items() {
  local item
  item=$(item_id "the first")
  project item-edit --project-id "$board" --id "$item" --field-id "$(field_id Status)" \
    --single-select-option-id "$(option_id Status "In Progress")" --format json --jq .title
  expect "edited" "$out" "the first"
  project item-edit --project-id "$board" --id "$item" --field-id "$(field_id Priority)" \
    --single-select-option-id "$(option_id Priority High)"
  project item-edit --project-id "$board" --id "$item" --field-id "$(field_id "my TEXT")" --text "some words"
  project item-edit --project-id "$board" --id "$item" --field-id "$(field_id "my NUMBER")" --number 2.5
  project item-edit --project-id "$board" --id "$item" --field-id "$(field_id "my DATE")" --date 2026-02-28
  project item-list "$number" --owner "$owner" --format json --jq '.items[] | select(.title == "the first") |
    [.status, .priority, ."my TEXT", ."my NUMBER", ."my DATE", (.labels | join(",")), (.assignees | join(",")),
     .milestone.title, .repository, .content.number] | map(tostring) | join("|")'
  expect "values" "$out" \
    "In Progress|High|some words|2.5|2026-02-28|bug|$owner|first milestone|https://github.com/$owner/$repo|1"
  project item-edit --project-id "$board" --id "$item" --field-id "$(field_id "my TEXT")" --clear
  project item-list "$number" --owner "$owner" --format json \
    --jq '.items[] | select(.title == "the first") | has("my TEXT")'
  expect "cleared" "$out" false
  project_refused item-edit --project-id "$board" --id "$item" --field-id "$(field_id Status)" \
    --single-select-option-id 00000000
  contains "complaint" "$complaint" "does not belong to the field"
}

filter_items() {
  api graphql -f query='query($id: ID!) { node(id: $id) { ... on ProjectV2 {
    items(first: 5, query: "is:issue status:\"In Progress\"") { nodes { content { ... on Issue { title } } } } } } }' \
    -f id="$board" --jq '.data.node.items.nodes | map(.content.title) | join(",")'
  expect "filtered" "$out" "the first"
}

edit_draft() {
  api graphql -f query='query($id: ID!) { node(id: $id) { ... on ProjectV2Item { content { ... on DraftIssue { id } } } } }' \
    -f id="$(item_id "a draft")" --jq .data.node.content.id
  project item-edit --id "$out" --title "a better draft" --body "thought about" --format json --jq '[.title, .body] | @tsv'
  expect "draft" "$out" $'a better draft\tthought about'
}

archive_and_delete() {
  local item
  item=$(item_id "a topic")
  project item-archive "$number" --owner "$owner" --id "$item" --format json --jq .id
  expect "archived" "$out" "$item"
  project view "$number" --owner "$owner" --format json --jq .items.totalCount
  expect "left" "$out" 2
  project item-archive "$number" --owner "$owner" --id "$item" --undo
  project item-list "$number" --owner "$owner" --format json --jq '.items | map(.title) | join(",")'
  expect "restored" "$out" "the first,a better draft,a topic"
  project item-delete "$number" --owner "$owner" --id "$item"
  project_refused item-delete "$number" --owner "$owner" --id "$item"
  contains "complaint" "$complaint" "Could not resolve to a node"
  project view "$number" --owner "$owner" --format json --jq .items.totalCount
  expect "left" "$out" 2
}

link_repository() {
  project link "$number" --owner "$owner" --repo "$repo"
  api graphql -f query='query($o: String!, $n: String!) { repository(owner: $o, name: $n) {
    projectsV2(first: 5) { nodes { title } } } }' -f o="$owner" -f n="$repo" \
    --jq '.data.repository.projectsV2.nodes | map(.title) | join(",")'
  expect "linked" "$out" "our board"
  project unlink "$number" --owner "$owner" --repo "$repo"
  api graphql -f query='query($id: ID!) { node(id: $id) { ... on ProjectV2 { repositories(first: 5) { totalCount } } } }' \
    -f id="$board" --jq .data.node.repositories.totalCount
  expect "unlinked" "$out" 0
}

copy_board() {
  project copy "$number" --source-owner "$owner" --target-owner "$owner" --title "a copy" --drafts --format json \
    --jq '[.title, .items.totalCount, .fields.totalCount] | @tsv'
  expect "copy" "$out" $'a copy\t1\t14'
  project list --owner "$owner" --format json --jq '.projects[] | select(.title == "a copy") | .number'
  project delete "$out" --owner "$owner"
  project list --owner "$owner" --closed --format json --jq '.projects | map(.title) | index("a copy")'
  expect "deleted" "$out" ""
}

mark_template() {
  project mark-template "$number" --owner "$owner"
  api graphql -f query='query($id: ID!) { node(id: $id) { ... on ProjectV2 { template } } }' -f id="$board" \
    --jq .data.node.template
  expect "template" "$out" true
  project mark-template "$number" --owner "$owner" --undo
}

read_over_rest() {
  api "users/$owner/projectsV2/$number" --jq '[.number, .title, .short_description, .state] | @tsv'
  expect "board" "$out" "$number"$'\tour board\tshort\topen'
  api "users/$owner/projectsV2/$number/fields" --jq '.[] | select(.name == "Status") | .id'
  local status=$out
  api "users/$owner/projectsV2/$number/items?fields=$status" --jq '.[0].fields[0].value.name.raw'
  expect "status" "$out" "In Progress"
}

close_and_delete() {
  project field-delete --id "$(field_id "my DATE")"
  project close "$number" --owner "$owner" --format json --jq .closed
  expect "closed" "$out" true
  project close "$number" --owner "$owner" --undo --format json --jq .closed
  expect "reopened" "$out" false
  as_second project_refused delete "$number" --owner "$owner"
  project delete "$number" --owner "$owner" --format json --jq .number
  expect "deleted" "$out" "$number"
  project_refused view "$number" --owner "$owner"
  contains "complaint" "$complaint" "Could not resolve to a ProjectV2 with the number $number."
  api -X DELETE "repos/$owner/$repo"
}

run_step "open an issue and a pull request" make_issues
run_step "create, list and view a board" create_board
run_step "edit a board, and let others read it" edit_board
run_step "list and create fields" make_fields
run_step "add an issue, a pull request and a draft" fill_board
run_step "set and clear values of every kind" move_items
run_step "filter items" filter_items
run_step "edit a draft" edit_draft
run_step "archive, restore and delete an item" archive_and_delete
run_step "link and unlink a repository" link_repository
run_step "copy a board" copy_board
run_step "mark a board as a template" mark_template
run_step "read the board over REST" read_over_rest
run_step "close and delete a board" close_and_delete
