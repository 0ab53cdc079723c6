// SPDX-License-Identifier: Apache-2.0
// From a configuration to the parts that work by it.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <memory>

#include "daemon/configuration.hpp"
#include "recovery/pass.hpp"
#include "sql/database.hpp"

namespace reconciled {

/// The role that recovery acts as (design §3).
inline constexpr char kRecoveryRole[] = "reconciled_recovery";

enum class Access {
  recovery,  ///< a server that can be written, SET ROLE reconciled_recovery
  reading    ///< a dry run: any server, a read-only session, the login role as it is
};
sql::DatabaseOptions database_options(const Configuration& configuration, Access access);

/// The profile, the client and the scan as one provider, which owns all of them.
std::shared_ptr<Provider> make_provider(const boost::asio::any_io_executor& executor,
                                        const Configuration& configuration,
                                        std::shared_ptr<RateLimit> rate_limit,
                                        const Surroundings& around);

std::shared_ptr<const Terms> make_terms(const Configuration& configuration,
                                        std::shared_ptr<Provider> provider,
                                        std::shared_ptr<RateLimit> rate_limit);

}  // namespace reconciled
