-- SPDX-License-Identifier: Apache-2.0
-- The version of the SQL contract that is installed.
SELECT version FROM contract_version
