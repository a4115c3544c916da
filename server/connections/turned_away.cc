#include "server/connections/turned_away.h"

#include "server/observability/logging.h"

namespace torqued::server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kBetweenLines{1};

}  // namespace

void TurnedAway::Count(std::string_view cause, const std::string& detail) {
  std::int64_t untold = 0;
  {
    const std::lock_guard lock(mutex_);
    ++count_;
    Cause& known = causes_[cause];
    ++known.untold;
    const auto now = Clock::now();
    if (known.told != Clock::time_point() && now < known.told + kBetweenLines) {
      return;
    }
    untold = known.untold;
    known = {0, now};
  }
  Log(LogLevel::kWarn, "connections turned away",
      {{"cause", cause}, {"detail", detail}, {"count", untold}});
}

std::int64_t TurnedAway::count() const {
  const std::lock_guard lock(mutex_);
  return count_;
}

}  // namespace torqued::server
