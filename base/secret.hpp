// SPDX-License-Identifier: Apache-2.0
// A text that must not be seen: it does not print, and its memory is wiped (design G13).
#pragma once

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <string_view>

namespace reconciled {

/// Owns its bytes in one buffer of fixed size: nothing is left behind by a move or by growing, as
/// it would be with std::string.
class Secret {
 public:
  Secret() noexcept = default;
  explicit Secret(std::string_view text);
  Secret(Secret&& other) noexcept;
  Secret& operator=(Secret&& other) noexcept;
  Secret(const Secret&) = delete;  // a copy is asked for by name
  Secret& operator=(const Secret&) = delete;
  ~Secret();

  Secret copy() const { return Secret{reveal()}; }

  /// For the one place that sends it. Valid as long as this object; never log it.
  std::string_view reveal() const noexcept { return {bytes_.get(), size_}; }
  bool empty() const noexcept { return size_ == 0; }

 private:
  void wipe() noexcept;

  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
};

// There is no fmt::formatter either, so that fmt and spdlog refuse it at compile time.
std::ostream& operator<<(std::ostream&, const Secret&) = delete;

}  // namespace reconciled
