// SPDX-License-Identifier: Apache-2.0
// What the scripted provider knows and how it behaves: credits by key, scripts by key, and a ledger
// of all that was asked. No sockets here; safe to use from several threads.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reconciled::test {

using Headers = std::vector<std::pair<std::string, std::string>>;

/// How an answer goes wrong on its way.
enum class Cut {
  none,
  before_answer,  ///< a reset instead of an answer
  close,          ///< an orderly end instead of an answer
  mid_headers,    ///< half of the headers, then a reset
  mid_body,       ///< half of the body, then a reset
  wrong_length,   ///< the body whole, a longer Content-Length, then an orderly end
  never           ///< silence, until the client goes
};

/// What to do with one request. As it is made, it changes nothing: the normal answer comes.
struct Behaviour {
  int status = 0;  ///< 0: the normal answer's
  Headers headers = {};
  std::optional<std::string> body = std::nullopt;  ///< nullopt: the normal answer's
  std::string type = "application/json";           ///< empty: no Content-Type
  std::chrono::milliseconds delay{};
  Cut cut = Cut::none;
  bool gzip = false;
  bool dribble = false;  ///< a byte at a time, until the client goes or all is sent
};

struct Seen {
  std::string method;
  std::string target;
  std::string key;
  Headers headers;
  std::string body;
  int connection = 0;  ///< counted from 1, in order of acceptance

  std::string header(std::string_view name) const;  ///< empty if there is none
};

/// What goes over the wire.
struct Reply {
  int status = 200;
  std::string body;
  Behaviour how;
};

class TestWorld {
 public:
  /// Holds a credit under this key: GET /v1/credits?key=KEY shows it as a row of /data.
  void credit(const std::string& key, boost::json::object row);
  void forget_credits(const std::string& key);
  /// Once each, in this order, for requests with this key ("" for any).
  void then(const std::string& key, std::vector<Behaviour> behaviours);
  /// For all further ones of this key; "" for all keys without a script of their own.
  void always(const std::string& key, Behaviour behaviour);
  void forget_scripts();

  /// A line of a script: {"key":…, "credits":[…], "status":…, "headers":{…}, "body":…, "type":…,
  /// "delay_ms":…, "cut":"before-answer", "gzip":true, "dribble":true, "times":N}. Without a key
  /// for all; without times for ever; {"forget":true} forgets all scripts. A header with a list of
  /// values is as many header lines. Throws std::exception for anything else.
  void apply(std::string_view line);

  Reply respond(Seen request);

  std::vector<Seen> requests() const;
  std::size_t request_count() const;
  /// False if there were not as many within the limit, which only a broken test reaches.
  bool wait_for_requests(std::size_t count) const;
  std::string ledger() const;  ///< a JSON object a line

 private:
  Reply normal(const Seen& request);
  Reply list(const Seen& request) const;
  Reply create(const Seen& request);
  Behaviour behaviour_for(const std::string& key);

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::map<std::string, boost::json::array> credits_;
  std::map<std::string, std::deque<Behaviour>> once_;
  std::map<std::string, Behaviour> always_;
  std::vector<Seen> requests_;
  int created_ = 0;
};

/// The decoded value of a query parameter of a target; empty if there is none.
std::string query_value(std::string_view target, std::string_view name);

}  // namespace reconciled::test
