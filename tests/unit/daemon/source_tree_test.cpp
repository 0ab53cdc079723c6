// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/daemon/source_tree.hpp"

#include <iostream>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"

namespace reconciled::house {
namespace {

std::vector<int> lengths(const std::string& text) {
  std::vector<int> lengths;
  for (const auto& function : functions_of(text)) {
    lengths.push_back(function.length);
  }
  return lengths;
}

using Lengths = std::vector<int>;

}  // namespace

TEST_CASE("literals, comments and preprocessor lines are blanked and lines keep their number",
          "[house]") {
  CHECK(code_only("a \"b{\" c") == "a      c");
  CHECK(code_only("a // b\nc") == "a     \nc");
  CHECK(code_only("a /* b\n{ */ c") == "a     \n     c");
  CHECK(code_only("R\"x(a)\" {)x\" b") == std::string(13, ' ') + "b");
  CHECK(code_only("#define X {\ny") == std::string(11, ' ') + "\ny");
  CHECK(code_only("'{' 1'000 '\\''") == "    1'000     ");
  CHECK(code_only("\"\\\"{\" a") == "      a");
}

TEST_CASE("functions are found with their length, whatever is around them", "[house]") {
  CHECK(lengths("void f() {\n  g();\n}\n") == Lengths{3});
  CHECK(lengths("namespace a {\nnamespace {\nint f() { return 1; }\n}\n}\n") == Lengths{1});
  CHECK(lengths("class A : public B {\n public:\n  A() : a_(1), b_{2} {\n    f();\n  }\n};\n") ==
        Lengths{3});
  CHECK(lengths("template <class T>\nvoid f(T x,\n       int y) {\n}\n") == Lengths{4});
  CHECK(lengths("void f(A a = {}) {\n  if (x) {\n  }\n}\n") == Lengths{4});
  CHECK(lengths("auto operator==(A a) {\n  return [] {\n  };\n}\n") == Lengths{4});
  CHECK(lengths("constexpr int a[] = {\n  1,\n};\nint b{f()};\n").empty());
  CHECK(lengths("const auto f = g([] {\n  h();\n});\n").empty());
  CHECK(lengths("enum class A {\n  a,\n};\nint f();\nvoid g() {\n}\n") == Lengths{2});
  CHECK(lengths("TEST_CASE(\"a {\", \"[b]\") {\n  SECTION(\"c\") {\n  }\n}\n") == Lengths{4});
  CHECK(lengths("}\n").empty());
}

TEST_CASE("a function's opening line and number are told", "[house]") {
  const auto functions = functions_of("int a;\n\n// Says why.\nvoid f() {\n}\n");
  REQUIRE(functions.size() == 1);
  CHECK(functions[0].opening == "void f() {");
  CHECK(functions[0].first_line == 4);
}

TEST_CASE("the tree is read without the build folder and with its hidden CI folder", "[house]") {
  const auto tree = read_tree();
  const auto has = [&](std::string_view path) {
    return std::any_of(tree.begin(), tree.end(),
                       [&](const SourceFile& file) { return file.path == path; });
  };
  CHECK(has("tests/unit/daemon/source_tree.hpp"));
  CHECK(has(".ci/run"));
  CHECK(has("CMakeLists.txt"));
  CHECK(std::none_of(tree.begin(), tree.end(),
                     [](const SourceFile& file) { return file.path.starts_with("build/"); }));
}

// Not a test: tests/figures runs it by its tag.
TEST_CASE("figures", "[.figures]") {
  std::size_t source_lines = 0;
  std::size_t test_lines = 0;
  std::size_t test_cases = 0;
  std::pair<std::size_t, std::string> longest_file;
  std::pair<std::size_t, std::string> longest_function;
  for (const auto& file : read_tree()) {
    const auto room = room_of(file.path);
    const bool counts = is_cpp(file.path) || file.path.ends_with(".sql") || room == "tests";
    if (!counts) {
      continue;
    }
    const auto lines = lines_of(file.text).size();
    (room == "tests" ? test_lines : source_lines) += lines;
    longest_file = std::max(longest_file, {lines, file.path});
    if (!is_cpp(file.path)) {
      continue;
    }
    for (const auto& function : functions_of(file.text)) {
      test_cases += function.opening.starts_with("TEST_CASE") ? 1U : 0U;
      longest_function =
          std::max(longest_function, {static_cast<std::size_t>(function.length),
                                      file.path + ":" + std::to_string(function.first_line)});
    }
  }
  std::cout << "test cases in C++:  " << test_cases << "\nsource lines:       " << source_lines
            << "\ntest lines:         " << test_lines
            << "\nlongest file:       " << longest_file.first << " lines, " << longest_file.second
            << "\nlongest function:   " << longest_function.first << " lines, "
            << longest_function.second << '\n';
  SUCCEED();
}

}  // namespace reconciled::house
