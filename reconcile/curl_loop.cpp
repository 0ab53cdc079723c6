// SPDX-License-Identifier: Apache-2.0
#include "reconcile/curl_loop.hpp"

#include <sys/epoll.h>

#include <array>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <new>
#include <system_error>

namespace reconciled {
namespace {

// What is left over is reported again. Few, so that a long row of answers does not keep the pass
// from taking over what comes next.
constexpr int kEventsAtOnce = 8;

struct GlobalCurl {
  GlobalCurl() {
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) throw std::bad_alloc{};
  }
};

CURLM* new_multi() {
  static const GlobalCurl once;
  auto* const multi = curl_multi_init();
  if (multi == nullptr) throw std::bad_alloc{};
  return multi;
}

int new_epoll() {
  const auto descriptor = epoll_create1(EPOLL_CLOEXEC);
  if (descriptor < 0) throw std::system_error{errno, std::generic_category(), "epoll_create1"};
  return descriptor;
}

int curl_events(std::uint32_t events) noexcept {
  int mask = 0;
  if ((events & EPOLLIN) != 0) mask |= CURL_CSELECT_IN;
  if ((events & EPOLLOUT) != 0) mask |= CURL_CSELECT_OUT;
  if ((events & (EPOLLERR | EPOLLHUP)) != 0) mask |= CURL_CSELECT_ERR;
  return mask;
}

}  // namespace

CurlLoop::CurlLoop(const boost::asio::any_io_executor& executor, long connections,
                   Finished finished)
    : executor_(executor),
      finished_(std::move(finished)),
      multi_(new_multi()),
      epoll_(executor, new_epoll()),
      timer_(executor) {
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &CurlLoop::on_socket);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &CurlLoop::on_timer);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, connections);
}

CurlLoop::~CurlLoop() { curl_multi_cleanup(multi_); }

void CurlLoop::add(CURL* easy) {
  ++transfers_;
  curl_multi_add_handle(multi_, easy);
  wait_for_sockets();
}

void CurlLoop::remove(CURL* easy) {
  curl_multi_remove_handle(multi_, easy);
  one_less();
}

void CurlLoop::one_less() {
  if (--transfers_ > 0) return;
  if (waiting_) epoll_.cancel();
  waiting_ = false;
  wake_at(std::nullopt);
}

// Called by libcurl, also for a socket that it is about to close, and then before it does so.
int CurlLoop::on_socket(CURL* /*easy*/, curl_socket_t socket, int what, void* self, void* known) {
  static_cast<CurlLoop*>(self)->watch(socket, what, known != nullptr);
  return 0;
}

void CurlLoop::watch(curl_socket_t socket, int what, bool known) {
  epoll_event event{};
  event.data.fd = socket;
  if (what == CURL_POLL_REMOVE) {
    epoll_ctl(epoll_.native_handle(), EPOLL_CTL_DEL, socket, &event);
    return;
  }
  if ((what & CURL_POLL_IN) != 0) event.events |= EPOLLIN;
  if ((what & CURL_POLL_OUT) != 0) event.events |= EPOLLOUT;
  const int first = known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
  const int second = known ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  // Ours is one opinion of whether the socket is in the set, the kernel's is the other.
  if (epoll_ctl(epoll_.native_handle(), first, socket, &event) != 0) {
    epoll_ctl(epoll_.native_handle(), second, socket, &event);
  }
  if (!known) curl_multi_assign(multi_, socket, this);
}

// Called by libcurl from inside its functions, so nothing may be done here, only arranged.
int CurlLoop::on_timer(CURLM* /*multi*/, long milliseconds, void* self) {
  auto& loop = *static_cast<CurlLoop*>(self);
  if (milliseconds < 0) {
    loop.wake_at(std::nullopt);
  } else if (milliseconds == 0) {
    loop.post_turn();
  } else {
    loop.wake_at(SteadyClock::now() + std::chrono::milliseconds{milliseconds});
  }
  return 0;
}

/// A timer that fires too early costs one look at the clock, moving it with each transfer a system
/// call. So it is moved only forward in time.
void CurlLoop::wake_at(std::optional<SteadyTime> due) {
  due_ = due;
  if (!due_) {
    if (armed_) timer_.cancel();
    armed_.reset();
  } else if (!armed_ || *due_ < *armed_) {
    arm_timer();
  }
}

void CurlLoop::arm_timer() {
  armed_ = due_;
  timer_.expires_at(*armed_);
  timer_.async_wait([this, alive = std::weak_ptr{alive_}](const boost::system::error_code& error) {
    if (error || alive.expired()) return;
    armed_.reset();
    if (!due_) return;
    if (SteadyClock::now() < *due_) return arm_timer();
    serve_timeout();
  });
}

void CurlLoop::post_turn() {
  if (turn_posted_) return;
  turn_posted_ = true;
  boost::asio::post(executor_, [this, alive = std::weak_ptr{alive_}] {
    if (alive.expired()) return;
    turn_posted_ = false;
    serve_timeout();
  });
}

void CurlLoop::wait_for_sockets() {
  if (waiting_ || transfers_ == 0) return;
  waiting_ = true;
  epoll_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                    [this, alive = std::weak_ptr{alive_}](const boost::system::error_code& error) {
                      if (error || alive.expired()) return;
                      waiting_ = false;
                      serve_sockets();
                      wait_for_sockets();
                    });
}

void CurlLoop::serve_sockets() {
  std::array<epoll_event, kEventsAtOnce> events{};
  const auto count = epoll_wait(epoll_.native_handle(), events.data(), kEventsAtOnce, 0);
  int running = 0;
  for (int i = 0; i < count; ++i) {
    const auto& event = events.at(static_cast<std::size_t>(i));
    curl_multi_socket_action(multi_, event.data.fd, curl_events(event.events), &running);
  }
  collect_finished();
}

void CurlLoop::serve_timeout() {
  due_.reset();
  int running = 0;
  curl_multi_socket_action(multi_, CURL_SOCKET_TIMEOUT, 0, &running);
  collect_finished();
  // libcurl tells of a changed timeout only; one that has not been reached yet is not a change.
  long left = -1;
  if (!due_ && !turn_posted_ && transfers_ > 0 && curl_multi_timeout(multi_, &left) == CURLM_OK &&
      left >= 0) {
    wake_at(SteadyClock::now() + std::chrono::milliseconds{left});
  }
}

void CurlLoop::collect_finished() {
  int left = 0;
  // Bounded by the number of transfers: each message takes one off.
  while (const auto* const message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    auto* const easy = message->easy_handle;
    const auto result = message->data.result;
    remove(easy);
    finished_(easy, result);
  }
}

}  // namespace reconciled
