#include "server/registry/loading_turns.h"

#include <tuple>

namespace torqued::server {

LoadingTurns::Turn::Turn(LoadingTurns& turns, std::string_view revision)
    : turns_(turns) {
  const std::string wanted(revision);
  std::unique_lock lock(turns_.mutex_);
  bool free = false;
  turns_.ended_.wait(lock, [&] {
    std::tie(place_, free) = turns_.taken_.insert(wanted);
    return free;
  });
}

LoadingTurns::Turn::~Turn() {
  {
    const std::lock_guard lock(turns_.mutex_);
    turns_.taken_.erase(place_);
  }
  turns_.ended_.notify_all();
}

}  // namespace torqued::server
