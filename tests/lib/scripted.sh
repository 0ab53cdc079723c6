# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the scripted tests share: source it first. Each check prints one line that tests/run counts.
set -uo pipefail

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck disable=SC2034 # for the scripts
build_dir=${RECONCILED_BUILD_DIR:-$source_dir/build/release}
work=$(mktemp -d "${TMPDIR:-/tmp}/reconciled-e2e.XXXXXX")
chmod 755 "$work" # PostgreSQL runs as another user when the tests run as root
bad=0
cleanups=()

# Commands to run at the end, last one first, whatever happened.
at_end() { cleanups=("$*" "${cleanups[@]}"); }

finish() {
  local command
  for command in "${cleanups[@]}"; do eval "$command" >/dev/null 2>&1; done
  rm -rf "$work"
  exit $((bad > 0))
}
trap finish EXIT
trap 'exit 143' TERM INT

ok() { printf 'ok - %s\n' "$1"; }

not_ok() { # NAME, what was seen on stdin; not behind a pipe, where it would count in a subshell
  bad=$((bad + 1))
  printf 'not ok - %s\n' "$1"
  sed 's/^/    /'
}

skip() { printf 'skip - %s: %s\n' "$1" "$2"; }

same() { # NAME WANTED SEEN
  if [[ $2 == "$3" ]]; then ok "$1"; else not_ok "$1" <<<"wanted: $2"$'\n'"seen:   $3"; fi
}

matches() { # NAME PATTERN SEEN: an extended regular expression
  if [[ $3 =~ $2 ]]; then ok "$1"; else not_ok "$1" <<<"wanted: $2"$'\n'"seen:   $3"; fi
}

succeeds() { # NAME COMMAND...
  local name=$1 seen
  shift
  if seen=$("$@" 2>&1); then ok "$name"; else not_ok "$name" <<<"$seen"; fi
}

# Waits until a command succeeds: until_true COMMAND... The limit only ends a test that hangs.
readonly wait_seconds_max=${RECONCILED_TEST_WAIT:-120}
until_true() {
  local deadline=$((SECONDS + wait_seconds_max))
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < deadline)) || return 1
    sleep 0.05
  done
}
