// SPDX-License-Identifier: Apache-2.0
// Texts of a profile with values of the operation in them: "/v1/charges/{context.charge}". Checked
// when the profile is read, so that filling one in can only fail for want of a value.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "reconcile/json.hpp"
#include "reconcile/money.hpp"
#include "reconcile/operation.hpp"

namespace reconciled {

enum class TemplateValue {
  operation_id,
  account_id,
  amount,
  amount_minor,
  currency,
  currency_lower,
  created_at,
  window_start,
  window_end,
  context
};
enum class TimeFormat { none, epoch, rfc3339, date };

class Template {
 public:
  struct Value {
    TemplateValue value = TemplateValue::operation_id;
    TimeFormat format = TimeFormat::none;  ///< set for the three times, and only for them
    bool number = false;                   ///< {amount_minor:number}: without quotes in JSON
    std::string name;                      ///< as written, without braces: context.charge
  };
  using Part = std::variant<std::string, Value>;

  /// Either the template or what is wrong with it, for a fault of the profile.
  static std::variant<Template, std::string> parse(std::string_view text);

  const std::vector<Part>& parts() const noexcept { return parts_; }
  bool uses(TemplateValue value) const noexcept;
  bool is_literal() const noexcept;
  /// Nothing but one amount that asks to be a number.
  bool is_number() const noexcept;

 private:
  std::vector<Part> parts_;
};

/// What is wrong with a template as a URL's path, or empty: it starts with a slash, its literals
/// are already written as a URL has them, and no literal segment is "." or "..".
std::string fault_of_path(const Template& path);

/// The window in which a lookup asks for credits: created_at - before to now + after (design §5).
struct Window {
  Duration before{};
  Duration after{};
  Duration span{};  ///< the most that one request may ask for; zero: no limit
};

/// What one request asks for out of the window.
struct TimeSpan {
  DatabaseTime start;
  DatabaseTime end;
  friend bool operator==(const TimeSpan&, const TimeSpan&) = default;
};

/// Neighbours overlap by this, so that neither an end that is left out nor seconds that are rounded
/// hide a credit between them.
inline constexpr Duration kSpanOverlap = 1s;
inline constexpr Duration kLeastSpan = 1min;

/// The window in parts that the span allows, oldest first; at most `at_most` of them (a window that
/// needs more is cut, which the caller must know by their number). Whole seconds may be sent
/// rounded outwards, so a part is a second shorter than the span.
std::vector<TimeSpan> spans_of(const Window& window, DatabaseTime created_at, DatabaseTime as_of,
                               std::size_t at_most);

/// Where the values come from. Reads the operation's provider_context at most once, and only if
/// asked for it.
class TemplateValues {
 public:
  /// The references must outlive this. `asked`: between window_start and window_end.
  TemplateValues(const Operation& operation, const TimeSpan& asked,
                 const ExponentOverrides& exponents)
      : operation_(operation), asked_(asked), exponents_(exponents) {}

  /// The value's text, not yet encoded. nullopt if the operation lacks it: a context value that is
  /// missing, null or a container, an amount that is none or has more decimals than its currency,
  /// or anything empty (a lookup by an empty value asks for everybody's).
  std::optional<std::string> text(const Template::Value& value);

 private:
  std::optional<std::string> context(std::string_view member);
  std::optional<std::string> major_amount() const;
  std::optional<std::string> minor_amount() const;
  std::string written(const Template::Value& value) const;

  const Operation& operation_;
  TimeSpan asked_;
  const ExponentOverrides& exponents_;
  std::optional<json::ReadResult> context_;
};

/// Why a template could not be filled in: a value that is missing (its name), or a path segment
/// that would be "." or "..", which a server reads as another path.
struct Unfillable {
  std::string missing;
  std::string unsafe;
};

/// Appends the filled-in path to `url`: literals as written, each value percent-encoded once.
std::optional<Unfillable> append_path(const Template& path, TemplateValues& values,
                                      std::string& url);
/// Appends a name or a value of the query to `url`; literals are encoded like values, so that
/// "created[gte]" arrives as what it says.
std::optional<Unfillable> append_query_text(const Template& text, TemplateValues& values,
                                            std::string& url);

/// Appends the filled-in text to `out` as it is.
std::optional<Unfillable> append_text(const Template& text, TemplateValues& values,
                                      std::string& out);

/// Appends `text` to `url`, everything encoded but RFC 3986's unreserved characters.
void append_percent_encoded(std::string_view text, std::string& url);

}  // namespace reconciled
