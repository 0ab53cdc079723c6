// SPDX-License-Identifier: Apache-2.0
// The one declaration of every event (design section 11): its name in text and JSON, its MESSAGE_ID
// in the journal, and whether repeats are limited. A new event is one row here, its entry in
// packaging/reconciled.catalog and its paragraph in
// reconciled-monitoring(7); tests compare all of them.
#pragma once

#include <string_view>

namespace reconciled {

enum class Repeats {
  limited,   ///< a flood of them says no more than the first ones
  all_told,  ///< cannot come in floods, or is asked for at level debug
  money      ///< all told, and kept room for where the log is not read
};

struct EventKind {
  std::string_view name;
  std::string_view message_id;  ///< random (systemd-id128 new), and never used again
  Repeats repeats;
};

inline constexpr EventKind kEvents[] = {
    {"started", "0781ad6b206d4a61ac9644a0c8b62067", Repeats::all_told},
    {"stopping", "6d44035f4b4544a98bac766702f755e1", Repeats::all_told},
    {"config_reloaded", "d249eedf1d2145ac93cc3babee2d0ca4", Repeats::all_told},
    {"config_rejected", "0f8e740ed2d2454a9f12c48b319127ef", Repeats::all_told},
    {"taken_over", "20dc51b5318547a4a2b8044ef39e6a06", Repeats::all_told},
    {"recorded", "bb24881267bb4448b32bea30bdd00d52", Repeats::money},
    {"ownership_lost", "2492a43b4320436fab3b8ab14e9be02f", Repeats::limited},
    {"record_refused", "37108c9fd2a342b98293930463ba4031", Repeats::limited},
    {"resubmitted", "0f3b3940095047059fcf0acdaa0f3ae6", Repeats::money},
    {"resubmission_off", "628cae048a6f4befbb361f303698930c", Repeats::money},
    {"late_truth", "1b56e22612c34884bc3e3bbbdd57cc3b", Repeats::money},
    {"handed_back", "ab39ca3572df4b59935384a608597393", Repeats::all_told},
    {"provider_unavailable", "c42dc39a58d94bd9a7db774cb34fc1d3", Repeats::limited},
    {"provider_available", "f2c3f6aecf164e9db50260ca2279afb0", Repeats::limited},
    {"database_lost", "c3a21a2c290448e8a39c06770212fd95", Repeats::limited},
    {"database_back", "dc914195fdf94507ace1f1eb494b3c46", Repeats::limited},
    {"cleanup_swept", "24474eba85584aa5a996c196c7c16043", Repeats::limited},
    {"cleanup_refused", "317c246d934d4f1db523653509afe1a8", Repeats::all_told},
    {"clock_step", "927554374d0543f093e6edca3a10cb69", Repeats::limited},
    {"idempotency_answer_lost", "c2c3abe2ff764c49b249e47482ca87db", Repeats::money},
    {"defect", "74fd1d3d1d994e42b57980b856f63e6b", Repeats::limited},
};

namespace detail {
/// Not constexpr: to call it while a name is compiled is an error that shows this name.
void this_event_is_not_in_the_table();
}  // namespace detail

/// An event's name, checked against the table when it is compiled.
class EventName {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a literal is meant to do.
  consteval EventName(const char* name)
      : kind_(find(name)), limited_(kind_->repeats == Repeats::limited) {}

  /// The same event where it may come in floods: what is alike in `sort` is limited together.
  constexpr EventName repeating(std::string_view sort) const {
    auto name = *this;
    name.limited_ = true;
    name.sort_ = sort;
    return name;
  }

  constexpr const EventKind& kind() const noexcept { return *kind_; }
  constexpr bool about_money() const noexcept {
    return kind_->repeats == Repeats::money && !limited_;
  }
  constexpr bool limited() const noexcept { return limited_; }
  constexpr std::string_view sort() const noexcept { return sort_; }

 private:
  static consteval const EventKind* find(std::string_view name) {
    for (const auto& kind : kEvents)
      if (kind.name == name) return &kind;
    detail::this_event_is_not_in_the_table();
    return nullptr;
  }

  const EventKind* kind_;
  bool limited_;
  std::string_view sort_ = {};
};

}  // namespace reconciled
