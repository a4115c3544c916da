// Connections that got nowhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace torqued::server {

/// Counts them by cause. Logs one line a cause and second at most, with how
/// many there were since the line before and the last of them. Thread-safe.
class TurnedAway {
 public:
  /// `cause` lives for ever.
  void Count(std::string_view cause, const std::string& detail);
  /// Logs those without a line whose second is over; when it is to be called
  /// again, if ever.
  std::optional<std::chrono::steady_clock::time_point> TellLate();
  std::int64_t count() const;

 private:
  struct Cause {
    std::int64_t untold = 0;
    std::string detail;  // of the last
    std::chrono::steady_clock::time_point told;
  };

  void TellLocked(std::string_view cause, Cause& known,
                  std::chrono::steady_clock::time_point now);

  mutable std::mutex mutex_;
  std::map<std::string_view, Cause> causes_;
  std::int64_t count_ = 0;
};

}  // namespace torqued::server
