#include "server/registry/store_watch.h"

#include <new>
#include <utility>

namespace torqued::server {

StoreWatch::StoreWatch(OpenFiles files, std::chrono::milliseconds interval,
                       std::function<void(const std::string&)> tell)
    : files_(std::move(files)), interval_(interval), tell_(std::move(tell)) {
  if (tell_) {
    thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
  }
}

std::string StoreWatch::Problem() {
  std::string problem = files_.Problem();
  if (!problem.empty()) {
    {
      const std::lock_guard lock(mutex_);
      look_ = true;
    }
    wake_.notify_one();
  }
  return problem;
}

void StoreWatch::Run(const std::stop_token& stop) {
  std::string told;
  for (bool last = false;;) {
    try {
      std::string problem = files_.Problem();
      if (problem != told) {
        tell_(problem);
        told = std::move(problem);
      }
    } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch)
      // The next look tells.
    }
    if (last) return;
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, stop, interval_, [this] { return look_; });
    look_ = false;
    last = stop.stop_requested();
  }
}

}  // namespace torqued::server
