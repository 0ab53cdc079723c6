#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The counter of tests/run: what it says of every kind of closing line, of a crash and of a hang.
# shellcheck source=tests/lib/scripted.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/scripted.sh"

counted() { awk -f "$source_dir/tests/lib/closing_line.awk"; }

same 'all passed' '12 0 0' "$(counted <<<'All tests passed (98 assertions in 12 test cases)')"
same 'one passed' '1 0 0' "$(counted <<<'All tests passed (1 assertion in 1 test case)')"
same 'some failed' '2 1 0' "$(counted <<<'test cases: 3 | 2 passed | 1 failed')"
same 'skipped and expected, as Catch2 3 says it' '3 1 4' \
  "$(counted <<<'test cases: 8 | 2 passed | 1 failed | 1 failed as expected | 4 skipped')"
same 'a skip line of a program that cannot skip' '11 0 1' \
  "$(printf '%s\n' 'skip - A: no B' 'All tests passed (9 assertions in 12 test cases)' | counted)"
same 'lines of a script' '2 1 1' \
  "$(printf '%s\n' 'ok - a' 'not ok - b' 'skip - c: why' 'ok - d' 'okay - e' | counted)"
same 'nothing to count' '' "$(counted <<<'Segmentation fault')"

# A run of its own over programs that end in every way.
outcome() { # COMMAND...: the closing line of a run of this one program
  RECONCILED_TEST_TIMEOUT=1 bash -c '
    source_dir=$1
    shift
    . "$source_dir/tests/lib/report.sh"
    . "$source_dir/tests/lib/jobs.sh"
    run_cases program "$@"
    close_run' - "$source_dir" bash -c "$1" | tail -n1
}
same 'a program that passes' '2 passed, 0 failed' "$(outcome 'echo "ok - a"; echo "ok - b"')"
same 'a program that fails a case' '1 passed, 1 failed' "$(outcome 'echo "ok - a"; echo "not ok - b"; exit 1')"
same 'a program that fails after it passed' '1 passed, 1 failed' "$(outcome 'echo "ok - a"; exit 3')"
same 'a program that crashes' '0 passed, 1 failed' "$(outcome 'kill -SEGV $$')"
same 'a program that says nothing' '0 passed, 1 failed' "$(outcome 'exit 0')"
same 'a program that hangs' '1 passed, 1 failed' "$(outcome 'echo "ok - a"; sleep 1000')"
same 'a program that skips' '1 passed, 0 failed, 1 skipped' "$(outcome 'echo "ok - a"; echo "skip - b: c"')"

succeeds 'install-deps has nothing to do' "$source_dir/packaging/install-deps" --test
same 'install-deps then says nothing' '' "$("$source_dir/packaging/install-deps" --test 2>&1)"
same 'install-deps refuses a wrong option' 64 \
  "$("$source_dir/packaging/install-deps" --everything >/dev/null 2>&1; echo $?)"
