#include "server/lifecycle/watchdog.h"

#include <pthread.h>
#include <unistd.h>

#include <new>
#include <utility>

#include "server/observability/logging.h"

namespace torqued::server {
namespace {

constexpr std::chrono::milliseconds kLastLines{500};

}  // namespace

Watchdog::Watchdog(std::function<std::string()> check,
                   std::function<void(bool)> tell,
                   std::chrono::milliseconds interval)
    : check_(std::move(check)),
      tell_(std::move(tell)),
      interval_(interval),
      thread_([this] { Run(); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stopped_.notify_all();
  thread_.join();
}

void Watchdog::Run() {
  pthread_setname_np(pthread_self(), "watchdog");
  std::unique_lock lock(mutex_);
  while (!stopped_.wait_for(lock, interval_, [this] { return stop_; })) {
    lock.unlock();
    try {
      Check();
    } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch)
      // The next check may find memory.
    }
    lock.lock();
  }
}

void Watchdog::Check() {
  const std::string problem = check_();
  if (problem.empty()) {
    if (std::exchange(failures_, 0) == 0) return;
    Log(LogLevel::kInfo, "the server answers again");
    return tell_(true);
  }
  if (++failures_ == 1) tell_(false);
  Log(LogLevel::kError, "the server does not answer",
      {{"detail", problem}, {"checks", std::int64_t{failures_}}});
  if (failures_ < kMostFailures) return;
  WriteOutLog(kLastLines);
  _exit(kExitCode);
}

}  // namespace torqued::server
