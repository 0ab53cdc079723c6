// SPDX-License-Identifier: Apache-2.0
#include "tests/support/test_world.hpp"

#include <algorithm>
#include <boost/beast/core/string.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <stdexcept>

namespace reconciled::test {
namespace json = boost::json;
namespace {

constexpr std::chrono::seconds kPatience{20};
constexpr std::size_t kPageOfRows = 100;

Cut cut_named(std::string_view name) {
  constexpr std::pair<std::string_view, Cut> kNames[] = {
      {"none", Cut::none},         {"before-answer", Cut::before_answer},
      {"close", Cut::close},       {"mid-headers", Cut::mid_headers},
      {"mid-body", Cut::mid_body}, {"wrong-length", Cut::wrong_length},
      {"never", Cut::never}};
  for (const auto& [known, cut] : kNames) {
    if (known == name) return cut;
  }
  throw std::invalid_argument{"unknown cut: " + std::string{name}};
}

std::string text(const json::value& value) {
  return value.is_string() ? std::string{value.as_string()} : json::serialize(value);
}

/// What a script's line says of behaviour; false if it says nothing.
bool read_behaviour(const json::object& line, Behaviour& behaviour) {
  bool any = false;
  for (const auto& [name, value] : line) {
    if (name == "key" || name == "credits" || name == "times" || name == "forget") continue;
    any = true;
    if (name == "status") {
      behaviour.status = value.to_number<int>();
    } else if (name == "headers") {
      for (const auto& [key, of] : value.as_object()) {
        const auto lines = of.is_array() ? of.as_array() : json::array{of};
        for (const auto& line_of : lines) behaviour.headers.emplace_back(key, text(line_of));
      }
    } else if (name == "body") {
      behaviour.body = text(value);
    } else if (name == "type") {
      behaviour.type = text(value);
    } else if (name == "delay_ms") {
      behaviour.delay = std::chrono::milliseconds{value.to_number<int>()};
    } else if (name == "cut") {
      behaviour.cut = cut_named(text(value));
    } else if (name == "gzip") {
      behaviour.gzip = value.as_bool();
    } else if (name == "dribble") {
      behaviour.dribble = value.as_bool();
    } else {
      throw std::invalid_argument{"unknown word in a script: " + std::string{name}};
    }
  }
  return any;
}

int hex(char digit) {
  int value = 0;
  std::from_chars(&digit, &digit + 1, value, 16);
  return value;
}

std::string decoded(std::string_view part) {
  std::string out;
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part[i] == '%' && i + 2 < part.size()) {
      out += static_cast<char>(hex(part[i + 1]) * 16 + hex(part[i + 2]));
      i += 2;
    } else {
      out += part[i] == '+' ? ' ' : part[i];
    }
  }
  return out;
}

Reply problem(int status, std::string_view what) {
  return {status, json::serialize(json::object{{"error", what}}), {}};
}

}  // namespace

std::string query_value(std::string_view target, std::string_view name) {
  auto rest = target.substr(std::min(target.find('?'), target.size()));
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const auto pair = rest.substr(0, rest.find('&'));
    const auto equals = std::min(pair.find('='), pair.size());
    if (decoded(pair.substr(0, equals)) == name) {
      return decoded(pair.substr(std::min(equals + 1, pair.size())));
    }
    rest.remove_prefix(pair.size());
  }
  return {};
}

std::string Seen::header(std::string_view name) const {
  for (const auto& [known, value] : headers) {
    if (boost::beast::iequals(known, name)) return value;
  }
  return {};
}

void TestWorld::credit(const std::string& key, json::object row) {
  const std::lock_guard lock{mutex_};
  credits_[key].push_back(std::move(row));
}

void TestWorld::forget_credits(const std::string& key) {
  const std::lock_guard lock{mutex_};
  credits_.erase(key);
}

void TestWorld::then(const std::string& key, std::vector<Behaviour> behaviours) {
  const std::lock_guard lock{mutex_};
  auto& queue = once_[key];
  queue.insert(queue.end(), behaviours.begin(), behaviours.end());
}

void TestWorld::always(const std::string& key, Behaviour behaviour) {
  const std::lock_guard lock{mutex_};
  always_[key] = std::move(behaviour);
}

void TestWorld::forget_scripts() {
  const std::lock_guard lock{mutex_};
  once_.clear();
  always_.clear();
}

void TestWorld::apply(std::string_view text_of_line) {
  const auto parsed = json::parse(text_of_line);
  const auto& line = parsed.as_object();
  if (line.contains("forget")) return forget_scripts();
  const auto* const key_value = line.if_contains("key");
  const auto key = key_value == nullptr ? std::string{} : text(*key_value);
  if (const auto* const credits = line.if_contains("credits")) {
    const std::lock_guard lock{mutex_};
    credits_[key] = credits->as_array();
  }
  Behaviour behaviour;
  if (!read_behaviour(line, behaviour)) return;
  if (const auto* const times = line.if_contains("times")) {
    then(key, std::vector(times->to_number<std::size_t>(), behaviour));
  } else {
    always(key, behaviour);
  }
}

Behaviour TestWorld::behaviour_for(const std::string& key) {
  for (const auto& name : {key, std::string{}}) {
    if (const auto queue = once_.find(name); queue != once_.end() && !queue->second.empty()) {
      auto next = std::move(queue->second.front());
      queue->second.pop_front();
      return next;
    }
    if (const auto known = always_.find(name); known != always_.end()) return known->second;
  }
  return {};
}

Reply TestWorld::respond(Seen request) {
  const std::lock_guard lock{mutex_};
  auto key = query_value(request.target, "key");
  request.key = key.empty() ? request.header("Idempotency-Key") : std::move(key);
  // Done before its answer is spoilt: that is how an outcome gets lost.
  auto reply = normal(request);
  reply.how = behaviour_for(request.key);
  if (reply.how.status != 0) reply.status = reply.how.status;
  if (reply.how.body) reply.body = *reply.how.body;
  requests_.push_back(std::move(request));
  changed_.notify_all();
  return reply;
}

Reply TestWorld::normal(const Seen& request) {
  const std::string_view target = request.target;
  if (target.substr(0, target.find('?')) != "/v1/credits") return problem(404, "no such place");
  if (request.method == "GET") return list(request);
  if (request.method == "POST") return create(request);
  return problem(405, "no such method");
}

Reply TestWorld::list(const Seen& request) const {
  const auto known = credits_.find(request.key);
  const json::array none;
  const auto& rows = known == credits_.end() ? none : known->second;
  std::size_t limit = kPageOfRows;
  if (const auto asked = query_value(request.target, "limit"); !asked.empty()) {
    std::from_chars(asked.data(), asked.data() + asked.size(), limit);
  }
  const auto after = query_value(request.target, "starting_after");
  auto row = rows.begin();
  if (!after.empty()) {
    row = std::find_if(rows.begin(), rows.end(),
                       [&](const json::value& it) { return text(it.at("id")) == after; });
    if (row == rows.end()) return problem(400, "no such starting_after");
    ++row;
  }
  json::array page;
  for (; row != rows.end() && page.size() < limit; ++row) page.push_back(*row);
  return {200, json::serialize(json::object{{"data", page}, {"has_more", row != rows.end()}}), {}};
}

/// Atomic for each key, as a provider that documents it would be: the same key replays.
Reply TestWorld::create(const Seen& request) {
  if (request.key.empty()) return problem(400, "Idempotency-Key is missing");
  auto& held = credits_[request.key];
  if (held.empty()) {
    boost::system::error_code error;
    const auto body = json::parse(request.body, error);
    if (error || !body.is_object()) return problem(400, "the body is no JSON object");
    auto row = body.as_object();
    row["id"] = "cr_" + std::to_string(++created_);
    row["key"] = request.key;
    row["state"] = "posted";
    held.push_back(std::move(row));
  }
  return {201, json::serialize(held.front()), {}};
}

std::vector<Seen> TestWorld::requests() const {
  const std::lock_guard lock{mutex_};
  return requests_;
}

std::size_t TestWorld::request_count() const {
  const std::lock_guard lock{mutex_};
  return requests_.size();
}

bool TestWorld::wait_for_requests(std::size_t count) const {
  std::unique_lock lock{mutex_};
  return changed_.wait_for(lock, kPatience, [&] { return requests_.size() >= count; });
}

std::string TestWorld::ledger() const {
  std::string out;
  for (const auto& it : requests()) {
    json::object headers;
    for (const auto& [name, value] : it.headers) headers[name] = value;
    out += json::serialize(json::object{{"method", it.method},
                                        {"target", it.target},
                                        {"key", it.key},
                                        {"connection", it.connection},
                                        {"headers", headers},
                                        {"body", it.body}}) +
           "\n";
  }
  return out;
}

}  // namespace reconciled::test
