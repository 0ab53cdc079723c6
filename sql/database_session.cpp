// SPDX-License-Identifier: Apache-2.0
#include "sql/database_session.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <pqxx/pqxx>

#include "sql/diagnose.hpp"

// libpqxx 7 calls the spelling that 6.4 also knows deprecated; this file serves both.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace reconciled::sql {
namespace {

/// Notices are not ours to print; libpqxx would put them on stderr.
class SilentNotices final : public pqxx::errorhandler {
 public:
  using pqxx::errorhandler::errorhandler;
  bool operator()(const char*) noexcept override { return false; }
};

std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (c != '\n')
      line.push_back(c);
    else if (!line.empty() && line.back() != ' ')
      line.push_back(' ');
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string quoted_name(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) quoted.append(c == '"' ? 2U : 1U, c);
  return quoted + '"';
}

std::int64_t milliseconds(Duration duration) {
  return std::chrono::ceil<std::chrono::milliseconds>(duration).count();
}

#if PQXX_VERSION_MAJOR >= 7
pqxx::params driver_parameters(const Parameters& parameters) {
  pqxx::params list;
  list.reserve(parameters.values().size());
  for (const auto& value : parameters.values()) list.append(value);
  return list;
}
#else
// The driver copies each element; a null pointer stands for NULL.
std::vector<const char*> driver_parameters(const Parameters& parameters) {
  std::vector<const char*> list;
  list.reserve(parameters.values().size());
  for (const auto& value : parameters.values()) list.push_back(value ? value->c_str() : nullptr);
  return list;
}
#endif

Rows copy(const pqxx::result& answer) {
  const auto columns = static_cast<std::size_t>(answer.columns());
  Rows rows(columns);
  for (const auto& row : answer)
    for (const auto& field : row)
      rows.add(field.is_null()
                   ? std::nullopt
                   : std::optional<std::string_view>(std::in_place, field.c_str(), field.size()));
  return rows;
}

template <class Transaction, class List>
Rows execute(Transaction& transaction, const Statement& statement, const List& list) {
#if PQXX_VERSION_MAJOR >= 7
  return copy(transaction.exec_prepared(statement.name, list));
#else
  return copy(transaction.exec_prepared(statement.name, pqxx::prepare::make_dynamic_params(list)));
#endif
}

/// The server's error in what the driver threw; nullopt if there is no code, which is the driver's
/// word for a connection that broke.
std::optional<Error> server_error(const std::exception& thrown) {
  std::string state;
  // libpqxx 6.4 keeps no code with these three.
  if (dynamic_cast<const pqxx::insufficient_privilege*>(&thrown) != nullptr)
    state = "42501";
  else if (dynamic_cast<const pqxx::deadlock_detected*>(&thrown) != nullptr)
    state = "40P01";
  else if (dynamic_cast<const pqxx::serialization_failure*>(&thrown) != nullptr)
    state = "40001";
  else if (const auto* error = dynamic_cast<const pqxx::sql_error*>(&thrown))
    state = error->sqlstate();
  if (state.empty()) return std::nullopt;
  return Error{Trouble::refused, state, one_line(thrown.what())};
}

}  // namespace

struct Session::Driver {
  explicit Driver(const std::string& text) : connection(text), notices(connection) {}
  pqxx::connection connection;
  SilentNotices notices;
};

Session::Session(SessionOptions options) : options_(std::move(options)) {}

Session::~Session() { close(); }

Result<Rows> Session::run(const Statement& statement, const Parameters& parameters) {
  if (driver_ && is_stale()) close();
  if (!driver_)
    if (auto error = open()) return *error;
  bool sent = false;
  try {
    prepare(statement);
    const auto list = driver_parameters(parameters);
    if (statement.one_snapshot) {
      pqxx::transaction<pqxx::isolation_level::repeatable_read> transaction(driver_->connection);
      sent = true;
      auto rows = execute(transaction, statement, list);
      transaction.commit();
      return rows;
    }
    pqxx::nontransaction transaction(driver_->connection);
    sent = true;
    return execute(transaction, statement, list);
  } catch (const std::exception& error) {
    if (auto answered = server_error(error)) return judge_refusal(std::move(*answered), sent);
    // libpqxx words this by whatever it tried last on the broken connection.
    const auto what = driver_->connection.is_open() ? one_line(error.what())
                                                    : "the connection to the database was lost";
    close();
    return Error{sent ? Trouble::in_doubt : Trouble::not_connected, "", what};
  }
}

void Session::prepare(const Statement& statement) {
  if (prepared_.contains(statement.name)) return;
  driver_->connection.prepare(statement.name, statement.text);
  prepared_.emplace(statement.name);
}

Error Session::judge_refusal(Error error, bool sent) {
  const auto& state = error.sqlstate;
  // The server ends the session with these (a shutdown, a timeout that is fatal). A commit may have
  // slipped through before; reading back is cheap, so they count as doubt. Class 08 is a pooler's
  // word for a server connection that broke.
  const bool session_ended =
      state.starts_with("57P") || state.starts_with("08") || state == "25P03" || state == "25P04";
  const bool statements_lost =
      state == "26000";  // DISCARD ALL or a pooler: prepared anew on the next session
  if (session_ended) error.trouble = sent ? Trouble::in_doubt : Trouble::not_connected;
  if (statements_lost) error.trouble = Trouble::not_connected;
  if (session_ended || statements_lost || is_read_only(error) || !driver_->connection.is_open())
    close();
  return error;
}

std::optional<Error> Session::open() {
  const auto text = connection_string(options_.connection);
  if (!text) return Error{Trouble::not_connected, "3D000", to_string(text.error())};
  try {
    driver_ = std::make_unique<Driver>(*text);
#if PQXX_VERSION_MAJOR < 7
    driver_->connection.inhibit_reactivation(
        true);  // a silent reconnect would lose SET ROLE and search_path
#endif
    {
      const std::lock_guard lock(socket_mutex_);
      socket_ = driver_->connection.sock();
    }
    if (ended_) shut_down();
    auto error = set_up();
    if (error) close();
    return error;
  } catch (const std::exception& error) {
    close();
    if (auto answered = server_error(error)) {
      answered->trouble = Trouble::not_connected;
      return answered;
    }
    return Error{Trouble::not_connected, why_refused(*text), one_line(error.what())};
  }
}

std::optional<Error> Session::set_up() {
  auto& connection = driver_->connection;
  pqxx::nontransaction transaction(connection);
  const auto backend = transaction.exec("SELECT pg_backend_pid()")[0][0].as<int>();
  if (backend != connection.backendpid() && !options_.pooler_keeps_sessions)
    return Error{Trouble::not_connected, "3D000",
                 "a connection pooler answers instead of PostgreSQL; connect to the server itself, "
                 "or set database.pooler: "
                 "session if it keeps one server session for each client (not in transaction or "
                 "statement mode)"};
  const auto timeout = milliseconds(options_.statement_timeout);
  std::string setup = "SET search_path = " + quoted_name(options_.schema) + ", pg_temp; ";
  setup += "SET statement_timeout = " + std::to_string(timeout) + "; ";
  // Below half of statement_timeout, so that a locked row is told apart from a slow statement
  // (design §3).
  setup +=
      "SET lock_timeout = " + std::to_string(std::max<std::int64_t>(timeout * 2 / 5, 1)) + "; ";
  if (options_.read_only) setup += "SET default_transaction_read_only = on; ";
  if (options_.role) setup += "SET ROLE " + quoted_name(*options_.role) + "; ";
  transaction.exec(setup);
  return std::nullopt;
}

bool Session::is_stale() const noexcept {
  // Nothing may arrive on an idle session of ours: bytes or an end of file mean that the server
  // said goodbye. Seen before sending, it costs a reconnect instead of a doubt.
  pollfd probe{driver_->connection.sock(), POLLIN, 0};
  return ended_ || probe.fd < 0 || poll(&probe, 1, 0) != 0;
}

void Session::close() noexcept {
  {
    const std::lock_guard lock(socket_mutex_);
    socket_ = -1;
  }
  driver_.reset();
  prepared_.clear();
}

void Session::shut_down() noexcept {
  ended_ = true;
  const std::lock_guard lock(socket_mutex_);
  if (socket_ >= 0) ::shutdown(socket_, SHUT_RDWR);
}

}  // namespace reconciled::sql
