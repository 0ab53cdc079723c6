// SPDX-License-Identifier: Apache-2.0
#include "reconcile/json.hpp"

#include <algorithm>
#include <array>
#include <boost/json/basic_parser_impl.hpp>
#include <functional>
#include <utility>

namespace reconciled::json {

namespace {
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kFewMembers = 16;    // up to here, comparing all pairs beats sorting
constexpr std::size_t kBytesPerNode = 16;  // of a typical answer: one allocation, little waste
}  // namespace

/// What Boost.JSON's parser calls. A false return stops it.
class Builder {
 public:
  using Code = boost::system::error_code;

  static constexpr std::size_t max_object_size = UINT32_MAX;
  static constexpr std::size_t max_array_size = UINT32_MAX;
  static constexpr std::size_t max_key_size = UINT32_MAX;
  static constexpr std::size_t max_string_size = UINT32_MAX;

  explicit Builder(std::string_view source) : source_(source) {
    document_.nodes_.reserve(source.size() / kBytesPerNode + 1);
  }

  Document take() { return std::move(document_); }
  bool has_duplicate() const noexcept { return has_duplicate_; }

  bool on_document_begin(Code& /*ec*/) const { return true; }
  bool on_document_end(Code& /*ec*/) const { return true; }
  bool on_object_begin(Code& /*ec*/) { return open(Kind::object); }
  bool on_array_begin(Code& /*ec*/) { return open(Kind::array); }
  bool on_array_end(std::size_t size, Code& /*ec*/) {
    close(size);
    return true;
  }
  bool on_object_end(std::size_t size, Code& ec) {
    const auto& object = close(size);
    has_duplicate_ = has_repeated_name(object);
    if (has_duplicate_) ec = boost::json::make_error_code(boost::json::error::syntax);
    return !has_duplicate_;
  }

  bool on_key_part(std::string_view part, std::size_t /*size*/, Code& /*ec*/) {
    return collect(part);
  }
  bool on_key(std::string_view last, std::size_t /*size*/, Code& /*ec*/) {
    name_ = finish(last);
    return true;
  }
  bool on_string_part(std::string_view part, std::size_t /*size*/, Code& /*ec*/) {
    return collect(part);
  }
  bool on_string(std::string_view last, std::size_t /*size*/, Code& /*ec*/) {
    return add(Kind::string, finish(last));
  }
  bool on_number_part(std::string_view part, Code& /*ec*/) { return collect(part); }
  bool on_int64(std::int64_t /*value*/, std::string_view last, Code& /*ec*/) {
    return add(Kind::number, finish(last));
  }
  bool on_uint64(std::uint64_t /*value*/, std::string_view last, Code& /*ec*/) {
    return add(Kind::number, finish(last));
  }
  bool on_double(double /*value*/, std::string_view last, Code& /*ec*/) {
    return add(Kind::number, finish(last));
  }
  bool on_bool(bool value, Code& /*ec*/) { return add(Kind::boolean, value ? "true" : "false"); }
  bool on_null(Code& /*ec*/) { return add(Kind::null, {}); }
  bool on_comment_part(std::string_view /*part*/, Code& /*ec*/) const { return true; }
  bool on_comment(std::string_view /*last*/, Code& /*ec*/) const { return true; }

 private:
  bool add(Kind kind, std::string_view text) {
    auto& node = document_.nodes_.emplace_back();
    node.kind = kind;
    node.text = text;
    node.name = std::exchange(name_, {});
    return true;
  }

  bool open(Kind kind) {
    open_[depth_++] = document_.nodes_.size();
    return add(kind, {});
  }

  const Node& close(std::size_t size) {
    auto& node = document_.nodes_[open_[--depth_]];
    node.size = static_cast<std::uint32_t>(size);
    node.skip = static_cast<std::uint32_t>(document_.nodes_.size() - open_[depth_]);
    return node;
  }

  // A text without escapes comes in one piece, straight from the source, and needs no copy. Any
  // other comes in parts, or from a buffer of the parser's own.
  bool collect(std::string_view part) {
    if (!collecting_) document_.decoded_.emplace_front();
    collecting_ = true;
    document_.decoded_.front().append(part);
    return true;
  }

  std::string_view finish(std::string_view last) {
    if (!collecting_ && is_in_source(last)) return last;
    collect(last);
    collecting_ = false;
    return document_.decoded_.front();
  }

  bool is_in_source(std::string_view text) const noexcept {
    const std::less_equal<const char*> before;
    return before(source_.data(), text.data()) &&
           before(text.data() + text.size(), source_.data() + source_.size());
  }

  static bool has_repeated_name(const Node& object) {
    if (object.size <= kFewMembers) {
      for (auto a = object.begin(); a != object.end(); ++a) {
        auto b = a;
        for (++b; b != object.end(); ++b)
          if ((*a).name == (*b).name) return true;
      }
      return false;
    }
    std::vector<std::string_view> names;
    names.reserve(object.size);
    for (const auto& member : object) names.push_back(member.name);
    std::sort(names.begin(), names.end());
    return std::adjacent_find(names.begin(), names.end()) != names.end();
  }

  std::string_view source_;
  Document document_;
  std::array<std::size_t, kMostDepth> open_{};  // where each container began that is still open
  std::size_t depth_ = 0;
  std::string_view name_;  // of the member whose value comes next
  bool collecting_ = false;
  bool has_duplicate_ = false;
};

std::string_view describe(Kind kind) noexcept {
  switch (kind) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return "a boolean";
    case Kind::number:
      return "a number";
    case Kind::string:
      return "a string";
    case Kind::array:
      return "an array";
    case Kind::object:
      return "an object";
  }
  return "nothing";
}

const Node* Node::find(std::string_view member) const noexcept {
  if (!is(Kind::object)) return nullptr;
  for (const auto& child : *this)
    if (child.name == member) return &child;
  return nullptr;
}

const Node* Node::at(std::size_t index) const noexcept {
  if (!is(Kind::array) || index >= size) return nullptr;
  for (const auto& child : *this)
    if (index-- == 0) return &child;
  return nullptr;
}

std::optional<std::string_view> Node::scalar() const noexcept {
  if (is(Kind::string) || is(Kind::number) || is(Kind::boolean)) return text;
  return std::nullopt;
}

ReadResult read(std::string_view text) {
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark)
    text.remove_prefix(kByteOrderMark.size());
  if (text.empty()) return {std::nullopt, "the body is empty"};
  boost::json::parse_options options;
  options.max_depth = kMostDepth;
  boost::json::basic_parser<Builder> parser(options, text);
  Builder::Code ec;
  const auto used = parser.write_some(false, text.data(), text.size(), ec);
  if (parser.handler().has_duplicate())
    return {std::nullopt, "the JSON names one member of an object twice"};
  if (ec) return {std::nullopt, "the body is no valid JSON: " + ec.message()};
  if (used != text.size()) return {std::nullopt, "something follows the JSON"};
  return {parser.handler().take(), {}};
}

}  // namespace reconciled::json
