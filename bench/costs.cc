// What rows cost by estimate, beside the instructions that they take, for
// quantities and sizes of all kinds.
//
// Usage: torqued_costs list, for "CASE NANOSECONDS" by estimate, of a row; or
// torqued_costs callgrind CASE..., which runs each once, as
// torqued_instructions does.
//
// A case is QUANTITY/JOINTS. Mass matrices are regular, so that no row is in
// doubt.
#include <valgrind/callgrind.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "bench/evaluation_run.h"
#include "bench/robots.h"
#include "bench/states.h"
#include "bench/targets.h"
#include "bench/workload.h"
#include "core/batch/engine.h"
#include "tests/support/load_model.h"
#include "tests/support/random_robot.h"
#include "tests/support/with_armature.h"

namespace torqued::bench {
namespace {

/// The most joints of a regressor.
constexpr int kMostOfRegressor = 256;
/// By lanes, by lanes but for large results, and one state at a time.
constexpr int kSizes[] = {7, 30, 100, kMostOfRegressor, 300};
/// A block of the target below.
constexpr std::int64_t kRows = 4;

/// The widest that valgrind can execute.
std::string CountableTarget() {
  const std::vector<std::string> names = TargetNames();
  const bool wide =
      std::find(names.begin(), names.end(), "avx2") != names.end();
  return wide ? "avx2" : "baseline";
}

BenchRobot Chain(int joints) {
  const testing_support::RandomRobotOptions chain = {
      .shape = testing_support::RandomRobotOptions::Shape::kChain,
      .dof = joints};
  BenchRobot robot;
  robot.name = std::to_string(joints);
  robot.model = testing_support::WithArmature(
      *testing_support::LoadModel(MakeRandomRobot(1, chain).urdf), 1e6);
  robot.tip = "tip";
  return robot;
}

void ForCases(const std::function<void(const std::string&,
                                       const EvaluationRun&)>& visit) {
  for (const int joints : kSizes) {
    const BenchRobot robot = Chain(joints);
    const States states = RandomStates(*robot.model, kRows);
    for (const Workload workload : AllWorkloads()) {
      const bool is_regressor = workload == Workload::kRegressor;
      if (joints == kMostOfRegressor && !is_regressor) continue;
      // Limits of their results.
      if (joints > kMostOfRegressor && is_regressor) continue;
      if (joints > 100 && workload == Workload::kChristoffelSymbols) continue;
      visit(std::string(Name(workload)) + "/" + robot.name,
            EvaluationRun(robot, workload, states, joints > 100 ? 1 : kRows));
    }
  }
}

void List() {
  ForCases([](const std::string& name, const EvaluationRun& run) {
    const std::int64_t rows = run.plan().rows();
    std::printf("%s %.1f\n", name.c_str(),
                run.plan().Nanoseconds(rows) / static_cast<double>(rows));
  });
}

/// Whether all were there.
bool ProfileEach(const std::vector<std::string>& names) {
  // Read by valgrind after the next instructions, not at once.
  static std::deque<std::string> triggers;
  Engine engine(OptionsFor(CountableTarget(), 1));
  std::size_t found = 0;
  ForCases([&](const std::string& name, const EvaluationRun& run) {
    if (std::find(names.begin(), names.end(), name) == names.end()) return;
    ++found;
    engine.EvaluateHere(run.plan(), run.outputs());  // workspaces, symbols
    CALLGRIND_DUMP_STATS_AT("set-up");
    engine.EvaluateHere(run.plan(), run.outputs());
    triggers.push_back(name + " " + std::to_string(run.plan().rows()));
    CALLGRIND_DUMP_STATS_AT(triggers.back().c_str());
  });
  return found == names.size();
}

int Main(const std::vector<std::string>& arguments) {
  const std::string command = arguments.empty() ? "" : arguments[0];
  if (command == "list" && arguments.size() == 1) {
    List();
    return 0;
  }
  if (command == "callgrind" && arguments.size() > 1) {
    return ProfileEach({arguments.begin() + 1, arguments.end()}) ? 0 : 1;
  }
  std::fputs("usage: torqued_costs list | callgrind CASE...\n", stderr);
  return 2;
}

}  // namespace
}  // namespace torqued::bench

int main(int argc, char** argv) {
  try {
    return torqued::bench::Main({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "torqued_costs: %s\n", error.what());
    return 1;
  }
}
