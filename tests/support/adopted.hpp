// SPDX-License-Identifier: Apache-2.0
// A service with tables of its own, put behind the contract by sql/adopt.sql.
#pragma once

#include <set>
#include <string>

#include "tests/support/cluster.hpp"
#include "tests/support/command.hpp"

namespace reconciled::test {

/// The service's tables as they were before: other names, an integer version, a secret of its own.
inline constexpr const char* kServiceTables = R"(
CREATE SCHEMA billing;
CREATE TABLE billing.credits (
  credit_no uuid PRIMARY KEY, iss text NOT NULL, grant_no text NOT NULL, customer text NOT NULL,
  wallet text NOT NULL, value numeric NOT NULL, money text NOT NULL, state varchar(20) NOT NULL,
  version int NOT NULL DEFAULT 1, locked_until timestamptz NOT NULL,
  send_until timestamptz NOT NULL, made_at timestamptz NOT NULL,
  facts jsonb, receipt text, note text DEFAULT 'not theirs',
  UNIQUE (iss, grant_no));
CREATE TABLE billing.spent (
  iss text, grant_no text, credit_no uuid, spent_at timestamptz NOT NULL,
  keep_until timestamptz NOT NULL, PRIMARY KEY (iss, grant_no));)";

inline constexpr const char* kView = R"(
CREATE OR REPLACE VIEW operations WITH (security_invoker = true) AS
SELECT credit_no AS operation_id, iss AS issuer, grant_no AS grant_id, customer AS caller_id,
  wallet AS account_id, value AS amount, money AS currency, state AS status,
  version AS owner_version, locked_by AS owner_token, locked_until AS lease_until,
  send_until AS submit_by, made_at AS created_at, facts AS provider_context,
  receipt AS provider_reference
FROM billing.credits;)";

inline constexpr const char* kConsumptionsView = R"(
CREATE OR REPLACE VIEW grant_consumptions WITH (security_invoker = true) AS
SELECT iss AS issuer, grant_no AS grant_id, credit_no AS operation_id, spent_at AS consumed_at,
  keep_until AS retain_until
FROM billing.spent;)";

/// Runs adopt.sql; `left_out` are variables not to set. Returns the exit code and what psql said.
CommandResult adopt(const Database& database, const std::string& view = kView,
                    const std::set<std::string>& left_out = {});

/// With both of the service's tables adopted. `partitions` are statements between the tables and
/// their adoption.
Database adopted_database(const std::string& partitions = "");

}  // namespace reconciled::test
