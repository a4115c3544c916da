// Connections that got nowhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace torqued::server {

/// Counts them by cause. Logs one line a cause and second at most, with how
/// many there were since the line before. Thread-safe.
class TurnedAway {
 public:
  /// `cause` lives for ever.
  void Count(std::string_view cause, const std::string& detail);
  std::int64_t count() const;

 private:
  struct Cause {
    std::int64_t untold = 0;
    std::chrono::steady_clock::time_point told;
  };

  mutable std::mutex mutex_;
  std::map<std::string_view, Cause> causes_;
  std::int64_t count_ = 0;
};

}  // namespace torqued::server
