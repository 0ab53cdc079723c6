// SPDX-License-Identifier: Apache-2.0
#include "base/yaml.hpp"

#include "tests/support/catch.hpp"

using namespace reconciled;
using yaml::Kind;

namespace {

std::string faults_of(std::string_view text) { return yaml::report("f", yaml::read(text).faults); }

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

}  // namespace

TEST_CASE("a document is read with the place of each key and value", "[yaml]") {
  const auto document = yaml::read("a: 1\nb:\n  c: [x, 'true']\n  d:\ne: |\n  two\n  lines\n");
  REQUIRE(document.faults.empty());
  const auto& root = document.root;
  REQUIRE(root.kind == Kind::mapping);
  REQUIRE(root.entries.size() == 3);
  CHECK(root.entries[1].key == "b");
  CHECK(root.entries[1].at == yaml::Mark{2, 1});
  CHECK(root.find("a")->text == "1");
  CHECK(root.find("a")->at == yaml::Mark{1, 4});
  const auto* list = root.find("b")->find("c");
  REQUIRE(list != nullptr);
  CHECK(list->kind == Kind::sequence);
  CHECK(list->items.at(0).text == "x");
  CHECK(list->items.at(1).at == yaml::Mark{3, 10});
  CHECK(root.find("b")->find("d")->kind == Kind::null);
  CHECK(root.find("e")->text == "two\nlines\n");
  CHECK(root.find("nothing") == nullptr);
  CHECK(root.find("a")->find("below a scalar") == nullptr);
}

TEST_CASE("a quoted word is told from a plain one", "[yaml]") {
  const auto root = yaml::read("plain: true\ndouble: \"true\"\nsingle: 'true'\n").root;
  CHECK_FALSE(root.find("plain")->quoted);
  CHECK(root.find("double")->quoted);
  CHECK(root.find("single")->quoted);
}

TEST_CASE("what yaml-cpp would accept in silence is a fault with its place and key", "[yaml]") {
  struct Row {
    std::string_view text, fault;
  };
  const auto [text, fault] = GENERATE(values<Row>({
      {"a: 1\nb: 2\na: 3\n", "f:3:1: a: duplicate key, first in line 1"},
      {"a:\n  b: 2\n  b: 3\n", "f:3:3: a.b: duplicate key, first in line 2"},
      {"a: [{b: 1}, {b: 2, \"b\": 3}]\n", "f:1:20: a[1].b: duplicate key, first in line 1"},
      {"a: {x: 1, <<: {y: 2}}\n",
       "f:1:11: a.<<: a merge key is not supported: write the values out"},
      {"a: &x 3\n", "f:1:4: a: an anchor is not supported: write the value out where it is needed"},
      {"a: !!str 3\n", "f:1:4: a: a tag is not supported: remove it"},
      {"a: !mine {b: 1}\n", "f:1:4: a: a tag is not supported: remove it"},
      {"a: 1\n---\nb: 2\n", "f:2:1: a second document: keep one in a file"},
      {"a: 1\n---\n", "f:2:1: a second document: keep one in a file"},
      {"a: 1\n---\n[\n", "f:4:1: a second document: keep one in a file"},
      {"? [a, b]\n: 1\n", "f:1:3: ?: a key must be a plain word"},
      {"? {a: b}\n: 1\n", "f:1:3: ?: a key must be a plain word"},
      {"~: 1\n", "f:1:1: ?: a key must be a plain word"},
      {"a: \"b\nc: 2\n", "f:1:4: a quoted text that is never closed"},
      {"a: 'it''s\nc: 2\n", "f:1:4: a quoted text that is never closed"},
      {"", "f:1:1: the file is empty"},
      {"# nothing but words\n", "f:1:1: the file is empty"},
      {"---\n", "f:1:1: the file is empty"},
      {"a:\n\tb: 2\n", "f:2:1: a.b: a tab as indentation: use spaces"},
      {"a:\n  b: 1\n  \tc: 2\n", "f:3:3: a.c: a tab as indentation: use spaces"},
      {"a: 1\n\t# b\n", "f:2:1: a tab as indentation: use spaces"},
      {"a: [1, 2\nb: 3\n", "f:2:2: not valid YAML: end of sequence flow not found"},
      {"\xef\xbb\xbf"
       "a: 1\n",
       "f:1:1: starts with a byte order mark: save the file without one"},
      {"a: 1\nb: \xc3\x28\n", "f:2:4: not valid UTF-8"},
      {"a: 1\nb: \x1b[31m\n", "f:2:4: a control character: this is not a text file"},
      {std::string_view("a: 1\nb\0: 2\n", 11),
       "f:2:2: a control character: this is not a text file"},
  }));
  CHECK(faults_of(text) == fault);
}

TEST_CASE("an alias without its anchor is a fault", "[yaml]") {
  // yaml-cpp 0.8 goes on with the alias's name.
  CHECK(faults_of("a: *nobody\n")
            .starts_with("f:1:4: not valid YAML: the referenced anchor is not defined"));
}

TEST_CASE("what only looks like a fault is none", "[yaml]") {
  const auto text =
      GENERATE(as<std::string_view>{}, "a: 1\n...\n", "a: 'it''s'\n", "a: \"with \\\" inside\"\n",
               "a: 1\r\nb: 2\r\n", "a: 1\n\t\n  \t\r\nb: 2\n", "a:\t1\n", "a: {b: 1}\nc: {b: 2}\n",
               "---\na: 1\n", "ü: ✓\n");
  CHECK(faults_of(text).empty());
}

TEST_CASE("an alias is a fault and leaves no half-known value", "[yaml]") {
  const auto document = yaml::read("a: &x 3\nb: *x\nc: [*x]\nd: 1\n");
  CHECK(document.faults.size() == 3);
  CHECK(document.root.find("b") == nullptr);
  CHECK(document.root.find("c")->items.empty());
  CHECK(document.root.find("d")->text == "1");
}

TEST_CASE("the first of two values of one key is kept", "[yaml]") {
  const auto root = yaml::read("a: 1\na: 2\nb: 3\n").root;
  CHECK(root.entries.size() == 2);
  CHECK(root.find("a")->text == "1");
}

TEST_CASE("faults behind a tab are found too, and the report is in file order", "[yaml]") {
  CHECK(faults_of("a:\n\tb: 1\n  b: 2\nc: 1\nc: 2\n---\n") ==
        "f:2:1: a.b: a tab as indentation: use spaces\n"
        "f:3:3: a.b: duplicate key, first in line 2\n"
        "f:5:1: c: duplicate key, first in line 4\n"
        "f:6:1: a second document: keep one in a file");
}

TEST_CASE("what stands before a syntax error is usable", "[yaml]") {
  const auto document = yaml::read("a: 1\nb: {c: 2, d: [3, 4\n");
  CHECK(document.faults.size() == 1);
  CHECK(document.root.find("a")->text == "1");
  CHECK(document.root.find("b")->find("c")->text == "2");
  CHECK(document.root.find("b")->find("d")->items.at(0).text == "3");
}

TEST_CASE("size and depth are limited", "[yaml]") {
  const auto head = std::string("a: ");
  const auto most = static_cast<int>(yaml::kMostBytes - head.size());
  CHECK(faults_of(head + repeated("x", most)).empty());
  CHECK(faults_of(head + repeated("x", most + 1)) == "f:1:1: larger than 1048576 bytes");
  const auto nested = [](int depth) { return repeated("a: {", depth - 1) + repeated("}", depth); };
  CHECK(faults_of("{" + nested(yaml::kMostDepth)).empty());
  CHECK(faults_of("{" + nested(yaml::kMostDepth + 1)).find("nested deeper than 32 levels") !=
        std::string::npos);
  CHECK_FALSE(yaml::read(repeated("[", 100'000)).faults.empty());
}

TEST_CASE("no mutilated document makes the reader throw", "[yaml]") {
  const std::string whole =
      "a: &x {b: [1, \"two\", 'it''s'], <<: *x}\n? [k]\n: !t |\n  text\n---\nä: >-\n  folded\n";
  for (std::size_t at = 0; at < whole.size(); ++at) {
    CHECK_NOTHROW(yaml::read(whole.substr(0, at)));
    CHECK_NOTHROW(yaml::read(whole.substr(at)));
    for (const char letter : {'\0', '\t', '\n', '"', '\'', ':', '-', '&', '*', '{', ']', '\xff'}) {
      auto broken = whole;
      broken[at] = letter;
      CHECK_NOTHROW(yaml::read(broken));
    }
  }
}

TEST_CASE("a long report names the first twenty and counts the others", "[yaml]") {
  std::vector<yaml::Fault> faults(yaml::kMostReported, {{1, 2}, "k", "bad"});
  const auto twenty = yaml::report("f", faults);
  CHECK(twenty.find("more") == std::string::npos);
  faults.resize(23, {{9, 9}, "hidden", "bad"});
  CHECK(yaml::report("f", faults) == twenty + "\nf: and 3 more");
}

TEST_CASE("what a file says cannot steer the terminal", "[yaml]") {
  CHECK(yaml::quoted("a\x1b[2J\n") == "\"a\\x1b[2J\\x0a\"");
  CHECK(yaml::quoted(std::string(61, 'x')) == "\"" + std::string(60, 'x') + "…\"");
  CHECK(faults_of("\"\\e[2J\": 1\n\"\\e[2J\": 2\n") ==
        "f:2:1: \\x1b[2J: duplicate key, first in line 1");
}

TEST_CASE("the nearest known word is at most two edits away", "[yaml]") {
  const std::vector<std::string_view> known{"poll_interval", "drain_timeout", "resubmit", "uri"};
  CHECK(yaml::nearest("pol_intervall", known) == "poll_interval");
  CHECK(yaml::nearest("drian_timeout", known) == "drain_timeout");
  CHECK(yaml::nearest("resubmit", known) == "resubmit");
  CHECK(yaml::nearest("url", known) == "uri");
  CHECK(yaml::nearest("rsbmt", known).empty());
  CHECK(yaml::nearest("xyz", known).empty());  // three edits of a word of three letters
  CHECK(yaml::nearest("", known).empty());
  const std::vector<std::string_view> short_word{"on"};
  CHECK(yaml::nearest("xy", short_word).empty());  // two edits would change all of it
  CHECK(yaml::nearest("om", short_word) == "on");
  CHECK(yaml::nearest(std::string(100, 'a'), known).empty());
}
