#include "client/cpp/duration.h"

#include <cstdint>

namespace torqued::client {

std::optional<std::chrono::nanoseconds> ToNanoseconds(
    const google::protobuf::Duration& duration) {
  constexpr std::int64_t kPerSecond = 1'000'000'000;
  constexpr std::int64_t kMost = std::chrono::nanoseconds::max().count();
  if (duration.nanos() < 0 || duration.nanos() >= kPerSecond) {
    return std::nullopt;
  }
  if (duration.seconds() < 0 ||
      duration.seconds() > (kMost - duration.nanos()) / kPerSecond) {
    return std::nullopt;
  }
  return std::chrono::nanoseconds(duration.seconds() * kPerSecond +
                                  duration.nanos());
}

}  // namespace torqued::client
