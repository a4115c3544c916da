#include "server/config/byte_limits.h"

#include <algorithm>
#include <limits>

namespace torqued::server {
namespace {

constexpr std::int64_t kMebibyte = 1 << 20;
constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

constexpr std::int64_t kLargestMessages = 4;
constexpr std::int64_t kConnections = 64 * kMebibyte;
constexpr std::int64_t kModels = 1024 * kMebibyte;
constexpr std::int64_t kKeptFree = 128 * kMebibyte;

// Shares of less would be of no use.
constexpr std::int64_t kLeastMessage = kMebibyte;
// A message, three times, and its reply, twice, of a client that has half.
constexpr std::int64_t kLeastUnderWay = 10 * kMebibyte;

}  // namespace

void SetShares(const MemoryLimit& memory, Settings* settings) {
  const Settings most;
  settings->memory = memory;
  settings->max_message_bytes =
      std::clamp(memory.bytes / 64, kLeastMessage, most.max_message_bytes);
  settings->max_inflight_bytes =
      std::clamp(memory.bytes / 4, kLeastUnderWay, most.max_inflight_bytes);
}

std::int64_t ArrivalBytes(const Settings& settings) {
  const std::int64_t besides =
      kLargestMessages * settings.max_message_bytes +
      std::min(kConnections, settings.memory.bytes / 8);
  // The largest number is no limit.
  return std::min(settings.max_inflight_bytes, kLargest - besides) + besides;
}

std::int64_t CachedSourceBytes(const Settings& settings) {
  return std::min(kModels, settings.memory.bytes / 16) / kBytesOfModel;
}

std::int64_t KeptFreeInHeap(std::int64_t memory_bytes) {
  return std::min(kKeptFree, memory_bytes / 64);
}

}  // namespace torqued::server
