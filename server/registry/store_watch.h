// Whether the files of an open store are still those that were opened.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "server/registry/store_files.h"

namespace torqued::server {

/// Looks at the files now and then and tells when that changes. Thread-safe.
class StoreWatch {
 public:
  /// `tell`, if given, is called on a thread of the watch, with what is wrong,
  /// and with an empty text once nothing is any more. The last look is when the
  /// watch goes.
  StoreWatch(OpenFiles files, std::chrono::milliseconds interval,
             std::function<void(const std::string&)> tell);

  /// What is wrong now; empty: nothing. It is told soon.
  std::string Problem();

 private:
  void Run(const std::stop_token& stop);

  const OpenFiles files_;
  const std::chrono::milliseconds interval_;
  const std::function<void(const std::string&)> tell_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  bool look_ = false;  // now; guarded by mutex_
  std::jthread thread_;
};

}  // namespace torqued::server
