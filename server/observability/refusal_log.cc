#include "server/observability/refusal_log.h"

#include <mutex>
#include <vector>

#include "server/observability/logging.h"
#include "server/observability/refusal_limit.h"

namespace torqued::server {
namespace {

struct Refusals {
  std::mutex mutex;
  RefusalLimit limit;
};

/// Stays for what is refused while the process ends.
Refusals& Instance() {
  static auto* const refusals = new Refusals;
  return *refusals;
}

void LogLeftOut(RefusalLimit::Clock::time_point now) {
  std::vector<RefusalLimit::LeftOut> left_out;
  {
    const std::lock_guard lock(Instance().mutex);
    left_out = Instance().limit.TakeLeftOut(now);
  }
  for (const auto& refusals : left_out) {
    Log(LogLevel::kWarn, "refusals without a line of their own",
        {{"outcome", refusals.reason},
         {"peer", refusals.peer},
         {"count", refusals.count}});
  }
}

}  // namespace

bool MayLogRefusal(std::string_view reason, std::string_view peer) {
  const auto now = RefusalLimit::Clock::now();
  const std::lock_guard lock(Instance().mutex);
  return Instance().limit.Take(reason, HostOf(peer), now);
}

void LogLeftOutRefusals() { LogLeftOut(RefusalLimit::Clock::now()); }

void LogAllLeftOutRefusals() {
  LogLeftOut(RefusalLimit::Clock::time_point::max());
}

}  // namespace torqued::server
