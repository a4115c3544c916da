#include "server/lifecycle/listener_watch.h"

#include <new>
#include <utility>

#include "server/observability/logging.h"

namespace torqued::server {

ListenerWatch::ListenerWatch(Listener& listener, std::function<void(bool)> tell,
                             const Times& times)
    : listener_(listener),
      tell_(std::move(tell)),
      times_(times),
      thread_([this] { Run(); }) {}

ListenerWatch::~ListenerWatch() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stopped_.notify_all();
  thread_.join();
}

void ListenerWatch::Run() {
  std::unique_lock lock(mutex_);
  while (!stopped_.wait_for(lock, times_.interval, [this] { return stop_; })) {
    lock.unlock();
    try {
      Look();
    } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch)
      // Looks again: there may be memory then.
    }
    lock.lock();
  }
}

void ListenerWatch::Look() {
  const auto silence = listener_.Probe(times_.patience);
  if (!silence.has_value() == answers_) return;
  // Told again where that fails.
  tell_(!answers_);
  answers_ = !answers_;
  if (answers_) {
    Log(LogLevel::kInfo, "connections are taken again");
  } else {
    Log(LogLevel::kError, "no connections are taken",
        {{"address", silence->address}, {"detail", silence->detail}});
  }
}

}  // namespace torqued::server
