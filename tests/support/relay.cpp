// SPDX-License-Identifier: Apache-2.0
#include "tests/support/relay.hpp"

#include <utility>

namespace reconciled::test {
namespace {

/// Names of prepared statements match whole ("record" is not "record_one"), texts by their start.
bool matches(std::string_view statement, std::string_view wanted) {
  const bool is_text = statement.find(' ') != std::string_view::npos;
  return wanted.empty() || statement == wanted || (is_text && statement.starts_with(wanted));
}

}  // namespace

void Gate::set(Plan plan) {
  const std::lock_guard lock(mutex_);
  plan_ = std::move(plan);
}

Fault Gate::fault() const {
  const std::lock_guard lock(mutex_);
  return plan_.fault;
}

Counts Gate::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

bool Gate::wait_for_hits(int hits, std::chrono::seconds at_most) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, at_most, [&] { return counts_.hits >= hits; });
}

void Gate::connected() {
  const std::lock_guard lock(mutex_);
  ++counts_.connections;
}

void Gate::requested(const std::string& statement) {
  const std::lock_guard lock(mutex_);
  ++counts_.statements[statement];
}

bool Gate::takes(Fault fault, std::string_view statement, std::string_view tag) {
  const std::lock_guard lock(mutex_);
  if (plan_.fault != fault || plan_.times <= 0 || !matches(statement, plan_.statement) ||
      !tag.starts_with(plan_.tag)) {
    return false;
  }
  if (plan_.skip > 0) {
    --plan_.skip;
    return false;
  }
  --plan_.times;
  ++counts_.hits;
  changed_.notify_all();
  return true;
}

namespace {

/// An answer is kept from its CommandComplete on until ReadyForQuery: in the extended protocol the
/// server sends CommandComplete before it commits, and only ReadyForQuery says that it has.
class PostgresRelay : public Relay {
 public:
  explicit PostgresRelay(Gate& gate) : gate_(gate) {}

  Passage from_client(std::string_view bytes) override {
    Passage passage;
    for (const auto& message : client_.read(bytes)) {
      if (asks_for_encryption(message)) {
        server_.expect_encryption_answer();
      }
      if (const auto statement = statement_of(message)) {
        statement_ = *statement;
        gate_.requested(statement_);
        if (gate_.takes(Fault::lose_request, statement_, "")) {
          return {{}, Passage::Then::reset};
        }
      }
      passage.forward += message.bytes;
    }
    return passage;
  }

  Passage from_server(std::string_view bytes) override {
    Passage passage;
    for (const auto& message : server_.read(bytes)) {
      consider(message);
      std::string& out = kept_for_ == Fault::none ? passage.forward : kept_;
      out += message.bytes;
      if (message.type == 'E') {  // not committed: nothing to lose
        passage.forward += std::exchange(kept_, {});
        kept_for_ = Fault::none;
      } else if (message.type == 'Z' && kept_for_ == Fault::lose_answer) {
        return {passage.forward, Passage::Then::reset};
      } else if (message.type == 'Z' && kept_for_ == Fault::hold_answer) {
        kept_for_ = Fault::none;
        return {passage.forward, Passage::Then::hold, std::exchange(kept_, {})};
      }
    }
    return passage;
  }

 private:
  void consider(const WireMessage& message) {
    const auto tag = command_tag_of(message);
    if (!tag || kept_for_ != Fault::none) {
      return;
    }
    for (const Fault fault : {Fault::lose_answer, Fault::hold_answer}) {
      if (gate_.takes(fault, statement_, *tag)) {
        kept_for_ = fault;
        return;
      }
    }
  }

  Gate& gate_;
  WireReader client_{WireReader::Side::client};
  WireReader server_{WireReader::Side::server};
  std::string statement_;
  Fault kept_for_ = Fault::none;
  std::string kept_;
};

/// One request at a time, as HTTP/1.1 clients send them: the first bytes after an answer begin the
/// next request. Any byte of an answer shows that the server has done it.
class HttpRelay : public Relay {
 public:
  explicit HttpRelay(Gate& gate) : gate_(gate) {}

  Passage from_client(std::string_view bytes) override {
    if (answered_) {
      answered_ = false;
      request_line_ = std::string(bytes.substr(0, bytes.find('\r')));
      gate_.requested(request_line_);
      if (gate_.takes(Fault::lose_request, request_line_, "")) {
        return {{}, Passage::Then::reset};
      }
    }
    return {std::string(bytes)};
  }

  Passage from_server(std::string_view bytes) override {
    if (!std::exchange(answered_, true)) {
      if (gate_.takes(Fault::lose_answer, request_line_, "")) {
        return {{}, Passage::Then::reset};
      }
      if (gate_.takes(Fault::hold_answer, request_line_, "")) {
        return {{}, Passage::Then::hold, std::string(bytes)};
      }
    }
    return {std::string(bytes)};
  }

 private:
  Gate& gate_;
  bool answered_ = true;
  std::string request_line_;
};

}  // namespace

std::unique_ptr<Relay> make_relay(Protocol protocol, Gate& gate) {
  if (protocol == Protocol::http) {
    return std::make_unique<HttpRelay>(gate);
  }
  return std::make_unique<PostgresRelay>(gate);
}

}  // namespace reconciled::test
