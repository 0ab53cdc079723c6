// SPDX-License-Identifier: Apache-2.0
#include "sql/database.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <condition_variable>
#include <thread>

namespace reconciled::sql {
namespace {

namespace asio = boost::asio;

/// How long a shut socket may take to end its call; then the thread is left behind (it may sit in a
/// name lookup).
constexpr auto kLastWait = 2s;

}  // namespace

/// A meeting point of one coroutine and whoever has something for it: cancelling the timer is the
/// signal.
struct Database::Call {
  explicit Call(const asio::any_io_executor& executor) : signal(executor) {}

  Awaitable<bool> done_by(SteadyTime until) {
    signal.expires_at(until);
    while (!done && SteadyClock::now() < until)
      co_await signal.async_wait(asio::as_tuple(asio::use_awaitable));
    co_return done;
  }
  void finish() {
    done = true;
    signal.cancel();
  }

  asio::steady_timer signal;
  bool done = false;
  Result<Rows> answer = Error{Trouble::not_connected, "", "not run"};
  std::shared_ptr<Worker> worker;  // of a call that waits for one
};

/// What a thread may still touch when the Database, and the event loop with it, may be gone.
struct Database::Loop {
  std::mutex mutex;
  bool open = true;
};

/// A session and its thread. The thread keeps its worker alive, so that one that hangs can be left
/// behind.
class Database::Worker : public std::enable_shared_from_this<Worker> {
 public:
  explicit Worker(const SessionOptions& options) : session_(options) {}

  void start() {
    std::thread([self = shared_from_this()] { self->serve(); }).detach();
  }

  /// `then` is called on this worker's thread.
  template <class Then>
  void run(const Statement& statement, Parameters parameters, Then then) {
    const std::lock_guard lock(mutex_);
    job_ = [this, statement, parameters = std::move(parameters), then = std::move(then)]() mutable {
      then(session_.run(statement, parameters));
    };
    wake_.notify_one();
  }

  void shut_down() noexcept { session_.shut_down(); }

  void end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    wake_.notify_all();
  }

  /// Lets an idle thread say goodbye to the server; a thread that hangs is not waited for longer
  /// than `most`.
  void wait_until_served(Duration most) {
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, most, [this] { return served_; });
  }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    while (!ended_) {
      wake_.wait(lock, [this] { return ended_ || job_; });
      if (!job_) continue;
      auto job = std::exchange(job_, nullptr);
      lock.unlock();
      job();
      job = nullptr;
      lock.lock();
    }
    session_.close();
    served_ = true;
    wake_.notify_all();
  }

  Session session_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::function<void()> job_;
  bool ended_ = false;
  bool served_ = false;
};

Database::Database(asio::any_io_executor executor, DatabaseOptions options)
    : executor_(std::move(executor)),
      options_(std::move(options)),
      loop_(std::make_shared<Loop>()) {
  for (int i = 0; i < options_.connections; ++i) {
    workers_.push_back(std::make_shared<Worker>(options_.session));
    workers_.back()->start();
  }
  idle_ = workers_;
}

Database::~Database() {
  {
    const std::lock_guard lock(loop_->mutex);
    loop_->open = false;
  }
  for (const auto& worker : workers_) {
    if (std::ranges::find(idle_, worker) == idle_.end()) worker->shut_down();
    worker->end();
  }
  for (const auto& worker : workers_) worker->wait_until_served(kLastWait);
}

Awaitable<Result<Rows>> Database::run(Statement statement, Parameters parameters) {
  const auto span = options_.session.statement_timeout + options_.grace;
  const auto worker = co_await free_worker(SteadyClock::now() + span);
  if (!worker)
    co_return Error{Trouble::not_connected, "", "no database session became free in time"};
  const auto call = std::make_shared<Call>(executor_);
  ++statements_;
  // The thread holds neither the call nor the loop: both may be gone when the database answers.
  worker->run(
      statement, std::move(parameters),
      [waiting = std::weak_ptr(call), executor = executor_, loop = loop_](Result<Rows> answer) {
        const std::lock_guard lock(loop->mutex);
        if (!loop->open) return;
        asio::post(executor, [waiting, answer = std::move(answer)]() mutable {
          const auto asked = waiting.lock();
          if (!asked) return;
          asked->answer = std::move(answer);
          asked->finish();
        });
      });
  if (co_await call->done_by(SteadyClock::now() + span)) {
    give_back(worker);
    co_return std::move(call->answer);
  }
  worker->shut_down();
  const bool ended = co_await call->done_by(SteadyClock::now() + kLastWait);
  give_back(replace(worker));
  if (ended) co_return std::move(call->answer);
  co_return Error{Trouble::in_doubt, "", "the database did not answer in time"};
}

/// A socket that was shut serves nobody any more, and a thread that hangs is left behind: a new
/// worker takes the place.
std::shared_ptr<Database::Worker> Database::replace(const std::shared_ptr<Worker>& worker) {
  worker->end();
  auto successor = std::make_shared<Worker>(options_.session);
  successor->start();
  std::ranges::replace(workers_, worker, successor);
  return successor;
}

Awaitable<std::shared_ptr<Database::Worker>> Database::free_worker(SteadyTime until) {
  if (!idle_.empty()) {
    // The one used last: its session is the warmest, and one is enough for a quiet daemon.
    auto worker = std::move(idle_.back());
    idle_.pop_back();
    co_return worker;
  }
  const auto call = std::make_shared<Call>(executor_);
  waiting_.push_back(call);
  if (!co_await call->done_by(until)) std::erase(waiting_, call);
  co_return std::move(call->worker);
}

void Database::give_back(std::shared_ptr<Worker> worker) {
  if (waiting_.empty()) {
    idle_.push_back(std::move(worker));
    return;
  }
  const auto call = waiting_.front();
  waiting_.pop_front();
  call->worker = std::move(worker);
  call->finish();
}

}  // namespace reconciled::sql
