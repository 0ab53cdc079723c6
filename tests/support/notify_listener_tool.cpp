// SPDX-License-Identifier: Apache-2.0
// notify_listener ADDRESS FILE: what systemd would hear on NOTIFY_SOCKET, for scripted tests.
// ADDRESS is a path, or @NAME for the abstract namespace. Every assignment of every datagram
// becomes a line of FILE, in order. It runs until a signal ends it.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>

namespace {

constexpr int kUsage = 64;
constexpr std::size_t kDatagramMax = 4096;

/// The socket, bound; -1 with errno if that fails.
int listen_at(std::string_view address) {
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  if (address.empty() || address.size() >= sizeof(at.sun_path)) {
    errno = ENAMETOOLONG;
    return -1;
  }
  std::copy(address.begin(), address.end(), at.sun_path);
  if (address.front() == '@') {
    at.sun_path[0] = '\0';
  } else {
    ::unlink(at.sun_path);
  }
  const int listener = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address.size());
  if (listener < 0 || ::bind(listener, reinterpret_cast<const sockaddr*>(&at), length) != 0) {
    return -1;
  }
  return listener;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: notify_listener ADDRESS FILE\n";
    return kUsage;
  }
  const int listener = listen_at(argv[1]);
  std::ofstream lines(argv[2]);
  if (listener < 0 || !lines) {
    std::cerr << "notify_listener: " << argv[1] << ", " << argv[2] << ": " << std::strerror(errno)
              << '\n';
    return 1;
  }
  lines << "LISTENING\n" << std::flush;
  std::array<char, kDatagramMax> datagram{};
  for (;;) {  // until a signal ends the process
    const auto size = ::recv(listener, datagram.data(), datagram.size(), 0);
    if (size < 0 && errno != EINTR) {
      std::cerr << "notify_listener: " << std::strerror(errno) << '\n';
      return 1;
    }
    if (size <= 0) continue;
    const std::string_view text(datagram.data(), static_cast<std::size_t>(size));
    lines << text << (text.ends_with('\n') ? "" : "\n") << std::flush;
  }
}
