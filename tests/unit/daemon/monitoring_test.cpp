// SPDX-License-Identifier: Apache-2.0
// Alerts, dashboard and manual name the metrics of the table, both ways.
#include <boost/json.hpp>
#include <fstream>
#include <regex>
#include <set>

#include "base/yaml.hpp"
#include "daemon/metrics_table.hpp"
#include "tests/support/catch.hpp"

using namespace reconciled;

namespace {

const std::string kMonitoring = "packaging/monitoring/";

std::string text_of(const std::string& path) {
  std::ifstream file(std::string(RECONCILED_SOURCE_DIR) + "/" + path);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::set<std::string> matches(const std::string& text, const char* pattern) {
  const std::regex expression(pattern);
  std::set<std::string> found;
  for (std::sregex_iterator one(text.begin(), text.end(), expression), end; one != end; ++one)
    found.insert((*one)[1].str());
  return found;
}

/// The series that a metric has on the page: a histogram has three, and is queried by one.
std::set<std::string> queried(const std::string& text) {
  auto names = matches(text, R"(\b(reconciled_[a-z_]+))");
  for (const auto& kind : kMetrics) {
    if (kind.type != MetricType::histogram) continue;
    const std::string name(kind.name);
    for (const auto* suffix : {"_bucket", "_sum", "_count"})
      if (names.erase(name + suffix) > 0) names.insert(name);
  }
  return names;
}

std::set<std::string> table() {
  std::set<std::string> names;
  for (const auto& kind : kMetrics) names.emplace(kind.name);
  return names;
}

struct Dashboard {
  std::string queries;                 ///< all expressions, a line each
  std::set<std::string> data_sources;  ///< uids
  std::set<std::string> variables;
};

void collect(const boost::json::value& value, Dashboard& into) {
  if (const auto* list = value.if_array())
    for (const auto& one : *list) collect(one, into);
  const auto* object = value.if_object();
  if (object == nullptr) return;
  for (const auto& [key, member] : *object) {
    if (key == "expr") into.queries.append(member.as_string()).append("\n");
    if (key == "datasource") into.data_sources.emplace(member.as_object().at("uid").as_string());
    collect(member, into);
  }
}

Dashboard dashboard() {
  const auto json = boost::json::parse(text_of(kMonitoring + "reconciled.dashboard.json"));
  Dashboard result;
  collect(json, result);
  for (const auto& variable : json.at("templating").at("list").as_array())
    result.variables.emplace(variable.at("name").as_string());
  return result;
}

/// The expressions of the rules, without what people read.
std::string rule_queries() {
  const auto text = text_of(kMonitoring + "reconciled.rules.yaml");
  static const std::regex expression(R"(expr: >-\n((?:          .*\n)+))");
  std::string queries;
  for (std::sregex_iterator one(text.begin(), text.end(), expression), end; one != end; ++one)
    queries += (*one)[1].str();
  return queries;
}

}  // namespace

TEST_CASE("alerts and dashboard query each metric of the table, and no other", "[metrics]") {
  CHECK(queried(rule_queries() + dashboard().queries) == table());
}

TEST_CASE("labels that are queried are labels of the table", "[metrics]") {
  std::set<std::string> labels{"instance", "le"};
  for (const auto& kind : kMetrics)
    for (const auto label : kind.labels)
      if (!label.empty()) labels.emplace(label);
  const auto queries = rule_queries() + dashboard().queries;
  auto named = matches(queries, R"([{,]\s*([a-z_]+)=)");
  for (const auto& list : matches(queries, R"(by \(([a-z_, ]+)\))"))
    named.merge(matches(list, "([a-z_]+)"));
  for (const auto& label : named) {
    INFO(label);
    CHECK(labels.contains(label));
  }
}

TEST_CASE("the dashboard takes its data source from a variable", "[metrics]") {
  const auto seen = dashboard();
  CHECK(seen.data_sources == std::set<std::string>{"${datasource}"});
  CHECK(seen.variables == std::set<std::string>{"datasource", "instance"});
}

TEST_CASE("each alert has what a person on call needs, and its tests", "[metrics]") {
  const auto rules = text_of(kMonitoring + "reconciled.rules.yaml");
  const auto alerts = matches(rules, R"(- alert: (\w+)\n)");
  CHECK(alerts.size() >= 15);
  const auto tests = text_of("tests/monitoring/alerts_test.yaml");
  for (const auto& alert : alerts) {
    INFO(alert);
    const auto from = rules.find("- alert: " + alert + "\n");
    const auto rule = rules.substr(from, rules.find("- alert: ", from + 1) - from);
    for (const auto* part : {"severity: ", "summary: ", "description: ", "runbook: "})
      CHECK(rule.find(part) != std::string::npos);
    CHECK(tests.find("name: " + alert + " fires\n") != std::string::npos);
    CHECK(tests.find("name: " + alert + " keeps quiet\n") != std::string::npos);
  }
}

TEST_CASE("the manual has each metric with its type, labels and meaning, and no other",
          "[metrics]") {
  auto page = text_of("man/reconciled-monitoring.7");
  const auto from = page.find("\n.Sh METRICS\n");
  REQUIRE(from != std::string::npos);
  page = page.substr(from, page.find("\n.Sh ", from + 1) - from);
  CHECK(matches(page, R"(\.It Ic (reconciled_[a-z_]+)\n)") == table());
  for (const auto& kind : kMetrics) {
    INFO(kind.name);
    const auto at = page.find(".It Ic " + std::string(kind.name) + "\n");
    auto text = page.substr(at, page.find("\n.It ", at + 1) - at);
    std::replace(text.begin(), text.end(), '\n', ' ');
    CHECK(text.find(kind.help) != std::string::npos);
    const auto* type = kind.type == MetricType::counter ? "Counter"
                       : kind.type == MetricType::gauge ? "Gauge"
                                                        : "Histogram";
    std::string labels;
    for (const auto label : kind.labels)
      if (!label.empty()) labels.append(labels.empty() ? " by " : " and ").append(label);
    CHECK(text.find(std::string(type) + labels + ".") != std::string::npos);
  }
}
