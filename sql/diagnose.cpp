// SPDX-License-Identifier: Apache-2.0
#include "sql/diagnose.hpp"

#include <libpq-fe.h>
#include <poll.h>

#include <memory>
#include <regex>
#include <string_view>

namespace reconciled::sql {
namespace {

using Connection = std::unique_ptr<PGconn, decltype(&PQfinish)>;

constexpr int kLongestWaitMilliseconds = 2000;

/// Connects step by step, because the verbosity that prints the code can only be set before the
/// answer arrives.
Connection connect(const std::string& text) {
  Connection connection(PQconnectStart(text.c_str()), &PQfinish);
  if (!connection) return connection;
  PQsetErrorVerbosity(connection.get(), PQERRORS_SQLSTATE);
  auto state = PGRES_POLLING_WRITING;
  while (state != PGRES_POLLING_OK && state != PGRES_POLLING_FAILED) {
    const auto events = static_cast<short>(state == PGRES_POLLING_READING ? POLLIN : POLLOUT);
    pollfd waiting{PQsocket(connection.get()), events, 0};
    if (waiting.fd < 0 || poll(&waiting, 1, kLongestWaitMilliseconds) <= 0) break;
    state = PQconnectPoll(connection.get());
  }
  return connection;
}

/// As libpq itself decides it. False where the server let us in after all: it may have been
/// starting a moment ago.
bool is_read_only(const PGconn* connection) {
  for (const auto* name : {"in_hot_standby", "default_transaction_read_only"}) {
    const char* value = PQparameterStatus(connection, name);
    if (value != nullptr && std::string_view(value) == "on") return true;
  }
  return false;
}

}  // namespace

std::string why_refused(const std::string& text) {
  // A later keyword wins: without the wish to write, a standby lets us in, and that is the
  // diagnosis.
  const auto connection = connect(text + " target_session_attrs='any'");
  if (!connection) return "";
  if (PQstatus(connection.get()) == CONNECTION_OK)
    return is_read_only(connection.get()) ? "25006" : "";
  // "SEVERITY:  SQLSTATE" and the line's end: the severity is in the server's language, and a port
  // of five digits is no code.
  static const std::regex code(":  ([0-9A-Z]{5})(\n|$)");
  std::smatch match;
  const std::string message = PQerrorMessage(connection.get());
  std::string last;
  for (auto rest = message; std::regex_search(rest, match, code); rest = match.suffix())
    last = match[1];
  return last;
}

}  // namespace reconciled::sql
