# What the flows of gh share: their arguments, an environment without this machine's settings, expectations and steps.
#
# Sourced by a flow with the flow's own arguments: SOCKET TOKEN GH_BINARY BASE_URL, with a second account in FORGE_USER2
# and FORGE_TOKEN2. A flow says in $helpers which of its functions are no steps.
set -uo pipefail

flow=$(basename "$0")
if [[ $# -ne 4 ]]; then
  echo "usage: $flow SOCKET TOKEN GH_BINARY BASE_URL" >&2
  exit 2
fi
# Some calls come from other directories.
absolute() { printf '%s/%s' "$(cd "$(dirname "$1")" && pwd)" "$(basename "$1")"; }
socket=$(absolute "$1") token=$2 gh_binary=$(absolute "$(command -v "$3")") base=${4%/}
user2=$FORGE_USER2 token2=$FORGE_TOKEN2

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Neither gh nor git may read this machine's configuration, ask anybody, or speak to anybody else.
export HOME=$work/home GH_CONFIG_DIR=$work/gh GH_TOKEN=$token GH_HOST=github.com GH_NO_UPDATE_NOTIFIER=1
export GH_NO_EXTENSION_UPDATE_NOTIFIER=1 GH_TELEMETRY=false DO_NOT_TRACK=1 GH_PROMPT_DISABLED=1 NO_COLOR=1
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0 LC_ALL=C PAGER=cat GH_PAGER=cat
export GIT_AUTHOR_NAME=Ada GIT_AUTHOR_EMAIL=ada@example.org GIT_COMMITTER_NAME=Ada GIT_COMMITTER_EMAIL=ada@example.org
unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY GITHUB_TOKEN GH_REPO GIT_DIR GIT_WORK_TREE
mkdir -p "$HOME" "$GH_CONFIG_DIR"
printf 'http_unix_socket: %s\n' "$socket" >"$GH_CONFIG_DIR/config.yml"

fail() { # WHAT WANTED GOT
  printf 'FAIL  %s\n' "$step"
  printf '      %s\n      expected: %s\n      got:      %s\n      at:       %s:%s\n' \
    "$1" "$2" "$3" "$flow" "$(caller_line)" >&2
  exit 1
}

# The line of the step that failed: the innermost one outside of the helpers.
caller_line() {
  local i
  for ((i = 1; i < ${#FUNCNAME[@]}; i++)); do
    case " caller_line fail expect contains ${helpers:-} " in
      *" ${FUNCNAME[i]} "*) ;;
      *) echo "${BASH_LINENO[i - 1]}" && return ;;
    esac
  done
}

expect() { # WHAT GOT WANTED
  [[ $2 == "$3" ]] || fail "$1" "$3" "$2"
}

contains() { # WHAT TEXT PART
  [[ $2 == *"$3"* ]] || fail "$1" "something with: $3" "$2"
}

run_step() { # NAME FUNCTION
  step=$1
  "$2"
  printf 'ok  %s\n' "$1"
}
