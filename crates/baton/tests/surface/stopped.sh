#!/usr/bin/env bash
# stopped once|until-dead WORDS COMMAND…: starts the command, waits until it has said the words, tells it to stop, and
# passes its exit code on.
how=$1 words=$2
shift 2
said=$(mktemp)
"$@" >"$said" 2>&1 &
pid=$!
for _ in $(seq 600); do
  grep -q -- "$words" "$said" && break
  kill -0 "$pid" 2>/dev/null || break
  sleep 0.1
done
kill -TERM "$pid"
if [ "$how" = until-dead ]; then
  for _ in $(seq 600); do
    kill -TERM "$pid" 2>/dev/null || break
    sleep 0.1
  done
fi
wait "$pid"
code=$?
cat "$said" >&2
exit "$code"
