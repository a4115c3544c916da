#include "bench/targets.h"

#include <algorithm>

#include "core/lanes/targets.h"

namespace torqued::bench {

std::vector<std::string> TargetNames() {
  std::vector<std::string> names;
  for (const LaneKernels* target : Targets())
    names.emplace_back(target->target);
  std::reverse(names.begin(), names.end());
  return names;
}

Engine::Options OptionsFor(const std::string& target, int threads) {
  Engine::Options options;
  options.threads = threads;
  options.target = FindTarget(target);
  return options;
}

}  // namespace torqued::bench
