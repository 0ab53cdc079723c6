// SPDX-License-Identifier: Apache-2.0
// TLS against a real server, openssl's own (tests/faults.md H8). Without openssl there is nothing
// to ask.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "tests/support/catch.hpp"
#include "tests/support/http_bench.hpp"

using namespace reconciled;
using namespace reconciled::test;

namespace {

/// A directory with a key and a self-signed certificate for this name.
struct Certificate {
  /// `days_off`: by how much the clock is wrong that it is made by; it is good for two days.
  explicit Certificate(const std::string& name, int days_off = 0) {
    std::string pattern = (std::filesystem::temp_directory_path() / "tls_test.XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error{"mkdtemp"};
    directory = pattern;
    const auto clock = "faketime -f " + fmt::format("{:+}d ", days_off);
    const auto command = (days_off == 0 ? "" : clock) +
                         "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=x -addext " +
                         ("subjectAltName=" + name) + " -keyout " + key() + " -out " + file() +
                         " >/dev/null 2>&1";
    if (std::system(command.c_str()) != 0) throw std::runtime_error{"openssl req failed"};
  }
  ~Certificate() { std::filesystem::remove_all(directory); }
  Certificate(const Certificate&) = delete;
  Certificate& operator=(const Certificate&) = delete;

  std::string key() const { return directory + "/key.pem"; }
  std::string file() const { return directory + "/cert.pem"; }

  std::string directory;
};

/// openssl s_server, which answers every GET with a page of its own.
class TlsServer {
 public:
  explicit TlsServer(const Certificate& certificate, const char* protocol = "-tls1_2",
                     const char* demand = nullptr) {
    std::array<int, 2> out{};
    if (pipe2(out.data(), O_CLOEXEC) != 0) throw std::runtime_error{"pipe"};
    const auto cert = certificate.file();
    const auto key = certificate.key();
    child_ = fork();
    if (child_ == 0) {
      dup2(out[1], STDOUT_FILENO);
      execlp("openssl", "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", cert.c_str(),
             "-key", key.c_str(), "-www", "-cipher", "ALL:@SECLEVEL=0", protocol, demand,
             demand == nullptr ? nullptr : "1", nullptr);
      _exit(127);
    }
    close(out[1]);
    read_port(out[0]);
    out_ = out[0];
  }
  ~TlsServer() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    close(out_);
  }
  TlsServer(const TlsServer&) = delete;
  TlsServer& operator=(const TlsServer&) = delete;

  std::string url() const { return "https://127.0.0.1:" + port_ + "/"; }

 private:
  /// It says "ACCEPT 127.0.0.1:PORT".
  void read_port(int from) {
    std::string said;
    char byte = 0;
    while (said.find("ACCEPT") == std::string::npos || byte != '\n') {
      if (read(from, &byte, 1) != 1) throw std::runtime_error{"openssl s_server said: " + said};
      said += byte;
    }
    const auto colon = said.rfind(':');
    port_ = said.substr(colon + 1, said.size() - colon - 2);
  }

  pid_t child_ = -1;
  int out_ = -1;
  std::string port_;
};

HttpReply ask_over_tls(const TlsServer& server, const std::string& ca_file) {
  boost::asio::io_context loop;
  HttpClient client{loop.get_executor(), {.ca_file = ca_file}, ""};
  return ask(loop, client, get(server.url()));
}

}  // namespace

TEST_CASE("H8: a certificate that the configured authority signed is accepted", "[tls]") {
  const Certificate certificate{"IP:127.0.0.1"};
  const TlsServer server{certificate};
  const auto reply = ask_over_tls(server, certificate.file());
  REQUIRE(std::holds_alternative<HttpAnswer>(reply));
  CHECK(std::get<HttpAnswer>(reply).status == 200);
}

TEST_CASE("H8: what TLS cannot vouch for is refused before anything is sent", "[tls]") {
  const Certificate ours{"IP:127.0.0.1"};
  std::optional<HttpReply> reply;
  SECTION("self-signed, with the system's authorities") {
    reply = ask_over_tls(TlsServer{ours}, "");
  }
  SECTION("signed by another than the configured authority") {
    const Certificate another{"IP:127.0.0.1"};
    reply = ask_over_tls(TlsServer{ours}, another.file());
  }
  SECTION("for another host") {
    const Certificate elsewhere{"DNS:elsewhere.example"};
    reply = ask_over_tls(TlsServer{elsewhere}, elsewhere.file());
  }
  SECTION("an old protocol") { reply = ask_over_tls(TlsServer{ours, "-tls1_1"}, ours.file()); }
  SECTION("expired") {
    const Certificate expired{"IP:127.0.0.1", -10};
    reply = ask_over_tls(TlsServer{expired}, expired.file());
  }
  SECTION("not valid yet") {
    const Certificate early{"IP:127.0.0.1", 10};
    reply = ask_over_tls(TlsServer{early}, early.file());
  }
  SECTION("a certificate of ours is demanded") {
    reply = ask_over_tls(TlsServer{ours, "-tls1_2", "-Verify"}, ours.file());
  }
  SECTION("the authority's file is missing") {
    reply = ask_over_tls(TlsServer{ours}, ours.directory + "/none.pem");
  }
  REQUIRE(std::holds_alternative<HttpFailure>(*reply));
  CHECK_FALSE(std::get<HttpFailure>(*reply).sent);
  CHECK_FALSE(std::get<HttpFailure>(*reply).why.empty());
}
