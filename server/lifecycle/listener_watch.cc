#include "server/lifecycle/listener_watch.h"

#include <utility>

#include "server/observability/logging.h"

namespace torqued::server {

ListenerWatch::ListenerWatch(Listener& listener, std::function<void(bool)> tell)
    : listener_(listener), tell_(std::move(tell)), thread_([this] { Run(); }) {}

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
  while (!stopped_.wait_for(lock, kInterval, [this] { return stop_; })) {
    lock.unlock();
    Look();
    lock.lock();
  }
}

void ListenerWatch::Look() {
  const auto silence = listener_.Probe(kPatience);
  if (!silence.has_value() == answers_) return;
  answers_ = !answers_;
  tell_(answers_);
  if (answers_) {
    Log(LogLevel::kInfo, "connections are taken again");
  } else {
    Log(LogLevel::kError, "no connections are taken",
        {{"address", silence->address}, {"detail", silence->detail}});
  }
}

}  // namespace torqued::server
