// SPDX-License-Identifier: Apache-2.0
// The source tree as the house rules look at it. Header only, because nothing but tests reads it.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace reconciled::house {

struct SourceFile {
  std::string path;  ///< from the root of the tree
  std::string text;
};

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

inline bool is_cpp(std::string_view path) {
  return path.ends_with(".cpp") || path.ends_with(".hpp");
}

/// The first folder of a path, "" for a file at the root.
inline std::string room_of(std::string_view path) {
  const auto slash = path.find('/');
  return std::string(slash == std::string_view::npos ? "" : path.substr(0, slash));
}

/// Every file that belongs to the tree: not build/, not hidden folders other than .ci, not what npm
/// writes.
inline std::vector<SourceFile> read_tree() {
  namespace fs = std::filesystem;
  const fs::path root = RECONCILED_SOURCE_DIR;
  std::vector<SourceFile> files;
  for (fs::recursive_directory_iterator entry(root), end; entry != end; ++entry) {
    const auto name = entry->path().filename().string();
    const auto path = fs::relative(entry->path(), root).string();
    if (entry->is_directory()) {
      if (path == "build" || (name.starts_with('.') && name != ".ci") || name == "node_modules") {
        entry.disable_recursion_pending();
      }
    } else if (entry->is_regular_file() && name != "LICENSE" && name != "package-lock.json") {
      std::ifstream stream(entry->path(), std::ios::binary);
      files.push_back({path, {std::istreambuf_iterator<char>(stream), {}}});
    }
  }
  std::sort(files.begin(), files.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

namespace detail {

/// Where the literal or comment that begins at `from` ends; `from` itself if none begins there.
inline std::size_t end_of_opaque(const std::string& text, std::size_t from) {
  const auto after = [&](std::string_view closing, std::size_t at) {
    const auto found = text.find(closing, at);
    return found == std::string::npos ? text.size() : found + closing.size();
  };
  const std::string_view here = std::string_view(text).substr(from);
  if (here.starts_with("//")) {
    return std::min(text.find('\n', from), text.size());
  }
  if (here.starts_with("/*")) {
    return after("*/", from + 2);
  }
  if (here.starts_with("R\"")) {
    const auto open = text.find('(', from);
    return after(")" + text.substr(from + 2, open - from - 2) + "\"", open);
  }
  const bool digit_separator = here.starts_with('\'') && from > 0 && std::isxdigit(text[from - 1]);
  if ((here.starts_with('"') || here.starts_with('\'')) && !digit_separator) {
    std::size_t at = from + 1;
    while (at < text.size() && text[at] != text[from]) {
      at += text[at] == '\\' ? 2U : 1U;
    }
    return std::min(at + 1, text.size());
  }
  return from;
}

}  // namespace detail

/// C++ with literals, comments and preprocessor lines blanked out; every line keeps its number.
inline std::string code_only(const std::string& text) {
  std::string code = text;
  bool line_start = true;
  for (std::size_t at = 0; at < text.size();) {
    auto end = detail::end_of_opaque(text, at);
    if (line_start && text[at] == '#') {
      end = std::min(text.find('\n', at), text.size());
    }
    line_start = text[at] == '\n' || (line_start && text[at] == ' ');
    for (auto blank = at; blank < end; ++blank) {
      code[blank] = text[blank] == '\n' ? '\n' : ' ';
    }
    at = std::max(end, at + 1);
  }
  return code;
}

struct Function {
  std::string opening;  ///< its first line
  int first_line = 0;   ///< from 1
  int length = 0;       ///< first line to closing brace
};

/// The functions of a C++ file, member functions and test cases included; a lambda counts with the
/// function around it.
class FunctionFinder {
 public:
  explicit FunctionFinder(const std::string& text)
      : code_(code_only(text)), lines_(lines_of(text)) {}

  std::vector<Function> find() {
    for (at_ = 0; at_ < code_.size(); ++at_) {
      switch (code_[at_]) {
        case '{':
          open();
          break;
        case '}':
          close();
          break;
        case ';':
          head_ = at_ + 1;
          break;
        case ':':
          if (ends_access_specifier()) {
            head_ = at_ + 1;
          }
          break;
        default:
          break;
      }
    }
    return found_;
  }

 private:
  enum class Kind { scope, function, other };
  struct Block {
    Kind kind;
    std::size_t head;
  };

  bool ends_access_specifier() const {
    const std::string_view before = std::string_view(code_).substr(head_, at_ - head_);
    const auto word = before.substr(std::min(before.find_first_not_of(" \n"), before.size()));
    return word == "public" || word == "protected" || word == "private";
  }

  void open() {
    const bool outside = std::all_of(blocks_.begin(), blocks_.end(),
                                     [](const Block& block) { return block.kind == Kind::scope; });
    blocks_.push_back({outside ? kind_of(code_.substr(head_, at_ - head_)) : Kind::other, head_});
    if (blocks_.back().kind != Kind::other) {
      head_ = at_ + 1;
    }
  }

  static Kind kind_of(std::string head) {
    std::replace(head.begin(), head.end(), '\n', ' ');
    static const std::regex scope(
        R"(^ *(template *<.*> *)?(inline +)?(namespace|class|struct|union|enum|extern)\b)");
    if (std::regex_search(head, scope)) {
      return Kind::scope;
    }
    const auto parenthesis = head.find('(');
    const auto before = head.substr(0, parenthesis);
    const bool declares =
        parenthesis != std::string::npos &&
        (before.find('=') == std::string::npos || before.find("operator") != std::string::npos);
    // Unbalanced: the brace is a default argument's.
    const bool balanced =
        std::count(head.begin(), head.end(), '(') == std::count(head.begin(), head.end(), ')');
    return declares && balanced ? Kind::function : Kind::other;
  }

  void close() {
    if (blocks_.empty()) {
      return;
    }
    const auto block = blocks_.back();
    blocks_.pop_back();
    const auto next = code_.find_first_not_of(" \n", at_ + 1);
    const bool goes_on = next != std::string::npos && (code_[next] == ',' || code_[next] == '{');
    if (goes_on && block.kind == Kind::function) {  // b_{1} in a constructor's list, not its body
      head_ = block.head;
    } else if (block.kind == Kind::function) {
      record(block.head);
      head_ = at_ + 1;
    } else if (block.kind == Kind::scope) {
      head_ = at_ + 1;
    }
  }

  void record(std::size_t head) {
    const auto begin = code_.begin();
    const auto start = static_cast<std::ptrdiff_t>(code_.find_first_not_of(" \n", head));
    const auto first = std::count(begin, begin + start, '\n');
    const auto last = std::count(begin, begin + static_cast<std::ptrdiff_t>(at_), '\n');
    found_.push_back({lines_[static_cast<std::size_t>(first)], static_cast<int>(first + 1),
                      static_cast<int>(last - first + 1)});
  }

  std::string code_;
  std::vector<std::string> lines_;
  std::vector<Block> blocks_;
  std::vector<Function> found_;
  std::size_t at_ = 0;
  std::size_t head_ = 0;  ///< where the declaration at hand begins
};

inline std::vector<Function> functions_of(const std::string& text) {
  return FunctionFinder(text).find();
}

}  // namespace reconciled::house
