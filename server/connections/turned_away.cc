#include "server/connections/turned_away.h"

#include "server/observability/logging.h"

namespace torqued::server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kBetweenLines{1};

}  // namespace

void TurnedAway::Count(std::string_view cause, const std::string& detail) {
  const std::lock_guard lock(mutex_);
  ++count_;
  Cause& known = causes_[cause];
  ++known.untold;
  known.detail = detail;
  const auto now = Clock::now();
  if (known.told == Clock::time_point() || now >= known.told + kBetweenLines) {
    TellLocked(cause, known, now);
  }
}

std::optional<Clock::time_point> TurnedAway::TellLate() {
  const std::lock_guard lock(mutex_);
  std::optional<Clock::time_point> next;
  const auto now = Clock::now();
  for (auto& [cause, known] : causes_) {
    if (known.untold == 0) continue;
    const auto due = known.told + kBetweenLines;
    if (due <= now) {
      TellLocked(cause, known, now);
    } else if (!next || due < *next) {
      next = due;
    }
  }
  return next;
}

void TurnedAway::TellLocked(std::string_view cause, Cause& known,
                            Clock::time_point now) {
  // Nobody waits for a line: they go through a queue.
  Log(LogLevel::kWarn, "connections turned away",
      {{"cause", cause}, {"detail", known.detail}, {"count", known.untold}});
  known.untold = 0;
  known.told = now;
}

std::int64_t TurnedAway::count() const {
  const std::lock_guard lock(mutex_);
  return count_;
}

}  // namespace torqued::server
