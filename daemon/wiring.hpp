// SPDX-License-Identifier: Apache-2.0
// From a configuration to the parts that work by it.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <memory>

#include "daemon/configuration.hpp"
#include "reconcile/http_client.hpp"
#include "recovery/pass.hpp"
#include "retention/terms.hpp"
#include "sql/database.hpp"

namespace reconciled {

/// The role that recovery acts as (design §3).
inline constexpr char kRecoveryRole[] = "reconciled_recovery";
/// The role that a person's verb acts as.
inline constexpr char kOperatorRole[] = "reconciled_operator";

enum class Access {
  recovery,   ///< a server that can be written, SET ROLE reconciled_recovery
  retention,  ///< the same, SET ROLE reconciled_retention, and one connection
  reading     ///< a dry run: any server, a read-only session, the login role as it is
};
sql::DatabaseOptions database_options(const Configuration& configuration, Access access);

HttpOptions http_options(const Configuration& configuration);

/// The profile, the client and the scan as one provider, which owns all of them.
std::shared_ptr<Provider> make_provider(const boost::asio::any_io_executor& executor,
                                        const Configuration& configuration,
                                        std::shared_ptr<RateLimit> rate_limit,
                                        const Surroundings& around);

/// Null unless recovery.resubmit is on. `provider`: what make_provider() has made; it creates as
/// well. `database` must outlive it.
std::shared_ptr<Resubmission> make_resubmission(const Configuration& configuration,
                                                const std::shared_ptr<Provider>& provider,
                                                sql::Database& database);

std::shared_ptr<const Terms> make_terms(const Configuration& configuration,
                                        std::shared_ptr<Provider> provider,
                                        std::shared_ptr<RateLimit> rate_limit,
                                        std::shared_ptr<Resubmission> resubmission = {});

std::shared_ptr<const CleanupTerms> make_cleanup_terms(const Settings& settings);

}  // namespace reconciled
