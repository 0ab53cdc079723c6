// SPDX-License-Identifier: Apache-2.0
// One value: from text, to text, and its description.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "base/overloaded.hpp"
#include "daemon/settings_table.hpp"
#include "sql/connection_string.hpp"

namespace reconciled {
namespace {

struct SizeUnit {
  std::string_view name;
  std::size_t bytes;
};
// Largest first, for printing.
constexpr SizeUnit kSizeUnits[] = {
    {"GiB", 1024UL * 1024 * 1024}, {"MiB", 1024UL * 1024}, {"KiB", 1024}, {"B", 1}};

/// Decimal digits only, no leading zero: 010 is 8 to some readers and 10 to others.
template <class Number>
bool read_digits(std::string_view text, Number& number) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return false;
  if (text.size() > 1 && text.front() == '0') return false;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc{};
}

bool read_size(std::string_view text, std::size_t& size) {
  const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  std::size_t count = 0;
  if (!read_digits(text.substr(0, digits), count)) return false;
  for (const auto& unit : kSizeUnits) {
    if (unit.name != text.substr(digits)) continue;
    if (count > kSizeUnits[0].bytes * 1024 / unit.bytes) return false;
    size = count * unit.bytes;
    return true;
  }
  return false;
}

std::string size_text(std::size_t size) {
  for (const auto& unit : kSizeUnits)
    if (size % unit.bytes == 0) return fmt::format("{}{}", size / unit.bytes, unit.name);
  return "0B";
}

std::string range_text(const Count& count) {
  return fmt::format("{} to {}", count.least, count.most);
}
std::string range_text(const Span& span) {
  return to_string(span.least) + " to " + to_string(span.most);
}
std::string range_text(const Bytes& bytes) {
  return size_text(bytes.least) + " to " + size_text(bytes.most);
}

template <class Target, class Value>
std::string assign_within(Settings& settings, const Target& target, Value value) {
  if (value < target.least || value > target.most) return "is out of range: " + range_text(target);
  target.of(settings) = value;
  return "";
}

std::string assign_to(Settings& settings, const Flag& flag, std::string_view text) {
  if (text != "true" && text != "false") return "is neither true nor false";
  flag.of(settings) = text == "true";
  return "";
}

std::string assign_to(Settings& settings, const Count& count, std::string_view text) {
  int number = 0;
  if (!read_digits(text, number))
    return "is no whole number: decimal digits only, no leading zero, " + range_text(count);
  return assign_within(settings, count, number);
}

std::string assign_to(Settings& settings, const Span& span, std::string_view text) {
  if (const auto duration = parse_duration(text)) return assign_within(settings, span, *duration);
  if (!text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos)
    return "has no unit: write a duration like 250ms, 30s, 5m, 24h or 7d";
  return "is no duration: digits and one of the units ms, s, m, h, d, like 30s";
}

std::string assign_to(Settings& settings, const Bytes& bytes, std::string_view text) {
  std::size_t size = 0;
  if (read_size(text, size)) return assign_within(settings, bytes, size);
  if (!text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos)
    return "has no unit: write a size like 64KiB or 4MiB";
  return "is no size: digits and one of the units B, KiB, MiB, GiB, like 4MiB";
}

std::string assign_to(Settings& settings, const Choice& choice, std::string_view text) {
  const auto found = std::find(choice.words.begin(), choice.words.end(), text);
  if (found == choice.words.end())
    return fmt::format("is none of {}", fmt::join(choice.words, ", "));
  choice.set(settings, static_cast<std::size_t>(found - choice.words.begin()));
  return "";
}

std::string assign_to(Settings& settings, const Word& word, std::string_view text) {
  auto fault = word.fault(text);
  if (fault.empty()) word.of(settings) = text;
  return fault;
}

}  // namespace

std::string_view section_of(const Setting& setting) {
  const auto dot = setting.key.find('.');
  return dot == std::string_view::npos ? std::string_view{} : setting.key.substr(0, dot);
}

std::string_view name_of(const Setting& setting) {
  return setting.key.substr(setting.key.find('.') + 1);  // npos + 1 is 0
}

std::string type_text(const Setting& setting) {
  return std::visit(
      overloaded{[](const Flag&) { return std::string("true or false"); },
                 [](const Count& count) { return "whole number, " + range_text(count); },
                 [](const Span& span) { return "duration, " + range_text(span); },
                 [](const Bytes& bytes) { return "size, " + range_text(bytes); },
                 [](const Choice& choice) {
                   return fmt::format("one of {}", fmt::join(choice.words, ", "));
                 },
                 [](const Word& word) { return std::string(word.form); }},
      setting.target);
}

std::string_view default_text(const Setting& setting) {
  return setting.initial.empty() ? setting.without : setting.initial;
}

std::string assign(Settings& settings, const Setting& setting, std::string_view text) {
  return std::visit([&](const auto& target) { return assign_to(settings, target, text); },
                    setting.target);
}

std::string raw_text(const Settings& settings, const Setting& setting) {
  // The accessors give a mutable reference, because reading and assigning share them.
  auto& values = const_cast<Settings&>(settings);
  return std::visit(
      overloaded{
          [&](const Flag& flag) { return std::string(flag.of(values) ? "true" : "false"); },
          [&](const Count& count) { return std::to_string(count.of(values)); },
          [&](const Span& span) { return to_string(span.of(values)); },
          [&](const Bytes& bytes) { return size_text(bytes.of(values)); },
          [&](const Choice& choice) { return std::string(choice.words[choice.get(values)]); },
          [&](const Word& word) { return word.of(values); }},
      setting.target);
}

std::string value_text(const Settings& settings, const Setting& setting) {
  auto text = raw_text(settings, setting);
  return setting.hides ? sql::masked(text) : text;
}

}  // namespace reconciled
