// SPDX-License-Identifier: Apache-2.0
// The one declaration of every key: what reads, prints, compares and documents the settings walks
// over this table.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "daemon/settings.hpp"

namespace reconciled {

// How a value is reached in Settings, and what it may be. Ranges include both ends.

struct Flag {
  bool& (*of)(Settings&);
};
struct Count {
  int& (*of)(Settings&);
  int least, most;
};
struct Span {
  Duration& (*of)(Settings&);
  Duration least, most;
};
struct Bytes {
  std::size_t& (*of)(Settings&);
  std::size_t least, most;
};
struct Choice {
  std::span<const std::string_view> words;
  std::size_t (*get)(const Settings&);
  void (*set)(Settings&, std::size_t);
};
struct Word {
  std::string& (*of)(Settings&);
  std::string_view form;  ///< what it is, for people: "a path"
  /// What is wrong with a text, without repeating it; empty if nothing is.
  std::string (*fault)(std::string_view);
};

using Target = std::variant<Flag, Count, Span, Bytes, Choice, Word>;

enum class OnReload { applied, needs_restart };

struct Setting {
  std::string_view key;      ///< "recovery.poll_interval"
  std::string_view initial;  ///< the default as one would write it; empty: none
  Target target;
  OnReload on_reload;
  std::string_view help;  ///< one sentence, without markup
  bool required = false;
  bool hides = false;             ///< may hold a secret: its value is never repeated in a message
  std::string_view without = {};  ///< what holds where no value is given: "the host name"
};

/// In the order of the default file; keys of one section stand together.
std::span<const Setting> all_settings();

/// "recovery" of "recovery.poll_interval"; empty for a key of no section.
std::string_view section_of(const Setting& setting);
/// "poll_interval".
std::string_view name_of(const Setting& setting);

/// "duration, 10ms to 1h", "true or false", "one of none, session".
std::string type_text(const Setting& setting);
/// "5s", or what holds without a value.
std::string_view default_text(const Setting& setting);

/// What is wrong with `text` as a value of this setting, for a message; empty if it was assigned.
std::string assign(Settings& settings, const Setting& setting, std::string_view text);

/// The effective value as one would write it, unquoted and unmasked: for comparing.
std::string raw_text(const Settings& settings, const Setting& setting);
/// The same for printing: a password is "***".
std::string value_text(const Settings& settings, const Setting& setting);

}  // namespace reconciled
