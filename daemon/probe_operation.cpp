// SPDX-License-Identifier: Apache-2.0
#include "daemon/probe_operation.hpp"

#include <charconv>

#include "base/text.hpp"
#include "reconcile/json.hpp"

namespace reconciled {
namespace {

constexpr Duration kUsualAge = 10min;
constexpr Duration kUsualWindow = 1h;

/// Takes digits, and one character behind them, off the front of a time.
class TimeReader {
 public:
  explicit TimeReader(std::string_view text) : rest_(text) {}

  int number(std::size_t digits) {
    int value = 0;
    const auto* end = rest_.data() + std::min(digits, rest_.size());
    const auto read = std::from_chars(rest_.data(), end, value);
    good_ =
        good_ && rest_.size() >= digits && read.ec == std::errc{} && read.ptr == end && value >= 0;
    rest_.remove_prefix(std::min(digits, rest_.size()));
    return value;
  }
  bool take(std::string_view any_of) {
    if (rest_.empty() || any_of.find(rest_.front()) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(std::string_view any_of) { good_ = take(any_of) && good_; }
  Duration fraction() {
    if (!take(".")) return {};
    Duration::rep micros = 0;
    for (Duration::rep unit = 100'000;
         !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; unit /= 10) {
      micros += unit * (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return Duration{micros};
  }
  /// Z, +hh, +hhmm or +hh:mm.
  Duration offset() {
    if (take("Zz")) return {};
    const bool west = take("-");
    if (!west) expect("+");
    const auto hours = std::chrono::hours{number(2)};
    take(":");
    const auto minutes = std::chrono::minutes{rest_.empty() ? 0 : number(2)};
    return west ? -(hours + minutes) : hours + minutes;
  }
  bool ended_well() const { return good_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool good_ = true;
};

std::optional<DatabaseTime> read_time(std::string_view text) {
  TimeReader reader(text);
  const std::chrono::year year{reader.number(4)};
  reader.expect("-");
  const std::chrono::month month{static_cast<unsigned>(reader.number(2))};
  reader.expect("-");
  const std::chrono::day day{static_cast<unsigned>(reader.number(2))};
  reader.expect("T t");
  Duration at = std::chrono::hours{reader.number(2)};
  reader.expect(":");
  at += std::chrono::minutes{reader.number(2)};
  reader.expect(":");
  at += std::chrono::seconds{reader.number(2)};
  at += reader.fraction();
  at -= reader.offset();
  const std::chrono::year_month_day date{year, month, day};
  if (!reader.ended_well() || !date.ok()) return std::nullopt;
  return DatabaseTime{std::chrono::sys_days{date}.time_since_epoch() + at};
}

/// The node as JSON text, numbers as they were written.
void write(const json::Node& node, std::string& out) {
  const bool array = node.is(json::Kind::array);
  if (node.is(json::Kind::string)) {
    out += json_quoted(node.text);
  } else if (!array && !node.is(json::Kind::object)) {
    out += node.is(json::Kind::null) ? "null" : node.text;
  } else {
    out.push_back(array ? '[' : '{');
    for (const auto& child : node) {
      if (out.back() != '[' && out.back() != '{') out.push_back(',');
      if (!array) out += json_quoted(child.name) + ":";
      write(child, out);
    }
    out.push_back(array ? ']' : '}');
  }
}

Failure wrong(std::string_view name, std::string_view what) {
  return {ExitCode::configuration,
          "the operation: " + std::string(name) + ": " + std::string(what)};
}

Result<std::string> text_at(const json::Node& root, std::string_view name) {
  const auto* node = root.find(name);
  const auto text = node == nullptr ? std::nullopt : node->scalar();
  if (!text || text->empty()) return wrong(name, "is missing");
  return std::string(*text);
}

Result<DatabaseTime> time_at(const json::Node& root, std::string_view name,
                             DatabaseTime otherwise) {
  const auto* node = root.find(name);
  if (node == nullptr || node->is(json::Kind::null)) return otherwise;
  const auto at = read_time(node->scalar().value_or(""));
  if (!at) return wrong(name, "is no time, such as 2026-11-30T10:00:00Z");
  return *at;
}

}  // namespace

Result<ProbeOperation> read_probe_operation(std::string_view json, HostTime now) {
  const auto read = json::read(json);
  if (!read.document) return wrong("as a whole", read.why);
  const auto& root = read.document->root();
  const auto id_text = text_at(root, "operation_id");
  const auto account = text_at(root, "account_id");
  const auto amount_text = text_at(root, "amount");
  const auto currency = text_at(root, "currency");
  for (const auto* part : {&id_text, &account, &amount_text, &currency})
    if (!*part) return part->error();
  const auto id = parse_uuid(*id_text);
  if (!id) return wrong("operation_id", "is no uuid");
  auto amount = Decimal::parse(*amount_text);
  if (!amount) return wrong("amount", "is no plain decimal number");
  const auto as_of = time_at(root, "as_of", DatabaseTime{now.since_epoch});
  if (!as_of) return as_of.error();
  const auto created_at = time_at(root, "created_at", *as_of - kUsualAge);
  if (!created_at) return created_at.error();
  const auto submit_by = time_at(root, "submit_by", *created_at + kUsualWindow);
  if (!submit_by) return submit_by.error();
  std::string context;
  const auto* node = root.find("provider_context");
  if (node != nullptr && !node->is(json::Kind::null)) write(*node, context);
  return ProbeOperation{{OperationId{*id}, *account, std::move(amount), *currency, *created_at,
                         *submit_by, std::move(context)},
                        *as_of};
}

}  // namespace reconciled
