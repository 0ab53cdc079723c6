// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/yaml.hpp"

namespace reconciled::yaml {
namespace {

constexpr std::size_t kMostLetters = 64;
constexpr std::size_t kMostEdits = 2;
constexpr std::size_t kMostQuoted = 60;
constexpr std::size_t kMostOfAKey = 120;

/// What a file says must not move the cursor of the terminal that shows the message.
std::string printable(std::string_view text, std::size_t at_most) {
  std::string shown;
  for (const char letter : text.substr(0, at_most)) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte < 0x20 || byte == 0x7f) {
      shown += fmt::format("\\x{:02x}", byte);
    } else {
      shown += letter;
    }
  }
  return shown + (text.size() > at_most ? "…" : "");
}

/// Levenshtein's distance, two adjacent letters swapped counting as one edit.
std::size_t edits_between(std::string_view a, std::string_view b) noexcept {
  using Row = std::array<std::size_t, kMostLetters + 1>;
  Row before_last{};
  Row last{};
  Row row{};
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last = last;
    last = row;
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

const Node* Node::find(std::string_view key) const noexcept {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const Entry& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &found->value;
}

std::string report(std::string_view file, std::span<const Fault> faults) {
  std::string text;
  for (const auto& fault : faults.first(std::min(faults.size(), kMostReported))) {
    if (!text.empty()) text += '\n';
    text +=
        fmt::format("{}:{}:{}: {}{}{}", file, fault.at.line, fault.at.column,
                    printable(fault.key, kMostOfAKey), fault.key.empty() ? "" : ": ", fault.what);
  }
  if (faults.size() > kMostReported)
    text += fmt::format("\n{}: and {} more", file, faults.size() - kMostReported);
  return text;
}

std::string quoted(std::string_view text) { return "\"" + printable(text, kMostQuoted) + "\""; }

std::string_view nearest(std::string_view word, std::span<const std::string_view> known) noexcept {
  std::string_view best;
  if (word.size() > kMostLetters) return best;
  std::size_t fewest = kMostEdits + 1;
  for (const auto candidate : known) {
    if (candidate.size() > kMostLetters) continue;
    const auto edits = edits_between(word, candidate);
    if (edits >= fewest || edits >= candidate.size()) continue;
    fewest = edits;
    best = candidate;
  }
  return best;
}

}  // namespace reconciled::yaml
