// SPDX-License-Identifier: Apache-2.0
// From what an operator writes as database.uri to what libpq gets. libpq's own parser reads it, so
// that a URI, keywords, several hosts, encoded socket paths and passwords mean here what they mean
// to psql (cases B26).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/failures.hpp"
#include "base/time.hpp"

namespace reconciled::sql {

struct ConnectionOptions {
  std::string uri;  ///< database.uri: a libpq URI or keywords
  std::optional<std::string> password =
      {};  ///< of database.password_file; wins over one in the URI
  std::string application_name = "reconciled";
  std::string target_session_attrs = "read-write";  ///< "any" for a dry run
  Duration connect_timeout = 5s;  ///< per host; libpq counts whole seconds, at least 2
};

/// Keywords for libpq, with ours added in place of what the URI said of the same keyword. The
/// result may hold a password. A URI that libpq cannot read is a Failure (78) whose text does not
/// repeat it.
Result<std::string> connection_string(const ConnectionOptions& options);

/// The URI with a password replaced by ***, for printing; all of it is replaced if libpq cannot
/// read it.
std::string masked(std::string_view uri);

/// True if the URI itself carries a password: works, and is warned about.
bool has_password(std::string_view uri);

}  // namespace reconciled::sql
