#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Histories of the real pass and sweep on simulated time: nothing wrong in some thousands of them,
# each seeded bug found, and the same history out of the same seed.
# shellcheck source=tests/lib/scripted.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/scripted.sh"

simulator=$build_dir/tests/simulator
readonly histories=3000 enough_for_a_bug=1000

if "$simulator" "$histories" >"$work/run"; then
  ok "$histories histories without a violation"
else
  not_ok "$histories histories without a violation" <"$work/run"
fi
for end in 'Succeeded proven' 'NeedsReconciliation absent-after-window' 'NeedsReconciliation duplicate' \
  'NeedsReconciliation mismatch' 'Succeeded reported-by-executor'; do
  matches "some end as $end" " +[0-9]+  $end" "$(<"$work/run")"
done
"$simulator" --bugs "$enough_for_a_bug"
bad=$((bad + $?))
"$simulator" 200 5000 | grep -v 'a second' >"$work/first"
"$simulator" 200 5000 | grep -v 'a second' >"$work/again"
same 'the same seeds give the same histories' "$(<"$work/first")" "$(<"$work/again")"
