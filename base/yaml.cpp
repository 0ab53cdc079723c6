// SPDX-License-Identifier: Apache-2.0
// The tree is built from yaml-cpp's events and not from YAML::Load, because only the events show
// what a loaded tree has already swallowed: duplicates, tags, anchors and further documents.
#include "base/yaml.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <unordered_map>

#include "base/utf8.hpp"

namespace reconciled::yaml {
namespace {

Mark mark_of(const YAML::Mark& mark) noexcept { return {mark.line + 1, mark.column + 1}; }

Node make_node(Kind kind, const YAML::Mark& mark) {
  Node node;
  node.kind = kind;
  node.at = mark_of(mark);
  return node;
}

/// One open mapping or sequence.
struct Frame {
  Node node;
  bool waits_for_value = false;  // of a mapping: the key has been read
  bool value_is_dropped = false;
  Entry entry = {};  // of a mapping: the one being read
  std::unordered_map<std::string, Mark> keys = {};
};

class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::vector<Fault>& faults) : faults_(faults) {}

  /// Closes what a syntax error left open, so that the part before it can still be judged.
  Node take_root() {
    while (!frames_.empty()) close();
    return std::move(root_);
  }
  Mark started_at() const noexcept { return started_at_; }
  Mark last_scalar() const noexcept { return last_scalar_; }

  void OnDocumentStart(const YAML::Mark& mark) override { started_at_ = mark_of(mark); }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(make_node(Kind::null, mark), "", anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    if (expects_key()) return refuse_key(mark_of(mark));
    fault(mark_of(mark), "an alias is not supported: write the value out");
    if (in_mapping()) frames_.back().waits_for_value = false;  // no half-known value in the tree
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    last_scalar_ = mark_of(mark);
    // yaml-cpp gives an untagged plain scalar "?" and an untagged quoted or block scalar "!".
    auto node = make_node(Kind::scalar, mark);
    node.text = value;
    node.quoted = tag != "?";
    add(std::move(node), tag, anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(make_node(Kind::sequence, mark), tag, anchor);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(make_node(Kind::mapping, mark), tag, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  bool in_mapping() const { return !frames_.empty() && frames_.back().node.kind == Kind::mapping; }
  bool expects_key() const { return in_mapping() && !frames_.back().waits_for_value; }

  std::string path() const {
    std::string text;
    for (const auto& frame : frames_) {
      if (frame.node.kind == Kind::sequence) {
        text += "[" + std::to_string(frame.node.items.size()) + "]";
      } else if (frame.waits_for_value) {
        text += (text.empty() ? "" : ".") + frame.entry.key;
      }
    }
    return text;
  }

  void fault(Mark at, std::string what) { faults_.push_back({at, path(), std::move(what)}); }

  void refuse_decoration(Mark at, const std::string& tag, YAML::anchor_t anchor) {
    if (anchor != 0)
      fault(at, "an anchor is not supported: write the value out where it is needed");
    if (tag.size() > 1) fault(at, "a tag is not supported: remove it");
  }

  /// The value that follows is read, for its own faults, and thrown away.
  void begin_value(Entry entry, bool dropped) {
    auto& frame = frames_.back();
    frame.entry = std::move(entry);
    frame.waits_for_value = true;
    frame.value_is_dropped = dropped;
  }

  void refuse_key(Mark at) {
    begin_value({.key = "?", .at = at, .value = {}}, true);
    fault(at, "a key must be a plain word");
  }

  void read_key(const Node& key, const std::string& tag, YAML::anchor_t anchor) {
    if (key.kind != Kind::scalar) return refuse_key(key.at);
    auto& keys = frames_.back().keys;
    const auto [first, is_new] = keys.emplace(key.text, key.at);
    const bool merges = key.text == "<<" && !key.quoted;
    begin_value({.key = key.text, .at = key.at, .value = {}}, !is_new || merges);
    refuse_decoration(key.at, tag, anchor);
    if (merges) {
      fault(key.at, "a merge key is not supported: write the values out");
    } else if (!is_new) {
      fault(key.at, "duplicate key, first in line " + std::to_string(first->second.line));
    }
  }

  void add(Node node, const std::string& tag, YAML::anchor_t anchor) {
    if (expects_key()) return read_key(node, tag, anchor);
    refuse_decoration(node.at, tag, anchor);
    attach(std::move(node));
  }

  void open(Node node, const std::string& tag, YAML::anchor_t anchor) {
    if (frames_.size() >= static_cast<std::size_t>(kMostDepth))
      throw YAML::ParserException(depth_mark(node.at),
                                  "nested deeper than " + std::to_string(kMostDepth) + " levels");
    if (expects_key()) {  // "? [a, b] : c"
      refuse_key(node.at);
      keys_being_skipped_.push_back(frames_.size());
    } else {
      refuse_decoration(node.at, tag, anchor);
    }
    frames_.push_back({.node = std::move(node)});
  }

  static YAML::Mark depth_mark(Mark at) {
    YAML::Mark mark;
    mark.line = at.line - 1;
    mark.column = at.column - 1;
    return mark;
  }

  void close() {
    auto node = std::move(frames_.back().node);
    frames_.pop_back();
    if (!keys_being_skipped_.empty() && keys_being_skipped_.back() == frames_.size()) {
      keys_being_skipped_.pop_back();  // that was a key; its value is still to come
      return;
    }
    attach(std::move(node));
  }

  void attach(Node node) {
    if (frames_.empty()) {
      root_ = std::move(node);
      return;
    }
    auto& frame = frames_.back();
    if (frame.node.kind == Kind::sequence) {
      frame.node.items.push_back(std::move(node));
      return;
    }
    frame.waits_for_value = false;
    if (frame.value_is_dropped) return;
    frame.entry.value = std::move(node);
    frame.node.entries.push_back(std::move(frame.entry));
  }

  std::vector<Fault>& faults_;
  std::vector<Frame> frames_;
  std::vector<std::size_t> keys_being_skipped_;
  Node root_;
  Mark started_at_;
  Mark last_scalar_;
};

Mark place_of(std::string_view text, std::size_t offset) {
  const auto before = text.substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const auto line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {static_cast<int>(line), static_cast<int>(offset - line_start) + 1};
}

/// A control character other than tab, line feed and carriage return; size() if there is none.
std::size_t first_control_character(std::string_view text) {
  const auto found = std::find_if(text.begin(), text.end(), [](unsigned char byte) {
    return byte == 0x7f || (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r');
  });
  return static_cast<std::size_t>(found - text.begin());
}

/// What makes the bytes unfit to be parsed at all.
bool refuse_bytes(std::string_view text, std::vector<Fault>& faults) {
  if (text.size() > kMostBytes) {
    faults.push_back({{}, "", "larger than " + std::to_string(kMostBytes) + " bytes"});
  } else if (text.starts_with("\xef\xbb\xbf")) {
    faults.push_back({{}, "", "starts with a byte order mark: save the file without one"});
  } else if (const auto good = valid_utf8_prefix(text); good < text.size()) {
    faults.push_back({place_of(text, good), "", "not valid UTF-8"});
  } else if (const auto at = first_control_character(text); at < text.size()) {
    faults.push_back({place_of(text, at), "", "a control character: this is not a text file"});
  }
  return !faults.empty();
}

std::string_view take_line(std::string_view& rest) {
  const auto line = rest.substr(0, std::min(rest.find('\n'), rest.size() - 1) + 1);
  rest.remove_prefix(line.size());
  return line;
}

std::string_view indent_of(std::string_view line) {
  return line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

bool opens_a_block(std::string_view line) {
  const auto last = line.find_last_not_of(" \t\r\n");
  return last != std::string_view::npos && line[last] == ':';
}

/// yaml-cpp stops for good at a tab used as indentation, or takes the line for part of a text. So
/// such lines are found first and indented as was probably meant: the faults behind them are then
/// reported in the same run. The file is refused either way.
std::string without_tab_indents(std::string_view text, std::vector<Fault>& faults) {
  std::string kept;
  kept.reserve(text.size());
  std::size_t indent_before = 0;
  bool is_deeper = false;
  for (int line_number = 1; !text.empty(); ++line_number) {
    const auto line = take_line(text);
    if (is_blank(line)) {
      kept += '\n';
      continue;
    }
    auto indent = std::string(indent_of(line));
    if (const auto tab = indent.find('\t'); tab != std::string::npos) {
      faults.push_back(
          {{line_number, static_cast<int>(tab) + 1}, "", "a tab as indentation: use spaces"});
      indent.assign(indent_before + (is_deeper ? 2 : 0), ' ');
    }
    const auto rest = line.substr(indent_of(line).size());
    kept.append(indent).append(rest);
    if (rest.starts_with('#')) continue;
    indent_before = indent.size();
    is_deeper = opens_a_block(rest);
  }
  return kept;
}

/// The path of the first key that stands in this line; empty if there is none.
std::string key_in_line(const Node& node, int line, const std::string& path) {
  std::size_t item = 0;
  for (const auto& value : node.items) {
    auto found = key_in_line(value, line, path + "[" + std::to_string(item++) + "]");
    if (!found.empty()) return found;
  }
  for (const auto& entry : node.entries) {
    auto entry_path = path.empty() ? entry.key : path + "." + entry.key;
    if (entry.at.line == line) return entry_path;
    auto found = key_in_line(entry.value, line, entry_path);
    if (!found.empty()) return found;
  }
  return "";
}

/// yaml-cpp takes the end of the file for the end of a quoted text, and so loses every key behind a
/// forgotten quote. Only the last scalar can be such a one.
bool is_closed(std::string_view text, Mark scalar) {
  for (int line = 1; line < scalar.line && !text.empty(); ++line) take_line(text);
  text.remove_prefix(std::min(static_cast<std::size_t>(scalar.column - 1), text.size()));
  if (text.empty() || (text[0] != '"' && text[0] != '\'')) return true;
  const char quote = text[0];
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\') {
      ++at;
    } else if (text[at] == quote) {
      if (quote == '"' || at + 1 == text.size() || text[at + 1] != quote) return true;
      ++at;  // '' inside single quotes
    }
  }
  return false;
}

void refuse_second_document(YAML::Parser& parser, std::vector<Fault>& faults) {
  std::vector<Fault> ignored;
  TreeBuilder second{ignored};
  Mark at;
  try {
    if (!parser.HandleNextDocument(second)) return;
    at = second.started_at();
  } catch (const YAML::Exception& error) {  // whatever is wrong with it: it should not be there
    at = mark_of(error.mark);
  }
  faults.push_back({at, "", "a second document: keep one in a file"});
}

void read_documents(const std::string& text, Document& document) {
  std::istringstream stream{text};
  TreeBuilder builder{document.faults};
  try {
    YAML::Parser parser{stream};
    parser.HandleNextDocument(builder);
    document.root = builder.take_root();
    if (document.root.kind == Kind::null)
      document.faults.push_back({builder.started_at(), "", "the file is empty"});
    if (!is_closed(text, builder.last_scalar()))
      document.faults.push_back({builder.last_scalar(), "", "a quoted text that is never closed"});
    refuse_second_document(parser, document.faults);
  } catch (const YAML::Exception& error) {
    document.root = builder.take_root();
    document.faults.push_back({mark_of(error.mark), "", "not valid YAML: " + error.msg});
  }
}

}  // namespace

Document read(std::string_view text) {
  Document document;
  if (refuse_bytes(text, document.faults)) return document;
  std::vector<Fault> tabs;
  read_documents(without_tab_indents(text, tabs), document);
  for (auto& tab : tabs) {
    tab.key = key_in_line(document.root, tab.at.line, "");
    document.faults.push_back(std::move(tab));
  }
  std::stable_sort(document.faults.begin(), document.faults.end(),
                   [](const Fault& a, const Fault& b) { return a.at < b.at; });
  return document;
}

}  // namespace reconciled::yaml
