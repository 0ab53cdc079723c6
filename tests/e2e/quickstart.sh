#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The first command of the README shows what it promises, and leaves nothing behind.
# shellcheck source=tests/lib/scripted.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/scripted.sh"

mkdir "$work/tmp"
chmod 777 "$work/tmp" # the throwaway server's user looks in
seen=$(TMPDIR=$work/tmp RECONCILED_BUILD_DIR=$build_dir "$source_dir/packaging/quickstart" 2>&1)
status=$?
if ((status == 0)); then ok 'the quickstart ends well'; else not_ok 'the quickstart ends well' <<<"$seen"; fi
matches 'the dry run shows what a pass would record' 'NeedsReconciliation \(duplicate\)' "$seen"
matches 'the dry run changed nothing' 'every row is as it was: [0-9a-f]{32}' "$seen"
matches 'the lost answer is settled with the credit that the provider holds' 'the answer was lost +\| Succeeded +\| cr_2' "$seen"
matches 'the evidence names the mismatch' 'wrong amount +\| found +\| NeedsReconciliation +\| mismatch' "$seen"
same 'nothing is left behind' '' "$(ls -A "$work/tmp")"
