// SPDX-License-Identifier: Apache-2.0
#include "reconcile/http_client.hpp"

#include <algorithm>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace reconciled {
namespace {

using boost::system::error_code;

template <class Handler>
struct WaiterOf final : Waiter {
  WaiterOf(boost::asio::any_io_executor on, Handler to_call)
      : executor(std::move(on)),
        slot(boost::asio::get_associated_cancellation_slot(to_call)),
        handler(std::move(to_call)) {}

  // Posted: the woken may do anything, and we may be deep inside somebody's loop.
  void wake(error_code error) override {
    // It ended by itself: nothing is left to cancel. (When cancelled we are inside the slot.)
    if (!error) slot.clear();
    boost::asio::post(executor, [it = std::move(handler), error]() mutable { it(error); });
  }

  boost::asio::any_io_executor executor;
  boost::asio::cancellation_slot slot;
  Handler handler;
};

}  // namespace

/// One of max_in_flight places, or a position in the queue for one.
class HttpClient::Place {
 public:
  explicit Place(HttpClient& client) : client_(client), alive_(client.alive_) {}
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() {
    if (alive_.expired()) return;
    if (taken_) {
      client_.give_place_back();
    } else {
      std::erase(client_.queue_, this);
    }
  }

  /// False if none came free by the deadline.
  Awaitable<bool> take(SteadyTime deadline) {
    if (client_.places_taken_ < client_.options_.max_in_flight) {
      ++client_.places_taken_;
      taken_ = true;
      co_return true;
    }
    turn_.emplace(client_.executor_, deadline);
    client_.queue_.push_back(this);
    error_code granted_or_over;
    co_await turn_->async_wait(
        boost::asio::redirect_error(boost::asio::use_awaitable, granted_or_over));
    co_return taken_;
  }

  /// Handed over by the one who had it.
  void grant() {
    taken_ = true;
    turn_->cancel();
  }

 private:
  HttpClient& client_;
  std::weak_ptr<char> alive_;
  bool taken_ = false;
  std::optional<boost::asio::steady_timer> turn_;
};

/// A transfer out of the pool, given back whatever happens to the coroutine.
class HttpClient::Lease {
 public:
  explicit Lease(HttpClient& client) : client_(client), alive_(client.alive_) {
    if (client.idle_.empty()) {
      client.transfers_.push_back(std::make_unique<CurlTransfer>(client.options_));
      client.idle_.push_back(client.transfers_.back().get());
    }
    transfer_ = client.idle_.back();
    client.idle_.pop_back();
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease() {
    if (alive_.expired()) return;
    client_.take_off(*transfer_);
    client_.idle_.push_back(transfer_);
  }

  CurlTransfer& operator*() const noexcept { return *transfer_; }

 private:
  HttpClient& client_;
  std::weak_ptr<char> alive_;
  CurlTransfer* transfer_;
};

HttpClient::HttpClient(const boost::asio::any_io_executor& executor, HttpOptions options,
                       std::string credential)
    : executor_(executor),
      options_(std::move(options)),
      credential_{std::move(credential), 1},
      loop_(executor, options_.max_in_flight,
            [this](CURL* easy, CURLcode result) { on_finished(easy, result); }) {}

HttpClient::~HttpClient() {
  // A waiter owns its coroutine, whose frame gives its lease back here.
  for (const auto& transfer : transfers_) {
    const auto abandoned = std::move(transfer->waiter);
  }
}

void HttpClient::set_credential(std::string credential) {
  credential_ = {std::move(credential), credential_.generation + 1};
}

Awaitable<HttpReply> HttpClient::send(const HttpRequest& request, SteadyTime deadline,
                                      SteadyTime start_before) {
  Place place{*this};
  if (!co_await place.take(std::min(deadline, start_before))) {
    co_return HttpFailure{.sent = false, .why = "no free connection before the deadline"};
  }
  const auto now = SteadyClock::now();
  const auto left = std::chrono::floor<Duration>(deadline - now);
  if (left <= Duration::zero() || now >= start_before) {
    co_return HttpFailure{.sent = false, .why = "the deadline passed before the request was sent"};
  }
  const Lease lease{*this};
  CurlTransfer& transfer = *lease;
  const auto credential = credential_;
  transfer.prepare(request, credential, left);
  co_await finish(transfer);
  co_return transfer.reply(credential);
}

Awaitable<void> HttpClient::finish(CurlTransfer& transfer) {
  transfer.on_loop = true;
  loop_.add(transfer.easy());
  auto start = [this, &transfer](auto handler) {
    auto slot = boost::asio::get_associated_cancellation_slot(handler);
    transfer.waiter = std::make_unique<WaiterOf<decltype(handler)>>(executor_, std::move(handler));
    if (!slot.is_connected()) return;
    slot.assign([this, &transfer](boost::asio::cancellation_type /*how*/) {
      take_off(transfer);
      if (const auto waiter = std::move(transfer.waiter)) {
        waiter->wake(boost::asio::error::operation_aborted);
      }
    });
  };
  return boost::asio::async_initiate<const boost::asio::use_awaitable_t<>, void(error_code)>(
      std::move(start), boost::asio::use_awaitable);
}

void HttpClient::on_finished(CURL* easy, CURLcode result) {
  auto& transfer = CurlTransfer::of(easy);
  transfer.on_loop = false;
  transfer.result = result;
  if (const auto waiter = std::move(transfer.waiter)) waiter->wake({});
}

void HttpClient::take_off(CurlTransfer& transfer) {
  if (!transfer.on_loop) return;
  transfer.on_loop = false;
  loop_.remove(transfer.easy());
}

void HttpClient::give_place_back() {
  if (queue_.empty()) {
    --places_taken_;
    return;
  }
  auto* const next = queue_.front();
  queue_.pop_front();
  next->grant();
}

}  // namespace reconciled
