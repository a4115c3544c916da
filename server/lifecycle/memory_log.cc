#include "server/lifecycle/memory_log.h"

#include "server/config/byte_limits.h"
#include "server/observability/logging.h"

namespace torqued::server {

void LogMemory(const Settings& settings) {
  const std::int64_t held = HeldBytes(settings);
  const LogField memory{"memory_bytes", settings.memory.bytes},
      source{"memory_source", settings.memory.source},
      may_hold{"max_held_bytes", held},
      under_way{"max_inflight_bytes", settings.max_inflight_bytes},
      message{"max_message_bytes", settings.max_message_bytes};
  if (held > settings.memory.bytes) {
    Log(LogLevel::kWarn,
        "the settings let the server hold more memory than there is; lower "
        "max-inflight-bytes or max-message-bytes",
        {memory, source, may_hold, under_way, message});
  } else {
    Log(LogLevel::kInfo, "memory",
        {memory, source, may_hold, under_way, message});
  }
}

}  // namespace torqued::server
