// What a store tells of its files.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>

#include "server/registry/sqlite_store.h"

namespace torqued::server {

/// What a store told last.
class Told {
 public:
  StoreOptions Options() {
    return {.look = std::chrono::milliseconds(1),
            .tell = [this](const std::string& problem) {
              const std::lock_guard lock(mutex_);
              problem_ = problem;
              changed_.notify_all();
            }};
  }
  /// Whether it is told that there is a problem, or none any more.
  bool Becomes(bool problem) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(30),
                             [&] { return problem_.empty() != problem; });
  }
  std::string problem() {
    const std::lock_guard lock(mutex_);
    return problem_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string problem_;
};

}  // namespace torqued::server
