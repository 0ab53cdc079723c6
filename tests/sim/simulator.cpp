// SPDX-License-Identifier: Apache-2.0
// simulator HISTORIES [FIRST-SEED]     runs so many histories; exit 1 if anything was wrong
// simulator --seed SEED                one history again, with all that is wrong in it
// simulator --bugs HISTORIES           each seeded bug must be found within so many histories
#include <sys/time.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tests/sim/history.hpp"

namespace reconciled::sim {
namespace {

constexpr int kShown = 10;

double seconds() {  // the steady clock is the simulation's
  timeval now{};
  gettimeofday(&now, nullptr);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_usec) / 1e6;
}

void show(std::uint64_t seed, const Outcome& outcome) {
  for (const auto& what : outcome.wrong)
    std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), what.c_str());
}

int run(std::uint64_t histories, std::uint64_t first) {
  const auto began = seconds();
  std::map<std::string, int> ends;
  std::uint64_t bad = 0;
  for (auto seed = first; seed < first + histories; ++seed) {
    const auto outcome = run_history(seed);
    for (const auto& [reason, count] : outcome.reasons) ends[reason] += count;
    if (!outcome.wrong.empty() && bad++ < kShown) show(seed, outcome);
  }
  for (const auto& [reason, count] : ends) std::printf("%9d  %s\n", count, reason.c_str());
  std::printf("%llu histories, %.0f a second, %llu with a violation\n",
              static_cast<unsigned long long>(histories),
              static_cast<double>(histories) / (seconds() - began),
              static_cast<unsigned long long>(bad));
  return bad == 0 ? 0 : 1;
}

bool found(Bug bug, const char* name, std::uint64_t histories) {
  for (std::uint64_t seed = 1; seed <= histories; ++seed) {
    const auto outcome = run_history(seed, bug);
    if (outcome.wrong.empty()) continue;
    std::printf("ok - %s is found in history %llu: %s\n", name,
                static_cast<unsigned long long>(seed), outcome.wrong.front().c_str());
    return true;
  }
  std::printf("not ok - %s is not found in %llu histories\n", name,
              static_cast<unsigned long long>(histories));
  return false;
}

int run_bugs(std::uint64_t histories) {
  bool all = found(Bug::record_without_fence, "a record without its fence", histories);
  all = found(Bug::takeover_of_running_leases, "a takeover of running leases", histories) && all;
  all = found(Bug::unknown_keeps_its_lease, "an Unknown that is never due again", histories) && all;
  all = found(Bug::claim_below_the_mark, "a claim below the mark", histories) && all;
  all = found(Bug::provider_beyond_its_promise, "a provider beyond its promise", histories) && all;
  return all ? 0 : 1;
}

std::uint64_t number(const char* text) { return std::strtoull(text, nullptr, 10); }

}  // namespace
}  // namespace reconciled::sim

int main(int count, char** words) {
  using namespace reconciled::sim;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  if (count == 3 && words[1] == std::string_view("--bugs")) return run_bugs(number(words[2]));
  if (count == 3 && words[1] == std::string_view("--seed")) {
    const auto outcome = run_history(number(words[2]));
    show(number(words[2]), outcome);
    return outcome.wrong.empty() ? 0 : 1;
  }
  if (count == 2 || (count == 3 && words[1][0] != '-'))
    return run(number(words[1]), count == 3 ? number(words[2]) : 1);
  std::fputs("usage: simulator HISTORIES [FIRST-SEED] | --seed SEED | --bugs HISTORIES\n", stderr);
  return 64;
}
