-- SPDX-License-Identifier: Apache-2.0
-- After permit_create failed: the eligibility function raised, ran into the statement timeout or
-- into a change by somebody else. That is no decision, and evidence says so.
--   $1 operation_id  $2 owner_version  $3 owner_token  $4 instance  $5 SQLSTATE
-- Returns the operation; no row: it was not owned any more.
INSERT INTO recovery_evidence (
  operation_id, owner_version, owner_token, instance, step, decision, reason, detail)
SELECT operation_id, owner_version, owner_token, $4::text, 'eligibility', 'CannotDetermine',
  'error', jsonb_build_object('sqlstate', $5::text)
FROM operations
WHERE operation_id = $1::uuid
  AND owner_version = $2::bigint
  AND owner_token = $3::uuid
  AND CASE status WHEN 'Admitted' THEN true WHEN 'Unknown' THEN true ELSE false END
RETURNING operation_id
