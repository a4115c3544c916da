#include "server/config/byte_limits.h"

#include <algorithm>
#include <limits>

#include "core/batch/parallelism.h"
#include "core/batch/row_workspace.h"

namespace torqued::server {
namespace {

constexpr std::int64_t kMebibyte = 1 << 20;
constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

// The server with nothing to do: 33 MB, and the stacks of its threads.
constexpr std::int64_t kItself = 39 * kMebibyte;

constexpr std::int64_t kLargestMessages = 4;
constexpr std::int64_t kConnections = 64 * kMebibyte;
constexpr std::int64_t kModels = 1024 * kMebibyte;
constexpr std::int64_t kKeptFree = 128 * kMebibyte;

// Of its own, where it gives way, and of those that call the engine; and of who
// stands in for one.
constexpr int kWorkspacesOfAThread = 3;
constexpr int kWorkspacesBeside = 2;

// Shares of less would be of no use.
constexpr std::int64_t kLeastMessage = kMebibyte;
// A message, three times, and its reply, twice, of a client that has half.
constexpr std::int64_t kLeastUnderWay = 10 * kMebibyte;

/// Both are at least 0.
std::int64_t Sum(std::int64_t a, std::int64_t b) {
  return a > kLargest - b ? kLargest : a + b;
}

}  // namespace

// Together with what follows from them 52/64, and kItself.
void SetShares(const MemoryLimit& memory, Settings* settings) {
  const Settings most;
  settings->memory = memory;
  settings->max_message_bytes =
      std::clamp(memory.bytes / 64, kLeastMessage, most.max_message_bytes);
  settings->max_inflight_bytes =
      std::clamp(memory.bytes / 4, kLeastUnderWay, most.max_inflight_bytes);
}

std::int64_t ArrivalBytes(const Settings& settings) {
  // Whoever wants no limit of work under way writes the largest number.
  return Sum(settings.max_inflight_bytes,
             kLargestMessages * settings.max_message_bytes +
                 std::min(kConnections, settings.memory.bytes / 8));
}

std::int64_t CachedSourceBytes(const Settings& settings) {
  return std::min(kModels, settings.memory.bytes / 16) / kBytesOfModel;
}

std::int64_t KeptFreeInHeap(std::int64_t memory_bytes) {
  return std::min(kKeptFree, memory_bytes / 64);
}

std::int64_t WorkspaceBytes(const Settings& settings) {
  const int threads =
      settings.threads > 0 ? settings.threads : AvailableCores();
  return (std::int64_t{kWorkspacesOfAThread} * threads + kWorkspacesBeside) *
         RowWorkspace::kMostKept;
}

std::int64_t HeldBytes(const Settings& settings) {
  const std::int64_t under_way = settings.max_inflight_bytes;
  const std::int64_t held =
      kItself + kHeaps * KeptFreeInHeap(settings.memory.bytes) +
      kBytesOfModel * CachedSourceBytes(settings) + WorkspaceBytes(settings);
  return Sum(held, Sum(ArrivalBytes(settings), under_way));
}

}  // namespace torqued::server
