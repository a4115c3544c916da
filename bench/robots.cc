#include "bench/robots.h"

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "bench/humanoid.h"
#include "core/formats/urdf.h"

namespace torqued::bench {
namespace {

std::string ReadDeployed(const std::string& name) {
  const std::string path = TORQUED_MODELS_DIR "/" + name + ".urdf";
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw std::runtime_error("cannot read " + path);
  return std::move(text).str();
}

BenchRobot Load(std::string name, std::string urdf, std::string tip,
                std::int64_t most_states) {
  BuildOptions options;
  options.default_tip = tip;
  LoadResult loaded = LoadUrdf(urdf, options);
  if (loaded.model == nullptr) {
    throw std::runtime_error(
        name + " does not load: " + loaded.report.findings().front().message);
  }
  return {std::move(name), std::move(urdf), std::move(tip),
          std::move(loaded.model), most_states};
}

}  // namespace

std::vector<BenchRobot> BenchRobots() {
  return {
      Load("ur5e", ReadDeployed("ur5e"), "tool0", 1'000'000),
      Load("panda", ReadDeployed("panda"), "panda_link8", 1'000'000),
      // Its mass matrices take 10 kB each.
      Load("humanoid", HumanoidUrdf(), kHumanoidTip, 100'000),
  };
}

}  // namespace torqued::bench
