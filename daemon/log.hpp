// SPDX-License-Identifier: Apache-2.0
// Where events go: one line each on stderr, as text for people or as a JSON object for programs.
// Nothing but the edge logs.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "daemon/settings.hpp"

namespace spdlog {
class logger;
}

namespace reconciled {

/// One fact of an event; the names are the column names of the contract (design §10).
struct Field {
  std::string_view name;
  std::variant<std::string, std::int64_t> value;
};

class Log {
 public:
  /// Automatic: text where stderr is a terminal, else JSON. Times are UTC.
  explicit Log(const LogSettings& settings);
  ~Log();

  /// For a reload. A change of the format counts at once as well.
  void configure(const LogSettings& settings);

  /// `event` is one of design §11; `message` is a sentence for a person. Fields with an empty text
  /// are left out.
  void write(LogLevel level, std::string_view event, std::string_view message,
             std::initializer_list<Field> fields = {});

 private:
  std::shared_ptr<spdlog::logger> logger_;
  bool json_ = false;
};

}  // namespace reconciled
