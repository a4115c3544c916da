// Evaluates a known number of states, for tools that count instructions. Counts
// do not depend on what else the machine does, so a small loss of speed shows.
//
// Usage:
//   torqued_instructions compiler          what the counts belong to
//   torqued_instructions list              names of the cases
//   torqued_instructions callgrind CASE... each once, under valgrind
//     --tool=callgrind, which writes a profile after each; its trigger is
//     "CASE STATES"
//   torqued_instructions step CASE...      counts them itself, by executing one
//     instruction at a time; prints "CASE INSTRUCTIONS STATES" for each
//
// A case is TARGET/ROBOT/WORKLOAD. One call evaluates a block of states on an
// engine of one thread.
#include <valgrind/callgrind.h>

#include <algorithm>
#include <array>
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
#include "bench/step_count.h"
#include "bench/targets.h"
#include "bench/workload.h"
#include "core/batch/engine.h"

namespace torqued::bench {
namespace {

/// Of a call: a multiple of every number of lanes.
constexpr std::int64_t kMostStates = 256;
constexpr std::int64_t kMostSteppedStates = 32;  // slow
constexpr std::int64_t kFewestStates = 8;

/// Of one robot, lest they take long to count.
constexpr char kRobotOfFurther[] = "panda";
constexpr std::array kFurther = {
    Workload::kCoriolisMatrix,
    Workload::kMassMatrixInverse,
    Workload::kJointWrenches,
    Workload::kRegressor,
    Workload::kInverseDynamicsDerivatives,
    Workload::kForwardDynamicsDerivatives,
};

std::vector<Workload> CountedWorkloads(const BenchRobot& robot) {
  std::vector<Workload> counted;
  if (robot.most_states > 0) {
    counted.assign(kMainWorkloads.begin(), kMainWorkloads.end());
  }
  if (robot.name == kRobotOfFurther) {
    counted.insert(counted.end(), kFurther.begin(), kFurther.end());
  }
  return counted;
}

struct Case {
  std::string name;
  std::int64_t states;  // of a call
  std::function<void()> call;
};

/// Few enough for the calling thread, so that no thread's waiting is counted.
std::int64_t StatesOfCall(const BenchRobot& robot, Workload workload,
                          const States& states, std::int64_t most) {
  std::int64_t rows = most;
  while (
      rows > kFewestStates &&
      !Engine::IsSmall(EvaluationRun(robot, workload, states, rows).plan())) {
    rows /= 2;
  }
  return rows;
}

void ForCases(const std::function<void(const Case&)>& visit,
              std::int64_t most_states = kMostStates) {
  const std::vector<BenchRobot> robots = BenchRobots();
  for (const std::string& target : TargetNames()) {
    Engine engine(OptionsFor(target, 1));
    for (const BenchRobot& robot : robots) {
      const States states = RandomStates(*robot.model, kMostStates);
      for (const Workload workload : CountedWorkloads(robot)) {
        const std::int64_t rows =
            StatesOfCall(robot, workload, states, most_states);
        const EvaluationRun run(robot, workload, states, rows);
        visit({target + "/" + robot.name + "/" + std::string(Name(workload)),
               rows, [&] { engine.Evaluate(run.plan(), run.outputs()); }});
      }
    }
  }
}

/// Whether all were there.
bool ProfileEach(const std::vector<std::string>& names) {
  // Read by valgrind after the next instructions, not at once.
  static std::deque<std::string> triggers;
  std::size_t found = 0;
  ForCases([&](const Case& c) {
    if (std::find(names.begin(), names.end(), c.name) == names.end()) return;
    ++found;
    c.call();  // pages, workspaces, symbols
    CALLGRIND_DUMP_STATS_AT("set-up");
    c.call();
    triggers.push_back(c.name + " " + std::to_string(c.states));
    CALLGRIND_DUMP_STATS_AT(triggers.back().c_str());
  });
  return found == names.size();
}

/// Whether all were there.
bool StepEach(const std::vector<std::string>& names) {
  std::size_t found = 0;
  ForCases(
      [&](const Case& c) {
        if (std::find(names.begin(), names.end(), c.name) == names.end())
          return;
        ++found;
        c.call();
        const std::string line = c.name + " " +
                                 std::to_string(CountBySteps(c.call)) + " " +
                                 std::to_string(c.states);
        std::puts(line.c_str());
      },
      kMostSteppedStates);
  return found == names.size();
}

int Main(const std::vector<std::string>& arguments) {
  const std::string command = arguments.empty() ? "" : arguments[0];
  if (command == "compiler" && arguments.size() == 1) {
    std::puts(TORQUED_BENCH_COMPILER);
    return 0;
  }
  if (command == "list" && arguments.size() == 1) {
    ForCases([](const Case& c) { std::puts(c.name.c_str()); });
    return 0;
  }
  if (command == "callgrind" && arguments.size() > 1) {
    return ProfileEach({arguments.begin() + 1, arguments.end()}) ? 0 : 1;
  }
  if (command == "step" && arguments.size() > 1) {
    return StepEach({arguments.begin() + 1, arguments.end()}) ? 0 : 1;
  }
  std::fputs(
      "usage: torqued_instructions compiler | list | callgrind CASE... | "
      "step CASE...\n",
      stderr);
  return 2;
}

}  // namespace
}  // namespace torqued::bench

int main(int argc, char** argv) {
  try {
    return torqued::bench::Main({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "torqued_instructions: %s\n", error.what());
    return 1;
  }
}
