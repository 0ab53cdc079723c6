-- SPDX-License-Identifier: Apache-2.0
-- An operation's evidence in its order. SELECT only.
--   $1 its id  $2 after this evidence_id  $3 limit
SELECT
  evidence_id, operation_id, owner_version, owner_token, instance,
  trunc(extract(epoch FROM observed_at) * 1000000) AS observed_at,
  step, finding, decision, reason, provider_reference, http_status, pages,
  trunc(extract(epoch FROM duration) * 1000000) AS duration,
  detail,
  detail ->> 'why' AS why, detail ->> 'actor' AS actor, detail ->> 'login' AS login
FROM recovery_evidence
WHERE operation_id = $1::uuid AND evidence_id > $2::bigint
ORDER BY evidence_id
LIMIT $3::bigint
