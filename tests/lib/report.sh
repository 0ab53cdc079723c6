# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the run tells: one line for what passed, everything for what failed, and the closing line.
# The jobs of a leg run side by side, so each leaves its counts in a file of its own in $run_dir.

run_dir=$(mktemp -d "${TMPDIR:-/tmp}/reconciled-tests.XXXXXX")
trap 'rm -rf "$run_dir"' EXIT
mkdir "$run_dir/counts"
: >"$run_dir/skips"

headline() { # TEXT: what starts now, and how long the run has lasted
  printf '\n== %s (after %d min %02d s)\n' "$1" $((SECONDS / 60)) $((SECONDS % 60))
}

show() { # stdin to stdout in one piece: two jobs' lines never mix
  local text
  text=$(mktemp "$run_dir/show.XXXXXX")
  cat >"$text"
  flock "$run_dir/counts" cat "$text"
  rm "$text"
}

count() { # PASSED FAILED SKIPPED
  local file
  file=$(mktemp "$run_dir/counts/XXXXXX")
  printf '%d %d %d\n' "$@" >"$file"
}

failed() { # NAME [WHY] with the whole output on stdin
  count 0 1 0
  { printf 'FAILED  %s%s\n' "$1" "${2:+: $2}" && sed 's/^/    /'; } | show
}

passed() { # NAME
  count 1 0 0
  printf 'ok      %s\n' "$1" | show
}

skipped() { # NAME REASON
  count 0 0 1
  printf 'skipped %s: %s\n' "$1" "$2" | tee -a "$run_dir/skips" | show
}

# One check that is its exit status: step NAME COMMAND...
step() {
  local name=$1 log
  shift
  log=$(mktemp "$run_dir/step.XXXXXX")
  if "$@" >"$log" 2>&1 </dev/null; then
    passed "$name"
  else
    failed "$name" "exit status $?" <"$log"
    return 1
  fi
}

# The last thing that a run prints; the exit status says whether anything failed.
close_run() {
  local passed=0 failed=0 skipped=0 p f s
  while read -r p f s; do
    ((passed += p, failed += f, skipped += s)) || true
  done < <(cat "$run_dir"/counts/* 2>/dev/null)
  headline 'done'
  if ((skipped > 0)); then
    sort -u "$run_dir/skips"
    printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
  else
    printf '%d passed, %d failed\n' "$passed" "$failed"
  fi
  ((failed == 0 && passed > 0))
}
