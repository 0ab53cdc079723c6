// SPDX-License-Identifier: Apache-2.0
// PostgreSQL's protocol 3, as far as a proxy must read it to know what it lets through.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reconciled::test {

/// A whole message with its type byte; '\0' for the untyped ones that open a session. The single
/// byte that answers a request for encryption is a message of that type.
struct WireMessage {
  char type = '\0';
  std::string bytes;
};

/// Cuts the bytes of one direction into messages. Bytes of a message that is not complete yet are
/// kept for the next call.
class WireReader {
 public:
  enum class Side { client, server };
  explicit WireReader(Side side) : untyped_(side == Side::client) {}

  std::vector<WireMessage> read(std::string_view bytes);
  /// The server's next byte is its answer to a request for encryption, not a message.
  void expect_encryption_answer() { single_byte_ = true; }

 private:
  std::optional<WireMessage> next();

  std::string rest_;
  bool untyped_;
  bool single_byte_ = false;
};

/// What a client's message runs: the prepared statement's name in a Bind, the text of a simple
/// query. Nothing for other messages.
std::optional<std::string> statement_of(const WireMessage& from_client);
/// "UPDATE 3" in a server's CommandComplete. Nothing for other messages.
std::optional<std::string> command_tag_of(const WireMessage& from_server);
/// An SSLRequest or a GSSENCRequest.
bool asks_for_encryption(const WireMessage& from_client);

}  // namespace reconciled::test
