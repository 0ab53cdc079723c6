// SPDX-License-Identifier: Apache-2.0
// test_provider: the scripted provider as a process, for the quickstart and for scripts.
// SIGTERM or SIGINT ends it.
#include <CLI/CLI.hpp>
#include <csignal>
#include <fstream>
#include <iostream>

#include "tests/support/test_provider.hpp"

namespace {

void apply_script(reconciled::test::TestProvider& provider, const std::string& path) {
  std::ifstream in{path};
  if (!in) throw std::runtime_error{path + ": cannot be read"};
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    try {
      if (!line.empty()) provider.apply(line);
    } catch (const std::exception& wrong) {
      throw std::runtime_error{path + ":" + std::to_string(number) + ": " + wrong.what()};
    }
  }
}

/// Written aside and renamed, so that whoever waits for the file reads it whole.
void write_port(const std::string& path, std::uint16_t port) {
  const auto aside = path + ".new";
  std::ofstream{aside} << port << "\n";
  if (std::rename(aside.c_str(), path.c_str()) != 0) {
    throw std::runtime_error{path + ": cannot be written"};
  }
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app{"A scripted billing provider on the loopback, for tests"};
  std::string port_file;
  std::string ledger;
  std::string script;
  std::uint16_t port = 0;
  app.add_option("--port", port, "listen here; 0 for a free port");
  app.add_option("--port-file", port_file, "the port is written into this file once it listens");
  app.add_option("--ledger", ledger,
                 "at the end all requests are written here, a JSON object each");
  app.add_option("--script", script, "lines of JSON, as POST /_control takes them");
  CLI11_PARSE(app, argc, argv);

  sigset_t ends{};
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);  // before the server's thread, which inherits it
  std::signal(SIGPIPE, SIG_IGN);

  reconciled::test::TestProvider provider{port};
  if (!script.empty()) apply_script(provider, script);
  if (!port_file.empty()) write_port(port_file, provider.port());
  int signal = 0;
  sigwait(&ends, &signal);
  if (!ledger.empty()) std::ofstream{ledger} << provider.ledger();
  return 0;
} catch (const std::exception& wrong) {
  std::cerr << "test_provider: " << wrong.what() << "\n";
  return 1;
}
