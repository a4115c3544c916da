#include "bench/targets.h"

namespace torqued::bench {

std::vector<std::string> Targets() { return {std::string(Engine().target())}; }

Engine::Options OptionsFor([[maybe_unused]] const std::string& target,
                           int threads) {
  Engine::Options options;
  options.threads = threads;
  return options;
}

}  // namespace torqued::bench
