-- SPDX-License-Identifier: Apache-2.0
-- :n operations whose leases ran out, where tests/bench/peer takes them from.
DROP TABLE IF EXISTS public.operations;
CREATE TABLE public.operations AS
SELECT gen_random_uuid() AS operation_id, 'issuer' AS issuer, 'g-' || i AS grant_id,
  'agent-1' AS caller_id, 'A-1187' AS account_id, 250.00 AS amount, 'USD' AS currency,
  'Admitted' AS status, 1 AS owner_version, now() - interval '1 minute' AS lease_until,
  now() + interval '1 hour' AS submit_by, now() - interval '2 minutes' AS created_at
FROM generate_series(1, :n) AS i;
