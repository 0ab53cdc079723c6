// SPDX-License-Identifier: Apache-2.0
#include "base/secret.hpp"

#include <cstring>
#include <utility>

namespace reconciled {

Secret::Secret(std::string_view text)
    : bytes_(text.empty() ? nullptr : new char[text.size()]), size_(text.size()) {
  if (bytes_) std::memcpy(bytes_.get(), text.data(), size_);
}

Secret::Secret(Secret&& other) noexcept
    : bytes_(std::move(other.bytes_)), size_(std::exchange(other.size_, 0)) {}

Secret& Secret::operator=(Secret&& other) noexcept {
  if (this == &other) return *this;
  wipe();
  bytes_ = std::move(other.bytes_);
  size_ = std::exchange(other.size_, 0);
  return *this;
}

Secret::~Secret() { wipe(); }

void Secret::wipe() noexcept {
  // explicit_bzero and not memset, which the compiler may drop before a free.
  if (bytes_) explicit_bzero(bytes_.get(), size_);
}

}  // namespace reconciled
