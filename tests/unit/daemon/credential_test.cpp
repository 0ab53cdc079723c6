// SPDX-License-Identifier: Apache-2.0
#include "daemon/credential.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "daemon/files.hpp"
#include "daemon/settings.hpp"
#include "tests/support/catch.hpp"

using namespace reconciled;
using namespace std::string_literals;
namespace fs = std::filesystem;

namespace {

/// A directory of its own, gone at the end.
class Directory {
 public:
  Directory() {
    std::string pattern = (fs::temp_directory_path() / "reconciled-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp");
    path_ = pattern;
  }
  ~Directory() { fs::remove_all(path_); }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  fs::path file(const std::string& name, std::string_view content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
    return path_ / name;
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

constexpr char kKey[] = "provider.credential_file";

}  // namespace

TEST_CASE("the line end that a tool wrote is not part of the credential", "[credential][B38]") {
  const Directory directory;
  for (const auto* content : {"tok", "tok\n", "tok\r\n"}) {
    const auto secret = read_credential(kKey, directory.file("c", content));
    REQUIRE(secret.has_value());
    CHECK(secret->reveal() == "tok");
  }
  CHECK(read_credential(kKey, directory.file("c", "user:p w\n"))->reveal() == "user:p w");
}

TEST_CASE("anything but one clean line is refused without repeating it", "[credential][B38]") {
  struct Row {
    std::string content;
    std::string_view what;
  };
  const auto row = GENERATE(values<Row>({
      {"\xef\xbb\xbftok", "starts with a byte order mark"},
      {"tok1\ntok2\n", "has more than one line"},
      {"tok\n\n", "has more than one line"},
      {"to\tk", "holds a tab or another control character"},
      {"tok\r", "holds a tab or another control character"},
      {"to\0k"s, "holds a tab or another control character"},
      {"tok\x7f", "holds a tab or another control character"},
      {"", "is empty"},
      {"\n", "is empty"},
      {"\r\n", "is empty"},
      {std::string(kMostOfACredential + 1, 'x'), "larger than 65536 bytes"},
  }));
  const Directory directory;
  const auto path = directory.file("c", row.content);
  const auto secret = read_credential(kKey, path);
  REQUIRE(secret.has_error());
  CHECK(secret.error().code == ExitCode::configuration);
  const auto text = to_string(secret.error());
  CHECK(text.find(row.what) != std::string::npos);
  CHECK(text.find(std::string(kKey) + ": " + path.string()) == 0);
  CHECK(text.find("tok") == std::string::npos);
}

TEST_CASE("what cannot be opened is a matter of configuration or permission", "[credential][B38]") {
  const Directory directory;
  const auto code = [](const fs::path& path) { return read_credential(kKey, path).error().code; };
  CHECK(code(directory.path()) == ExitCode::configuration);
  CHECK(code(directory.path() / "missing") == ExitCode::configuration);
  CHECK(code("/dev/null") == ExitCode::configuration);
  fs::create_symlink("loop", directory.path() / "loop");
  CHECK(code(directory.path() / "loop") == ExitCode::configuration);
  REQUIRE(mkfifo((directory.path() / "pipe").c_str(), 0600) == 0);
  CHECK(code(directory.path() / "pipe") == ExitCode::configuration);
  const auto closed = directory.file("closed", "tok");
  fs::permissions(closed, fs::perms::none);
  if (geteuid() == 0) {
    // Nothing is closed to root; another user's view is the one that counts.
    REQUIRE(chmod(directory.path().c_str(), 0755) == 0);
    REQUIRE(seteuid(65534) == 0);
    const auto seen = code(closed);
    REQUIRE(seteuid(0) == 0);
    CHECK(seen == ExitCode::permission);
  } else {
    CHECK(code(closed) == ExitCode::permission);
  }
}

TEST_CASE("a relative credential name is looked up where systemd put it", "[credential]") {
  CHECK(credential_path(kKey, "token", fs::path("/run/credentials/r"))->string() ==
        "/run/credentials/r/token");
  CHECK(credential_path(kKey, "/etc/token", fs::path("/run/credentials/r"))->string() ==
        "/etc/token");
  CHECK(credential_path(kKey, "/etc/token", std::nullopt)->string() == "/etc/token");
  for (const auto& none : {std::optional<fs::path>{}, std::optional<fs::path>{""}}) {
    const auto path = credential_path(kKey, "token", none);
    REQUIRE(path.has_error());
    CHECK(path.error().code == ExitCode::configuration);
    CHECK(path.error().what.find("$CREDENTIALS_DIRECTORY is not set") != std::string::npos);
  }
}

TEST_CASE("a configuration file is loaded whole or not at all", "[settings][R6]") {
  const Directory directory;
  const auto good = load_settings(directory.file("good.yaml", "provider: {profile: p}\n"), "host");
  REQUIRE(good.has_value());
  CHECK(good->provider.profile == "p");

  const auto bad = directory.file("bad.yaml", "provider: {profil: p}\nlog: {level: 1}\n");
  const auto refused = load_settings(bad, "host");
  REQUIRE(refused.has_error());
  CHECK(refused.error().code == ExitCode::configuration);
  CHECK(to_string(refused.error()) ==
        bad.string() + ":1:1: provider.profile: is missing and has no default: give a path\n" +
            bad.string() + ":1:12: provider.profil: unknown key; did you mean provider.profile?\n" +
            bad.string() + ":2:14: log.level: \"1\" is none of trace, debug, info, warn, error");
}

TEST_CASE("where metrics are served by default can come from around the process", "[settings]") {
  const Directory directory;
  const auto silent = directory.file("silent.yaml", "provider: {profile: p}\n");
  const auto told =
      directory.file("told.yaml", "provider: {profile: p}\nmetrics: {listen: '[::1]:9464'}\n");
  CHECK(load_settings(silent, "host")->metrics.listen == "127.0.0.1:9464");
  CHECK(load_settings(silent, "host", "")->metrics.listen.empty());
  CHECK(load_settings(silent, "host", "127.0.0.1:1")->metrics.listen == "127.0.0.1:1");
  CHECK(load_settings(told, "host", "")->metrics.listen == "[::1]:9464");
  const auto refused = load_settings(told, "host", "9464");
  REQUIRE(refused.has_error());
  CHECK(refused.error().code == ExitCode::configuration);
  CHECK(refused.error().what.find("$RECONCILED_METRICS_LISTEN: must be HOST:PORT") == 0);
}

TEST_CASE("a configuration file that cannot be used says why", "[settings][R6]") {
  const Directory directory;
  const auto what = [&](const fs::path& path) {
    const auto settings = load_settings(path, "host");
    REQUIRE(settings.has_error());
    CHECK(settings.error().code == ExitCode::configuration);
    CHECK(settings.error().what.find(path.string()) == 0);
    return settings.error().what.substr(path.string().size());
  };
  CHECK(what(directory.path()) == ": is a directory, not a file");
  CHECK(what(directory.path() / "none") == ": cannot be read: No such file or directory");
  CHECK(what(directory.file("empty", "")) == ":1:1: the file is empty");
  CHECK(what(directory.file("huge", std::string(yaml::kMostBytes + 1, '#'))) ==
        ": larger than 1048576 bytes");
  CHECK(what(directory.file("binary",
                            "\x7f"
                            "ELF\x02")) == ":1:1: a control character: this is not a text file");
}
