// SPDX-License-Identifier: Apache-2.0
#include "daemon/check_config.hpp"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "daemon/output.hpp"
#include "daemon/relations.hpp"
#include "daemon/wiring.hpp"
#include "retention/sql_store.hpp"

namespace reconciled {
namespace {

namespace asio = boost::asio;

sql::Result<BoundFacts> read_bound(const Configuration& configuration) {
  asio::io_context loop{1};
  sql::Database database(loop.get_executor(), database_options(configuration, Access::reading));
  SqlCleanupStore store(database);
  sql::Result<BoundFacts> facts = sql::Error{};
  asio::co_spawn(loop, store.bound(),
                 [&](const std::exception_ptr& why, sql::Result<BoundFacts> read) {
                   if (why) std::rethrow_exception(why);
                   facts = std::move(read);
                   loop.stop();
                 });
  loop.run();
  return facts;
}

std::string line(std::string_view label, std::string_view text) {
  return fmt::format("{:<12} {}\n", label, text);
}

/// What the database says of retention.require_bound, if it can be reached.
std::string bound_lines(const Configuration& configuration) {
  const auto facts = read_bound(configuration);
  if (!facts)
    return line("not checked",
                "retention.require_bound needs the database: " + sql::to_string(facts.error()));
  std::string lines;
  for (const auto& text : describe(*facts)) lines += line("database", text);
  const auto terms = make_cleanup_terms(configuration.settings);
  for (const auto& refusal : judge_bound(*facts, terms->timings))
    lines += line(terms->require_bound ? "would refuse" : "warning", explain(refusal));
  return lines;
}

}  // namespace

ExitCode check_config(const Configuration& configuration) {
  Output output;
  auto code = ExitCode::done;
  output.write(
      fmt::format("profile {}: {}\n", configuration.profile.name, configuration.profile.describes));
  for (const auto& relation : all_relations(configuration)) {
    output.write(fmt::format("{:<12} {}: {} against {}\n", to_string(relation.holds), relation.name,
                             relation.left, relation.right));
    if (relation.holds == Holds::yes) continue;
    output.write(fmt::format("{:<12} {}\n", "", relation.explanation));
    if (relation.holds == Holds::no) code = ExitCode::configuration;
  }
  for (const auto& warning : settings_warnings(configuration.settings))
    output.write(fmt::format("{:<12} {}\n", "warning", warning));
  if (configuration.settings.retention.consumptions) output.write(bound_lines(configuration));
  return output.finish(code);
}

}  // namespace reconciled
