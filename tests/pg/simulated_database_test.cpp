// SPDX-License-Identifier: Apache-2.0
// The simulation's database in memory does what the SQL does: the same random calls on both, and
// after each of them the same rows, the same evidence, the same answer.
// Time goes by for both alike: the simulated clock is moved on, and on the server all times are
// moved back. Every lease ends minutes away from every moment at which it is compared.
#include "recovery/sql_store.hpp"
#include "tests/sim/database.hpp"
#include "tests/sim/random.hpp"
#include "tests/support/database_bench.hpp"
#include "tests/support/session.hpp"

namespace reconciled::test {
namespace {

constexpr int kOperations = 6;
constexpr int kCalls = 150;
constexpr Duration kStep = 10min;
constexpr Duration kLease = 65min;
constexpr DatabaseTime kBeginning{Duration{1'767'323'645'000'000}};

OperationId numbered(int n) { return {*parse_uuid(operation_id(n))}; }

/// Both databases, and what both are asked.
class Twins {
 public:
  explicit Twins(std::uint64_t seed) : random_(seed) {
    for (int n = 1; n <= kOperations; ++n) {
      server_.execute(insert_operation(
          n, {{"lease_until", "clock_timestamp() - interval '" + std::to_string(n) + " minutes'"},
              {"submit_by", "clock_timestamp() + interval '95 minutes'"}}));
      sim::Row row;
      row.operation.id = numbered(n);
      row.operation.created_at = kBeginning - 1h;
      row.operation.submit_by = kBeginning + 95min;
      row.lease_until = kBeginning - n * 1min;
      memory_.rows.emplace(row.operation.id, row);
    }
  }

  void call() {
    switch (random_.below(9)) {
      case 0:
      case 1:
        return take_over();
      case 2:
      case 3:
        return record();
      case 4:
        return hand_back();
      case 5:
        return postpone();
      case 6:
        return executor();
      case 7:
        return ask();
      default:
        return let_time_pass();
    }
  }

  /// status, version, token, whether the lease has ended, reference; then all of its evidence.
  std::string in_memory() const {
    std::string all;
    for (const auto& [id, row] : memory_.rows) {
      all += std::string(sim::word(row.status)) + ' ' + std::to_string(row.owner_version.value) +
             ' ' + (row.owner_token ? to_string(*row.owner_token) : "-") + ' ' +
             (row.lease_until < memory_.now() ? "ended" : "runs") + ' ' + row.provider_reference +
             '\n';
      for (const auto& one : memory_.evidence)
        if (one.operation_id == id)
          all += "  " + std::to_string(one.owner_version.value) + ' ' + one.step + ' ' +
                 one.finding + ' ' + one.decision + ' ' + one.reason + ' ' +
                 one.provider_reference + '\n';
    }
    return all;
  }
  std::string on_the_server() const {
    return server_.query_value(
        "SELECT string_agg(line, '' ORDER BY operation_id, at) FROM ("
        "SELECT operation_id, 0 AS at, concat(status, ' ', owner_version, ' ', "
        "coalesce(owner_token::text, '-'), ' ', CASE WHEN lease_until < clock_timestamp() THEN "
        "'ended' ELSE 'runs' END, ' ', provider_reference, E'\\n') AS line FROM operations "
        "UNION ALL SELECT operation_id, evidence_id, concat('  ', owner_version, ' ', step, ' ', "
        "finding, ' ', decision, ' ', reason, ' ', provider_reference, E'\\n') "
        "FROM recovery_evidence) AS lines");
  }

 private:
  template <class T>
  T of(Awaitable<sql::Result<T>> question) {
    const auto answer = spawn(loop_, std::move(question));
    until(loop_, [&] { return answer->ended(); });
    return answer->value->value();
  }

  /// Never the same twice, and never a whole step.
  Duration some_wait() { return random_.below(8) * kStep + 5min + ++waits_ * Duration{100ms}; }

  static std::string told(const Takeover& takeover) {
    std::vector<std::string> lines;
    for (const auto& lease : takeover.leases)
      lines.push_back(to_string(lease.operation.id) + ' ' +
                      std::to_string(lease.owner_version.value) + ' ' +
                      (lease.earlier.credit_seen ? "seen " : "") +
                      std::to_string(lease.earlier.since_recheck) + '\n');
    std::sort(lines.begin(), lines.end());
    std::string all;
    for (const auto& line : lines) all += line;
    return all;
  }
  static Ids sorted(Ids ids) {
    std::sort(ids.begin(), ids.end());
    return ids;
  }

  void take_over() {
    TakeoverRequest request{100, random_owner_token(), kLease, {}, {}};
    if (random_.percent(30)) request.not_this = numbered(1 + random_.below(kOperations));
    const auto mine = memory_.take_over(request);
    CHECK(told(mine) == told(of(store_.take_over(request))));
    for (const auto& lease : mine.leases) owned_.push_back(lease.ownership());
    CHECK(told(memory_.read_back_takeover(request.owner_token)) ==
          told(of(store_.read_back_takeover(request.owner_token))));
  }

  /// Also an ownership of long ago, or one with another's token.
  Ownership somebody() {
    auto owned = owned_[static_cast<std::size_t>(random_.below(static_cast<int>(owned_.size())))];
    if (random_.percent(10)) owned.owner_token = random_owner_token();
    if (random_.percent(10)) ++owned.owner_version.value;
    return owned;
  }

  Entry entry_for(const Ownership& owned) {
    constexpr std::pair<Decision, Reason> kVerdicts[] = {
        {Decision::succeeded, Reason::proven},
        {Decision::unknown, Reason::absent_so_far},
        {Decision::unknown, Reason::no_answer},
        {Decision::needs_reconciliation, Reason::duplicate}};
    constexpr std::string_view kFindings[] = {"found", "absent", "incomplete", "no-answer"};
    Entry entry;
    entry.ownership = owned;
    const auto& [decision, reason] = kVerdicts[random_.below(4)];
    entry.verdict.decision = decision;
    entry.verdict.reason = reason;
    entry.finding = kFindings[random_.below(4)];
    if (random_.percent(50)) entry.verdict.reference = "cr_1";
    entry.wait = some_wait();
    return entry;
  }

  void record() {
    if (owned_.empty()) return;
    std::vector<Entry> entries{entry_for(somebody())};
    const auto other = entry_for(somebody());
    if (other.ownership.operation_id != entries.front().ownership.operation_id)
      entries.push_back(other);
    CHECK(sorted(memory_.record(entries)) == sorted(of(store_.record(entries))));
    CHECK(sorted(memory_.read_back_record(entries)) ==
          sorted(of(store_.read_back_record(entries))));
  }

  void hand_back() {
    if (owned_.empty()) return;
    const std::vector<Ownership> owned{somebody()};
    CHECK(memory_.hand_back(owned) == of(store_.hand_back(owned)));
  }

  void postpone() {
    if (owned_.empty()) return;
    const auto owned = somebody();
    const auto wait = some_wait();
    CHECK(memory_.postpone(owned, wait) == of(store_.postpone(owned, wait)));
  }

  void executor() {
    const auto n = 1 + random_.below(kOperations);
    const OwnerVersion version{1 + random_.below(2)};
    const auto outcome = random_.percent(50) ? sim::Status::unknown : sim::Status::succeeded;
    const bool mine = memory_.record_outcome(numbered(n), version, outcome, "cr_2");
    CHECK((mine ? "t" : "f") ==
          server_.query_value("SELECT record_outcome('" + operation_id(n) + "', " +
                              std::to_string(version.value) + ", '" +
                              std::string(sim::word(outcome)) + "', 'cr_2')"));
  }

  void ask() {
    const auto n = 1 + random_.below(kOperations);
    CHECK((memory_.may_submit(numbered(n), {1}) ? "t" : "f") ==
          server_.query_value("SELECT may_submit('" + operation_id(n) + "', 1)"));
    const auto next = memory_.next_due(memory_.now());
    const auto theirs = of(store_.next_due(server_now()));
    REQUIRE(next.has_value() == theirs.has_value());
    if (next) CHECK(std::chrono::abs(*next - *theirs) < kStep / 2);
    CHECK(memory_.count_due(memory_.now()) == of(store_.count_due(server_now())));
  }

  void let_time_pass() {
    const auto steps = 1 + random_.below(8);
    now_ = now_ + steps * kStep;
    const auto back = " - " + std::to_string(steps) + " * interval '10 minutes'";
    server_.execute("UPDATE operations SET lease_until = lease_until" + back +
                    ", submit_by = submit_by" + back + ", created_at = created_at" + back);
  }

  DatabaseTime server_now() const {
    return {Duration{std::stoll(
        server_.query_value("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"))}};
  }

  /// A microsecond with each look, as no two statements of a server have the same time.
  DatabaseTime tick() { return now_ = now_ + 1us; }

  sim::Random random_;
  DatabaseTime now_ = kBeginning;
  sim::Database memory_{[this] { return tick(); }};
  test::Database server_ = scratch_database();
  asio::io_context loop_;
  sql::Database door_{loop_.get_executor(), recovery_options(server_.uri(kRecovery))};
  SqlStore store_{door_, "twin"};
  std::vector<Ownership> owned_;
  int waits_ = 0;
};

TEST_CASE("the database in memory does what the SQL does", "[simulation]") {
  const auto seed = GENERATE(range(1, 9));
  CAPTURE(seed);
  Twins twins(static_cast<std::uint64_t>(seed));
  for (int call = 0; call < kCalls; ++call) {
    CAPTURE(call);
    twins.call();
    REQUIRE(twins.in_memory() == twins.on_the_server());
  }
}

}  // namespace
}  // namespace reconciled::test
