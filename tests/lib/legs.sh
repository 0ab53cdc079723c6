# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The parts of a run. Each can fail without hiding the next.

build_leg() { # PRESET: configure and build; false if that fails
  headline "build, $1 preset"
  step "configure $1" cmake --preset "$1" &&
    step "build $1" cmake --build --preset "$1" --parallel 2 -- -k 0
}

release_leg() { # [ctest-only]
  if build_leg release; then tests_leg "$@"; fi
}

tests_leg() { # [ctest-only]: of the release build
  headline 'unit and PostgreSQL tests'
  run_ctest "$source_dir/build/release" ''
  if [[ ${1:-} == ctest-only ]]; then return; fi
  headline 'scripted tests'
  run_scripts "$source_dir/build/release"
}

asan_leg() {
  build_leg asan || return 0
  headline 'the same tests under AddressSanitizer and UBSan'
  export ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1
  export UBSAN_OPTIONS=print_stacktrace=1
  export LSAN_OPTIONS=suppressions=$source_dir/tests/lib/leaks.supp:print_suppressions=0
  run_ctest "$source_dir/build/asan" asan:
  unset ASAN_OPTIONS UBSAN_OPTIONS LSAN_OPTIONS
}

tree_files() { # GLOB...: the tree's files, also those not committed yet
  git -C "$source_dir" ls-files --cached --others --exclude-standard -- "$@"
}

format_leg() {
  headline 'clang-format'
  tree_files '*.cpp' '*.hpp' >"$run_dir/sources"
  step clang-format xargs -a "$run_dir/sources" clang-format --dry-run -Werror || true
}

shell_leg() {
  headline 'shellcheck'
  tree_files | while read -r file; do
    head -n1 "$file" | grep -Eq '^#!.*\b(ba)?sh$' && printf '%s\n' "$file"
  done >"$run_dir/shells"
  step shellcheck xargs -a "$run_dir/shells" shellcheck -x --severity=warning || true
}

tidy_leg() { # analyzer | without-analyzer: clang's path-sensitive checks take half of the time
  headline "clang-tidy, $1"
  tree_files 'base/*.cpp' 'sql/*.cpp' 'reconcile/*.cpp' 'recovery/*.cpp' 'retention/*.cpp' \
    'daemon/*.cpp' >"$run_dir/tidied"
  local checks=()
  if [[ $1 == without-analyzer ]]; then checks=(--checks=-clang-analyzer-*); fi
  # Clang does not know two of g++'s warning options; that is not a fault of the code.
  step clang-tidy xargs -a "$run_dir/tidied" -n 1 -P "$jobs_max" \
    clang-tidy -p "$source_dir/build/release" --quiet --extra-arg=-Wno-unknown-warning-option \
    "${checks[@]}" || true
}

monitoring_leg() {
  headline 'promtool'
  run_cases monitoring env RECONCILED_BUILD_DIR="$source_dir/build/release" \
    bash "$source_dir/tests/monitoring/check"
}

postgres_leg() { # VERSION: the PostgreSQL tests on another server version
  headline "PostgreSQL $1"
  local bin
  if [[ $(uname -m) != x86_64 ]]; then
    skipped "PostgreSQL $1" 'its npm package is for x86_64'
  elif bin=$("$source_dir/tests/support/npm_postgres" "$1" 2>"$run_dir/npm"); then
    PGBIN=$bin run_ctest "$source_dir/build/release" "pg$1:" '^pg_'
  else
    failed "PostgreSQL $1" 'could not be installed from npm' <"$run_dir/npm"
  fi
}

sweep_leg() { # ROWS: prints what was measured and judges only that all of them went
  headline "a sweep of $1 rows"
  local log=$run_dir/sweep
  if RECONCILED_BUILD_DIR=$source_dir/build/release timeout 3600 \
    bash "$source_dir/tests/bench/sweep" "$1" >"$log" 2>&1 </dev/null; then
    passed "sweep of $1 rows"
    show <"$log"
  else
    failed "sweep of $1 rows" <"$log"
  fi
}

simulate() { # HISTORIES FIRST-SEED
  local log=$run_dir/simulate.$2
  if "$source_dir/build/release/tests/simulator" "$1" "$2" >"$log" 2>&1 </dev/null; then
    passed "simulation: $(tail -n1 "$log")"
  else
    failed "simulation of $1 histories from seed $2" <"$log"
  fi
}

simulation_leg() { # HISTORIES, half of them at a time; other seeds than those of tests/e2e
  headline "$1 simulated histories"
  in_background simulate $(($1 / 2)) 1000001
  in_background simulate $(($1 / 2)) $((1000001 + $1 / 2))
  wait
}

bench_leg() { # OPERATIONS ROUNDS: prints speed and judges only that all of them were settled
  headline "recovering $1 operations, $2 rounds"
  local log=$run_dir/bench
  if RECONCILED_BUILD_DIR=$source_dir/build/release timeout 3600 \
    bash "$source_dir/tests/bench/run" --operations "$1" --rounds "$2" >"$log" 2>&1 </dev/null; then
    passed 'bench'
    show <"$log"
  else
    failed 'bench' <"$log"
  fi
}

others_leg() { # from npm, which takes a while the first time
  headline 'servers that we did not write'
  run_cases other_servers env RECONCILED_BUILD_DIR="$source_dir/build/release" \
    bash "$source_dir/tests/long/other_servers.sh"
}

models_leg() { # what the models' searches went through is told as well
  headline 'models'
  # shellcheck disable=SC2016 # for the inner shell
  run_cases models bash -o pipefail -c 'tests/models/run | tee "$0"' "$run_dir/models"
  grep '^# ' "$run_dir/models" | show
}

# A fixed seed, so that a change is judged by what it changed and not by luck.
run_fuzzer() { # NAME: for a minute, from a copy of its corpus; a crash tells the input
  local name=$1 log=$run_dir/fuzz.$1 seeds=("$source_dir/tests/fuzz/corpus/$1")
  if [[ $name == profile ]]; then seeds+=("$source_dir/etc/providers.d"); fi
  mkdir "$run_dir/corpus.$name"
  if "$source_dir/build/fuzz/tests/fuzz/${name}_fuzz" -seed=1 -max_total_time="$fuzz_seconds" -timeout=10 \
    -print_final_stats=1 -artifact_prefix="$source_dir/build/fuzz/$name-" \
    "$run_dir/corpus.$name" "${seeds[@]}" >"$log" 2>&1 </dev/null; then
    passed "fuzz:$name, $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") executions"
  else
    tail -n 60 "$log" | failed "fuzz:$name"
  fi
}

readonly fuzz_seconds=60

fuzz_leg() {
  build_leg fuzz || return 0
  headline "fuzzers, $fuzz_seconds s each"
  local source
  for source in "$source_dir"/tests/fuzz/*_fuzz.cpp; do
    in_background run_fuzzer "$(basename "$source" _fuzz.cpp)"
  done
  wait
}

package_leg() { # of the program that is built already
  headline 'Debian package'
  RECONCILED_BUILD_DIR=$source_dir/build/release run_cases package bash "$source_dir/tests/package"
}

boot_leg() { # [SUITE]: in the Debian that this machine runs, or in another one
  headline "the package in a booted Debian${1:+, $1}"
  RECONCILED_BUILD_DIR=$source_dir/build/release run_cases "boot${1:+ $1}" bash "$source_dir/tests/boot" "$@"
}

fetch_trixie() { # ahead of its leg, which tells what went wrong
  "$source_dir/tests/trixie" --fetch >"$run_dir/fetch" 2>&1 </dev/null || true
}

trixie_leg() { # --sanitized | --ctest: false if it could not be done on this machine
  headline "Debian 13, $1"
  local log=$run_dir/trixie$1
  "$source_dir/tests/trixie" "$1" 2>&1 </dev/null | tee "$log" | sed 's/^/trixie: /'
  local last
  last=$(tail -n1 "$log")
  if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)?$ ]]; then
    count "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" "${BASH_REMATCH[4]:-0}"
  elif [[ $last == skip\ -\ * ]]; then
    skipped 'Debian 13' "${last#skip - }"
    return 1
  else
    failed 'Debian 13' 'it ended without a count' </dev/null
  fi
}
