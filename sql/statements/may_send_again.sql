-- SPDX-License-Identifier: Apache-2.0
-- Asked before a create is sent a second time within one attempt.
--   $1 operation_id  $2 owner_version  $3 owner_token
SELECT may_submit($1::uuid, $2::bigint, $3::uuid) AS may_send
