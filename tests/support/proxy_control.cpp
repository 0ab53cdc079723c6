// SPDX-License-Identifier: Apache-2.0
#include "tests/support/proxy_control.hpp"

#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace reconciled::test {
namespace {

constexpr std::array<std::pair<std::string_view, Fault>, 6> kFaults{{
    {"pass", Fault::none},
    {"lose_answer", Fault::lose_answer},
    {"lose_request", Fault::lose_request},
    {"hold_answer", Fault::hold_answer},
    {"black_hole", Fault::black_hole},
    {"refuse", Fault::refuse},
}};

constexpr std::string_view kWait = "wait ";

std::optional<int> read_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0) {
    return std::nullopt;
  }
  return value;
}

/// Where the next " key=" begins, so that a value may hold blanks.
std::size_t end_of_value(std::string_view text) {
  std::size_t end = text.size();
  for (const std::string_view key : {" statement=", " tag=", " skip=", " times="}) {
    end = std::min(end, text.find(key));
  }
  return end;
}

bool set_field(Plan& plan, std::string_view key, std::string_view value) {
  if (key == "statement") {
    plan.statement = value;
    return true;
  }
  if (key == "tag") {
    plan.tag = value;
    return true;
  }
  const auto number = read_number(value);
  if (!number || (key != "skip" && key != "times")) {
    return false;
  }
  (key == "skip" ? plan.skip : plan.times) = *number;
  return true;
}

std::string tell(const Counts& counts) {
  std::string text = "ok connections=" + std::to_string(counts.connections) +
                     " hits=" + std::to_string(counts.hits);
  for (const auto& [statement, times] : counts.statements) {
    text += " [" + statement + "]=" + std::to_string(times);
  }
  for (char& byte : text) {
    byte = byte == '\n' ? ' ' : byte;  // the reply is one line, a query may be several
  }
  return text;
}

}  // namespace

boost::system::result<Plan, std::string> read_plan(std::string_view line) {
  const auto word = line.substr(0, line.find(' '));
  Plan plan;
  bool known = false;
  for (const auto& [name, fault] : kFaults) {
    if (name == word) {
      plan.fault = fault;
      known = true;
    }
  }
  if (!known) {
    return "unknown command '" + std::string(word) + "'";
  }
  std::string_view rest = line.substr(word.size());
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const auto equals = rest.find('=');
    const auto end = end_of_value(rest);
    if (equals >= end ||
        !set_field(plan, rest.substr(0, equals), rest.substr(equals + 1, end - equals - 1))) {
      return "cannot read '" + std::string(rest.substr(0, end)) +
             "': want statement=TEXT, tag=TEXT, skip=N or times=N";
    }
    rest.remove_prefix(end);
  }
  return plan;
}

std::string obey(Proxy& proxy, std::string_view line) {
  if (line == "counts") {
    return tell(proxy.counts());
  }
  if (line == "reset") {
    proxy.reset_all();
    return "ok";
  }
  if (line.starts_with(kWait)) {
    const auto hits = read_number(line.substr(kWait.size()));
    if (!hits) {
      return "error: want wait N";
    }
    return proxy.wait_for_hits(*hits) ? "ok" : "error: not within the time allowed";
  }
  auto plan = read_plan(line);
  if (!plan) {
    return "error: " + plan.error();
  }
  proxy.set(std::move(*plan));
  return "ok";
}

}  // namespace reconciled::test
