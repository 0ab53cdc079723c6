#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The provider that we did not write behaves as the tests against it assume.
# shellcheck source=tests/lib/scripted.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/scripted.sh"

mock=$source_dir/tests/support/stripe_mock
base=$("$mock" start "$work/mock") || { not_ok 'the provider starts' <"$work/mock/log" && exit; }
at_end "$mock stop $work/mock"
ok 'the provider starts'

ask() { curl --silent --max-time 60 --user sk_test_x: "$base/v1/$1" "${@:2}"; }
field() { node -e 'let at = JSON.parse(require("fs").readFileSync(0)); for (const key of process.argv.slice(1)) at = at?.[key]; console.log(at)' "$@"; }

operation=$(</proc/sys/kernel/random/uuid)
charge=$(ask charges -d amount=5000 -d currency=usd -d source=tok_visa -H 'Idempotency-Key: ch-1' | field id)
refund() { # AMOUNT
  ask refunds -d charge="$charge" -d amount="$1" -d "metadata[operation_id]=$operation" \
    -H "Idempotency-Key: $operation"
}
first=$(refund 1234 | field id)
matches 'a refund has a reference' '^re_' "$first"
same 'the same key and parameters give the same refund' "$first" "$(refund 1234 | field id)"
same 'the same key with another amount is refused' idempotency_error "$(refund 99 | field error type)"
listed=$(ask "refunds?charge=$charge&created%5Bgte%5D=0&limit=100")
same 'the list by charge has the one refund' "$first undefined" \
  "$(field data 0 id <<<"$listed") $(field data 1 id <<<"$listed")"
same 'it carries the operation id' "$operation" "$(field data 0 metadata operation_id <<<"$listed")"
same 'and the amount in minor units' 1234 "$(field data 0 amount <<<"$listed")"

forgotten=$(ask charges -d amount=5000 -d currency=usd -d source=tok_forget | field id)
matches 'tok_forget answers with a charge' '^ch_' "$forgotten"
same 'and keeps nothing' resource_missing "$(ask "charges/$forgotten" | field error code)"
same 'refunds of an unknown charge are an empty list' 0 \
  "$(ask "refunds?charge=$forgotten" | field data length)"
