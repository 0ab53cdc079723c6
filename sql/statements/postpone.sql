-- SPDX-License-Identifier: Apache-2.0
-- Leaves a row that its verdict cannot be written to for a while, so that it does not come back at
-- once and fail again. No evidence: nothing was decided.
--   $1 operation_id  $2 owner_version  $3 owner_token  $4 wait, us
-- The token stays, because nobody gave the row up.
UPDATE operations
SET lease_until = clock_timestamp() + $4::bigint * interval '1 microsecond'
WHERE operation_id = $1::uuid
  AND owner_version = $2::bigint
  AND owner_token = $3::uuid
  -- A CASE and not IN, so that only the primary key can serve, whatever the statistics say.
  AND CASE status WHEN 'Admitted' THEN true WHEN 'Unknown' THEN true ELSE false END
RETURNING operation_id
