// SPDX-License-Identifier: Apache-2.0
#include "tests/support/wire.hpp"

#include <cstdint>

namespace reconciled::test {
namespace {

constexpr std::size_t kLengthSize = 4;
constexpr std::uint32_t kSslRequest = 80877103;
constexpr std::uint32_t kGssEncRequest = 80877104;
constexpr std::uint32_t kProtocol3 = 3U << 16U;

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (const char byte : bytes.substr(0, kLengthSize)) {
    value = (value << 8U) | static_cast<unsigned char>(byte);
  }
  return value;
}

std::uint32_t opening_code(const WireMessage& message) {
  return big_endian(std::string_view(message.bytes).substr(kLengthSize));
}

std::string text_until_null(std::string_view bytes) {
  return std::string(bytes.substr(0, bytes.find('\0')));
}

}  // namespace

std::vector<WireMessage> WireReader::read(std::string_view bytes) {
  rest_ += bytes;
  std::vector<WireMessage> messages;
  while (auto message = next()) {
    messages.push_back(std::move(*message));
  }
  return messages;
}

std::optional<WireMessage> WireReader::next() {
  if (single_byte_ && !rest_.empty()) {
    single_byte_ = false;
    WireMessage answer{rest_[0], rest_.substr(0, 1)};
    rest_.erase(0, 1);
    return answer;
  }
  const std::size_t head = untyped_ ? 0 : 1;
  const std::size_t needed = untyped_ ? 2 * kLengthSize : 1 + kLengthSize;  // length and code, type
  if (rest_.size() < needed) {
    return std::nullopt;
  }
  const std::size_t size = head + big_endian(std::string_view(rest_).substr(head));
  if (rest_.size() < size) {
    return std::nullopt;
  }
  WireMessage message{untyped_ ? '\0' : rest_[0], rest_.substr(0, size)};
  rest_.erase(0, size);
  if (untyped_ && opening_code(message) == kProtocol3) {
    untyped_ = false;
  }
  return message;
}

std::optional<std::string> statement_of(const WireMessage& from_client) {
  const std::string_view body = std::string_view(from_client.bytes).substr(kLengthSize);
  if (from_client.type == 'Q') {
    return text_until_null(body.substr(1));
  }
  if (from_client.type == 'B') {
    const std::string_view after_type = body.substr(1);
    return text_until_null(after_type.substr(after_type.find('\0') + 1));  // the portal comes first
  }
  return std::nullopt;
}

std::optional<std::string> command_tag_of(const WireMessage& from_server) {
  if (from_server.type != 'C') {
    return std::nullopt;
  }
  return text_until_null(std::string_view(from_server.bytes).substr(1 + kLengthSize));
}

bool asks_for_encryption(const WireMessage& from_client) {
  if (from_client.type != '\0') {
    return false;
  }
  const auto code = opening_code(from_client);
  return code == kSslRequest || code == kGssEncRequest;
}

}  // namespace reconciled::test
