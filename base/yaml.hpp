// SPDX-License-Identifier: Apache-2.0
// Strict YAML: what yaml-cpp would accept in silence (a duplicate key, a second document, a merge
// key, an anchor) is a fault with its place. Used for the configuration file and for provider
// profiles.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reconciled::yaml {

/// Counted from 1, as editors do.
struct Mark {
  int line = 1;
  int column = 1;
  friend auto operator<=>(const Mark&, const Mark&) = default;
};

/// One thing that is wrong with a file. `key` is the path of the value, "timings.recovery_lease";
/// empty for the file.
struct Fault {
  Mark at;
  std::string key;
  std::string what;
};

enum class Kind { null, scalar, sequence, mapping };

struct Node;

struct Entry;  // a key of a mapping and its value

struct Node {
  Kind kind = Kind::null;
  Mark at;
  std::string text;     ///< of a scalar, as written
  bool quoted = false;  ///< "true" is a string, true is a boolean
  std::vector<Node> items;
  std::vector<Entry> entries;  ///< in file order, keys unique

  /// The value under `key` of a mapping; null if there is none or this is no mapping.
  const Node* find(std::string_view key) const noexcept;
};

struct Entry {
  std::string key;
  Mark at;
  Node value;
};

/// Limits of one file: bigger or deeper is a fault.
inline constexpr std::size_t kMostBytes = std::size_t{1024} * 1024;
inline constexpr int kMostDepth = 32;

struct Document {
  Node root;
  std::vector<Fault> faults;  ///< in file order; root is usable as far as it was read
};

/// Reads one document. Never throws. Faults: a syntax error (tabs as indent included), a duplicate
/// key, an anchor, alias, tag or merge key, a second document, an empty file, a key that is not a
/// scalar, invalid UTF-8, a byte order mark or NUL, more than kMostBytes or kMostDepth.
Document read(std::string_view text);

/// A report names this many faults, and counts the others.
inline constexpr std::size_t kMostReported = 20;

/// "FILE:LINE:COLUMN: KEY: WHAT", one a line, in the order given; after kMostReported of them
/// "FILE: and N more".
std::string report(std::string_view file, std::span<const Fault> faults);

/// `text` in double quotes for a message: control characters as \xNN, and cut after 60 bytes.
std::string quoted(std::string_view text);

/// The known word nearest to `word` by edit distance, at most two edits away and fewer edits than
/// it has letters; empty if none is that near. Words of more than 64 letters are never near.
std::string_view nearest(std::string_view word, std::span<const std::string_view> known) noexcept;

}  // namespace reconciled::yaml
