// Evaluates a known number of states, for tools that count instructions. Counts
// do not depend on what else the machine does, so a small loss of speed shows.
//
// Usage:
//   torqued_instructions compiler   what the counts belong to
//   torqued_instructions            each case once, under valgrind
//     --tool=callgrind, which writes a profile after each; its trigger is
//     "CASE STATES"
//
// A case is TARGET/ROBOT/QUANTITY; AVX-512, which valgrind cannot execute, is
// no target. One call evaluates a block of states on an engine of one thread.
#include <valgrind/callgrind.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "bench/evaluation_run.h"
#include "bench/robots.h"
#include "core/engine/engine.h"

namespace torqued::bench {
namespace {

/// Of a call: a multiple of every number of lanes.
constexpr std::int64_t kMostStates = 256;
constexpr std::int64_t kFewestStates = 8;

/// Of one robot, lest they take long to count.
constexpr char kRobotOfFurther[] = "panda";
constexpr std::array kFurther = {
    Quantity::kCoriolisMatrix,
    Quantity::kMassMatrixInverse,
    Quantity::kJointWrenches,
    Quantity::kRegressor,
    Quantity::kInverseDynamicsDerivatives,
    Quantity::kForwardDynamicsDerivatives,
};

std::vector<Quantity> CountedQuantities(const BenchRobot& robot) {
  if (robot.name == "panda_gripper") return {};
  std::vector<Quantity> counted(kMainQuantities.begin(), kMainQuantities.end());
  if (robot.name == kRobotOfFurther) {
    counted.insert(counted.end(), kFurther.begin(), kFurther.end());
  }
  return counted;
}

void ProfileEachCase() {
  // Read by valgrind after the next instructions, not at once.
  static std::deque<std::string> triggers;
  const std::vector<BenchRobot> robots = BenchRobots();
  for (const std::string& target : TargetNames()) {
    if (target == "avx512") continue;
    Engine engine(OptionsFor(target, 1));
    for (const BenchRobot& robot : robots) {
      const States states = RandomStates(*robot.model, kMostStates);
      for (const Quantity quantity : CountedQuantities(robot)) {
        // Few enough for the calling thread, so that no thread's waiting is
        // counted.
        std::int64_t rows = kMostStates;
        while (rows > kFewestStates &&
               !Engine::IsSmall(
                   EvaluationRun(robot, quantity, states, rows).plan())) {
          rows /= 2;
        }
        // Pages, memory, symbols; by a plan of its own, since valgrind is slow
        // and the engine measures whether a plan is small.
        const EvaluationRun first(robot, quantity, states, rows);
        engine.Evaluate(first.plan(), first.outputs());
        const EvaluationRun run(robot, quantity, states, rows);
        CALLGRIND_DUMP_STATS_AT("set-up");
        engine.Evaluate(run.plan(), run.outputs());
        triggers.push_back(target + "/" + robot.name + "/" +
                           std::string(ToString(quantity)) + " " +
                           std::to_string(rows));
        CALLGRIND_DUMP_STATS_AT(triggers.back().c_str());
      }
    }
  }
}

}  // namespace
}  // namespace torqued::bench

int main(int argc, char** argv) {
  try {
    if (argc == 2 && std::string_view(argv[1]) == "compiler") {
      std::puts(TORQUED_BENCH_COMPILER);
    } else {
      torqued::bench::ProfileEachCase();
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "torqued_instructions: %s\n", error.what());
    return 1;
  }
}
