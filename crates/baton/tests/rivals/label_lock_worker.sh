#!/usr/bin/env bash
# Claims one issue with a label, a comment and a look back, as small shell workers do. Needs bash 5, curl 7.84 and jq.
#
#   label_lock_worker.sh [ISSUE [COMMAND...]]   claims ISSUE, or the oldest that is ready; runs COMMAND if it won
#   label_lock_worker.sh --sweep                takes the label off issues whose newest claim has outlived its ttl
#
# FORGE_API, FORGE_TOKEN, FORGE_REPO and WORKER_ID say where and who. LOCK_TTL_S is how long a claim is good for;
# LOCK_HONOUR_TTL=1 leaves claims out of the comparison that are older than they said. LOCK_STEPS=1 announces each step
# as "@step NAME" and waits for a line on standard input before it. The last line printed is a verdict in JSON.
set -euo pipefail
export LC_ALL=C

: "${FORGE_API:?}" "${FORGE_TOKEN:?}" "${FORGE_REPO:?}" "${WORKER_ID:?}"
ttl_s=${LOCK_TTL_S:-600}
nonce=$(od -An -N8 -tx1 /dev/urandom | tr -d ' \n')
calls=0 reply= date= decided=
first_read_ms=null decisive_write_ms=null started_ms=

now_ms() { # EPOCHREALTIME has microseconds and costs no process.
    local us=${EPOCHREALTIME/./}
    printf -v "$1" %s "${us%???}"
}

# Sends a request and leaves its content in $reply and the server's time in $date; fails when the server does.
call() {
    calls=$((calls + 1))
    reply=$(curl --silent --fail --noproxy '*' --max-time 30 --request "$1" --user-agent label-lock-worker \
        --header "Authorization: Bearer $FORGE_TOKEN" --write-out '\n%header{date}' ${3+--data "$3"} \
        "$FORGE_API/repos/$FORGE_REPO$2")
    date=${reply##*$'\n'}
    reply=${reply%$'\n'*}
}

remove_label() { # A label that is not there is fine.
    call DELETE "/issues/$issue/labels/${1//:/%3A}" || true
}

step() {
    [[ ${LOCK_STEPS:-} ]] || return 0
    echo "@step $1"
    read -r _
}

verdict() { # outcome, and whom it was lost to or why
    local decided_ms
    now_ms decided_ms
    decided=$(printf '{"outcome":"%s","to":"%s","calls":%d,"started_ms":%s,"first_read_ms":%s,"decisive_write_ms":%s,"decided_ms":%s}' \
        "$1" "${2:-}" "$calls" "$started_ms" "$first_read_ms" "$decisive_write_ms" "$decided_ms")
}

finish() {
    [[ $decided ]] || verdict error "a request failed"
    echo "$decided"
}

scan() {
    if [[ $issue ]]; then
        call GET "/issues/$issue"
        reply="[$reply]"
    else
        call GET "/issues?state=open&labels=stage%3Aready&sort=created&direction=asc&per_page=100"
    fi
    now_ms first_read_ms
    issue=$(jq -r 'map(select([.labels[].name] | index("stage:ready") and (index("claimed") | not)))[0].number // ""' <<<"$reply")
}

claim() {
    call POST "/issues/$issue/labels" '{"labels":["claimed"]}'
    call POST "/issues/$issue/comments" \
        "{\"body\":\"<!-- claim run=$nonce ttl=${ttl_s}s --> claimed by $WORKER_ID\"}"
    now_ms decisive_write_ms
}

# Leaves the body of the claim that counts in $earliest. The sort is stable, so ids decide within a second.
look_back() {
    local page=1 all='[]'
    while ((page <= 50)); do
        call GET "/issues/$issue/comments?per_page=100&page=$page"
        all=$(jq -c --argjson all "$all" '$all + .' <<<"$reply")
        (($(jq length <<<"$reply") == 100)) || break
        page=$((page + 1))
    done
    earliest=$(jq -r --arg date "$date" --arg honour "${LOCK_HONOUR_TTL:-}" '
        ($date | strptime("%a, %d %b %Y %H:%M:%S GMT") | mktime) as $now
        | def age: $now - (.created_at | fromdateiso8601);
          def ttl: .body | capture("ttl=(?<s>[0-9]+)s").s | tonumber;
          map(select(.body | startswith("<!-- claim run=")))
        | map(select($honour == "" or age <= ttl))
        | sort_by(.created_at) | .[0].body // ""' <<<"$all")
}

sweep() {
    local numbers
    call GET "/issues?state=open&labels=claimed&per_page=100"
    numbers=$(jq -r '.[].number' <<<"$reply")
    for issue in $numbers; do
        call GET "/issues/$issue/comments?per_page=100"
        jq -e --arg date "$date" '
            ($date | strptime("%a, %d %b %Y %H:%M:%S GMT") | mktime) as $now
            | map(select(.body | startswith("<!-- claim run="))) | last
            | . != null and $now - (.created_at | fromdateiso8601)
                > (.body | capture("ttl=(?<s>[0-9]+)s").s | tonumber)' <<<"$reply" >/dev/null || continue
        remove_label claimed
        echo "swept $issue"
    done
}

now_ms started_ms
if [[ ${1:-} == --sweep ]]; then
    sweep
    exit
fi
trap finish EXIT
issue=${1:-}
shift || true
step scan
scan
if [[ ! $issue ]]; then
    verdict refused "nothing is ready and unclaimed"
    exit
fi
step claim
claim
step verify
look_back
if [[ $earliest != *"run=$nonce "* ]]; then
    verdict lost "${earliest##* }"
    remove_label claimed
    exit
fi
verdict won
step work
if (($#)); then
    ISSUE=$issue "$@" >&2
    remove_label stage:ready
    remove_label claimed
    call POST "/issues/$issue/labels" '{"labels":["stage:review"]}'
fi
