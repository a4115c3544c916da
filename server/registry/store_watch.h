// Whether the files of an open store are still those that were opened.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "server/registry/store_files.h"

namespace torqued::server {

/// Looks at the files now and then and tells when that changes. Thread-safe.
class StoreWatch {
 public:
  struct Times {
    std::chrono::milliseconds between_looks;
    /// Who writes waits so long for a look that takes long.
    std::chrono::milliseconds patience;
  };

  /// `tell`, if given, is called on a thread of the watch, with what is wrong,
  /// and with an empty text once nothing is any more. The last look is when the
  /// watch goes.
  StoreWatch(OpenFiles files, Times times,
             std::function<void(const std::string&)> tell);

  /// Why nothing is to be written now, as a sentence without its end; empty:
  /// nothing is wrong. What is wrong with the files is told soon. A store that
  /// takes long to look through is left to the thread of the watch: while that
  /// is behind for longer than the patience, nobody waits for it.
  std::string Problem();

 private:
  using Clock = std::chrono::steady_clock;

  void Run(const std::stop_token& stop);
  void LookAndTell(std::string& told);

  const OpenFiles files_;
  const Times times_;
  const std::function<void(const std::string&)> tell_;
  std::mutex mutex_;
  std::condition_variable_any wake_, looked_;
  // Guarded by mutex_.
  bool look_ = false;       // now
  std::int64_t looks_ = 0;  // that have ended
  std::optional<Clock::time_point> behind_since_;
  std::jthread thread_;
};

}  // namespace torqued::server
