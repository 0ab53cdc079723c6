// SPDX-License-Identifier: Apache-2.0
// cut_proxy: the proxy of tests/support/proxy.hpp as a program, for scripted tests.
//   cut_proxy serve postgres|http UPSTREAM CONTROL_SOCKET [PORT]   prints its port, runs until
//   SIGTERM cut_proxy tell CONTROL_SOCKET COMMAND...                       one command; exit 1 on
//   an error
#include <unistd.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>
#include <cstdlib>
#include <iostream>
#include <istream>
#include <string>
#include <vector>

#include "tests/support/proxy_control.hpp"

namespace {

namespace asio = boost::asio;
using asio::local::stream_protocol;
using namespace reconciled::test;

constexpr int kUsage = 64;
constexpr std::size_t kLineMax = 65536;

std::string read_line(stream_protocol::socket& socket) {
  asio::streambuf buffer(kLineMax);
  asio::read_until(socket, buffer, '\n');
  std::istream stream(&buffer);
  std::string line;
  std::getline(stream, line);
  return line;
}

/// One command a connection; a "wait" blocks the next command, as a script expects.
int serve(const std::vector<std::string>& arguments) {
  const auto protocol = arguments[1] == "http" ? Protocol::http : Protocol::postgres;
  const auto port = arguments.size() > 4 ? std::atoi(arguments[4].c_str()) : 0;
  Proxy proxy(protocol, arguments[2], static_cast<std::uint16_t>(port));
  asio::io_context io;
  ::unlink(arguments[3].c_str());
  stream_protocol::acceptor control(io, stream_protocol::endpoint(arguments[3]));
  std::cout << proxy.port() << std::endl;
  for (;;) {  // until a signal ends the process
    auto caller = control.accept();
    try {
      asio::write(caller, asio::buffer(obey(proxy, read_line(caller)) + "\n"));
    } catch (const boost::system::system_error& error) {
      std::cerr << "cut_proxy: a caller left early: " << error.what() << '\n';
    }
  }
}

int tell(const std::vector<std::string>& arguments) {
  asio::io_context io;
  stream_protocol::socket socket(io);
  socket.connect(stream_protocol::endpoint(arguments[1]));
  std::string command = arguments[2];
  for (std::size_t i = 3; i < arguments.size(); ++i) {
    command += ' ' + arguments[i];
  }
  asio::write(socket, asio::buffer(command + "\n"));
  const auto reply = read_line(socket);
  std::cout << reply << '\n';
  return reply.starts_with("ok") ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    const std::string verb = arguments.empty() ? "" : arguments[0];
    if (verb == "serve" && (arguments.size() == 4 || arguments.size() == 5)) {
      return serve(arguments);
    }
    if (verb == "tell" && arguments.size() >= 3) {
      return tell(arguments);
    }
  } catch (const std::exception& error) {
    std::cerr << "cut_proxy: " << error.what() << '\n';
    return 1;
  }
  std::cerr << "usage: cut_proxy serve postgres|http UPSTREAM CONTROL_SOCKET [PORT]\n"
               "       cut_proxy tell CONTROL_SOCKET COMMAND...\n";
  return kUsage;
}
