#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The shipped Stripe profile against a provider that this project did not write: a service refunds a
# charge, its answer gets lost, and reconciled finds out what became of the refund.
# shellcheck source=tests/lib/scripted.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/scripted.sh"
# shellcheck source=tests/lib/world.sh
. "$source_dir/tests/lib/world.sh"

mock=$source_dir/tests/support/stripe_mock
stripe=$("$mock" start "$work/mock" 2>"$work/mock-trouble") ||
  give_up 'the provider starts' <"$work/mock-trouble"
at_end "$mock stop $work/mock"
start_database
start_proxy lossy http "${stripe#http://}"
provider_url=$stripe
default_config
printf 'sk_test_canary\n' >"$work/credential"
credential=sk_test_canary
config[provider.profile]=$source_dir/etc/providers.d/stripe-refund.yaml
write_config

ask() { curl --silent --max-time 60 --user "$credential:" "$@"; }
field() { # NAME...: from the outside in
  node -e 'let at = JSON.parse(require("fs").readFileSync(0));
    for (const name of process.argv.slice(1)) at = at?.[name]; console.log(at)' "$@"
}
charge() { # SOURCE
  ask "$stripe/v1/charges" -d amount=5000 -d currency=usd -d "source=$1" \
    -H "Idempotency-Key: ch-$RANDOM$RANDOM" | field id
}
# The service: it records, refunds and loses the answer; its lease is over by now.
refund() { # CHARGE AMOUNT [BASE [WINDOW]]: sets operation
  operation=$(add_operations 1 "${4:-20 hours}")
  sql -c "UPDATE operations SET amount = 12.34, provider_context = '{\"charge\": \"$1\"}'
    WHERE operation_id = '$operation'"
  ask "${3:-http://127.0.0.1:$proxy_port}/v1/refunds" -d charge="$1" -d amount="$2" \
    -d "metadata[operation_id]=$operation" -H "Idempotency-Key: $operation" >"$work/answer"
}
last_evidence() { evidence "$1" | tail -n1; }

proxy lossy lose_answer 'statement=POST /v1/refunds' >/dev/null
refund "$(charge tok_visa)" 1234
same 'the answer was lost' '' "$(<"$work/answer")"
run lost --once
same 'lost answer: --once ends with 0' 0 "$status"
same 'lost answer: proven' 'lookup found Succeeded proven' "$(last_evidence "$operation")"
reference=$(column provider_reference "$operation")
matches 'lost answer: the reference of the refund' '^re_' "$reference"
same 'lost answer: the one that the provider has' 1234 \
  "$(ask "$stripe/v1/refunds/$reference" | field amount)"
matches 'what the profile cannot show is written down' 'unproven.*account' \
  "$(sql -c "SELECT detail FROM recovery_evidence WHERE operation_id = '$operation'")"

# The request never arrived.
proxy lossy lose_request 'statement=POST /v1/refunds' >/dev/null
refund "$(charge tok_visa)" 1234
run never --once
same 'lost request: --once ends with 1' 1 "$status"
same 'lost request: absence proves nothing yet' 'lookup absent Unknown absent-so-far' \
  "$(last_evidence "$operation")"
sql -c "UPDATE operations SET submit_by = now() - interval '2 minutes', lease_until = now()
  WHERE operation_id = '$operation'"
run later --once
same 'lost request: --once ends with 0' 0 "$status"
same 'lost request: after window and settle time a person looks' \
  'lookup absent NeedsReconciliation absent-after-window' "$(last_evidence "$operation")"

# Within the settle time it is still too early.
refund "$(charge tok_forget)" 1234 "$stripe" '-30 seconds'
run settling --once
same 'tok_forget: not before the settle time' 'lookup absent Unknown absent-so-far' \
  "$(last_evidence "$operation")"
sql -c "UPDATE operations SET submit_by = now() - interval '2 minutes', lease_until = now()
  WHERE operation_id = '$operation'"
run settled --once
same 'tok_forget: a person looks' 'lookup absent NeedsReconciliation absent-after-window' \
  "$(last_evidence "$operation")"

refund "$(charge tok_visa)" 1200 "$stripe"
run mismatch --once
same 'another amount: mismatch' 'lookup found NeedsReconciliation mismatch' \
  "$(last_evidence "$operation")"

# Several refunds of one charge, by the daemon this time.
whole=$(charge tok_visa)
operations=()
for _ in {1..3}; do
  refund "$whole" 1234 "$stripe"
  operations+=("$operation")
done
start_daemon main
until_true counts "operations WHERE status IN ('Admitted', 'Unknown')" 0
for operation in "${operations[@]}"; do
  same 'several refunds of one charge: each finds its own' "$operation" "$(
    ask "$stripe/v1/refunds/$(column provider_reference "$operation")" |
      node -e 'console.log(JSON.parse(require("fs").readFileSync(0)).metadata.operation_id)')"
done
end_daemon main TERM

# Creating again, as the service would have. That a key makes one refund however many ask at once is
# more than Stripe documents: the profile claims it for the test, and needs an amount of its own.
sed 's/concurrent_same_key: undocumented/concurrent_same_key: atomic/' \
  "$source_dir/etc/providers.d/stripe-refund.yaml" >"$work/creating.yaml"
cat >>"$work/creating.yaml" <<'END'
create:
  method: POST
  path: /v1/refunds
  headers: {Idempotency-Key: "{operation_id}"}
  form:
    charge: "{context.charge}"
    amount: "{amount_minor}"
    "metadata[operation_id]": "{operation_id}"
  success: [200]
END
sql -c "CREATE FUNCTION public.may_create(uuid) RETURNS TABLE (outcome text, decision_id text,
  reason text) LANGUAGE sql AS \$\$ SELECT 'Allowed', 'd-1', 'no hold' \$\$"
config[provider.profile]=$work/creating.yaml
config[recovery.resubmit]=true
config[recovery.eligibility_function]=public.may_create
write_config
matches 'creating again: the mismatch above has turned it off' '^mismatch: ' \
  "$(sql -c 'SELECT reason FROM resubmission_switch WHERE NOT enabled')"
run on resubmit --enable --reason 'another amount was asked for by this test'
same 'creating again: a person turns it on' 0 "$status"
proxy lossy lose_request 'statement=POST /v1/refunds' >/dev/null
unlucky=$(charge tok_visa)
refund "$unlucky" 1234
refunds() { ask "$stripe/v1/refunds?charge=$unlucky&limit=100"; }
same 'creating again: the request was lost' 0 "$(refunds | field data length)"
run again --once
same 'creating again: --once ends with 0' 0 "$status"
same 'creating again: decided, sent, proven' 'eligibility - Allowed no hold
create - Sending allowed
create found Succeeded proven' "$(evidence "$operation")"
reference=$(column provider_reference "$operation")
same 'creating again: one refund of the charge' "1 $reference" \
  "$(refunds | field data length) $(refunds | field data 0 id)"
# The service's own request arrives after all: the same parameters, so the same refund.
late=$(ask "$stripe/v1/refunds" -d charge="$unlucky" -d amount=1234 \
  -d "metadata[operation_id]=$operation" -H "Idempotency-Key: $operation" | field id)
same 'creating again: a late request of the service is the same refund' "$reference" "$late"
same 'creating again: still one' 1 "$(refunds | field data length)"
nothing_is_broken
