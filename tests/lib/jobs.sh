# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Runs test programs, three at a time, and counts their test cases.

readonly jobs_max=3 # one more than two cores: a test waits as often as it computes
readonly test_timeout=${RECONCILED_TEST_TIMEOUT:-600} # seconds; only ends a test that hangs

count_cases() { awk -f "$source_dir/tests/lib/closing_line.awk"; } # "passed failed skipped" or nothing

tell_skips() { # NAME LOG
  sed -n 's/^skip - //p' "$2" | sed "s|^|skipped $1: |" | tee -a "$run_dir/skips" | show
}

# One program of many test cases: run_cases NAME COMMAND...
run_cases() {
  local name=$1 log status=0 cases good bad skip why=''
  shift
  log=$(mktemp "$run_dir/log.XXXXXX")
  timeout --kill-after=30 "$test_timeout" "$@" >"$log" 2>&1 </dev/null || status=$?
  cases=$(count_cases <"$log")
  read -r good bad skip <<<"${cases:-0 0 0}"
  if ((status == 124 || status == 137)); then
    why="ended after $test_timeout s"
  elif [[ -z $cases || $((good + bad + skip)) == 0 ]]; then
    why="no test case ran, exit status $status"
  elif ((status != 0 && bad == 0)); then
    why="exit status $status"
  fi
  if [[ -n $why ]]; then
    count "$good" "$bad" "$skip"
    failed "$name" "$why" <"$log"
  elif ((bad > 0)); then
    count "$good" $((bad - 1)) "$skip"
    failed "$name" "$bad of $((good + bad)) test cases" <"$log"
  else
    count "$good" 0 "$skip"
    printf 'ok      %s (%d test cases)\n' "$name" "$good" | show
  fi
  if ((skip > 0)); then tell_skips "$name" "$log"; fi
}

in_background() { # COMMAND...: waits until fewer than jobs_max run, then starts it
  while (($(jobs -pr | wc -l) >= jobs_max)); do wait -n || true; done
  "$@" &
}

# Every test that CTest knows in BUILD_DIR and whose name matches PATTERN: run_ctest BUILD_DIR LABEL
# [PATTERN]. Started by hand, because CTest counts programs and we count test cases.
run_ctest() {
  local build=$1 label=$2 pattern=${3:-.} number command name
  ctest --test-dir "$build" -N -V >"$run_dir/ctest"
  while IFS=$'\t' read -r number command; do
    name=$(sed -n "s/^ *Test *#$number: //p" "$run_dir/ctest")
    [[ $name =~ $pattern ]] || continue
    in_background run_in "$build" "$label$name" "$command"
  done < <(sed -n 's/^\([0-9]*\): Test command: /\1\t/p' "$run_dir/ctest")
  wait
}

run_in() { # BUILD_DIR NAME COMMAND: the command as CTest prints it, quoted for a shell
  cd "$1/tests" || return
  if [[ ${2##*:} =~ ^(unit|http|pg)_ ]]; then
    eval "run_cases '$2' $3"
  else
    eval "step '$2' timeout --kill-after=30 $test_timeout $3" || true
  fi
}

# The scripted tests: each prints ok, not ok or skip lines and finds the programs in BUILD_DIR.
run_scripts() { # BUILD_DIR
  local script
  for script in "$source_dir"/tests/e2e/*.sh; do
    [[ -e $script ]] || continue
    in_background run_cases "$(basename "$script" .sh)" \
      env RECONCILED_BUILD_DIR="$1" bash "$script"
  done
  wait
}
