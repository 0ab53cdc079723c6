-- SPDX-License-Identifier: Apache-2.0
-- After a record whose acknowledgement was lost: which of these verdicts are in.
--   $1 operation_id[]  $2 owner_version[]  $3 owner_token[]
-- Recorded means: a verdict's evidence exists for this operation, version and token. Only a row
-- whose decision is a status is a verdict; one of a handback or a create is not.
SELECT DISTINCT asked.operation_id
FROM unnest($1::uuid[], $2::bigint[], $3::uuid[])
  AS asked (operation_id, owner_version, owner_token)
JOIN recovery_evidence AS e
  ON e.operation_id = asked.operation_id
  AND e.owner_version = asked.owner_version
  AND e.owner_token = asked.owner_token
WHERE e.decision IN ('Succeeded', 'Unknown', 'NeedsReconciliation')
