// Measures the core and other dynamics libraries in one run: the same robots,
// the same states, and how far the answers are apart.
//
// Beside the flags of Google Benchmark:
//   --check   compare the answers, measure nothing
// Ends with 1 where an answer differs by more than its library explains.
//
// Names of what is measured, each in seconds per `items`, one item a state:
//   engine/ROBOT/WORKLOAD/TARGET/THREADS/STATES   Engine::Evaluate
//   single/ROBOT/WORKLOAD/TARGET/STATES           the same in single precision,
//                                                 with tables of f32, on one
//                                                 thread; "doubtful" is the
//                                                 share of the rows that are
//                                                 computed again in double
//                                                 precision, because single
//                                                 precision may be too coarse
//                                                 for them
//   robot/ROBOT/WORKLOAD                          class Robot, state by state
//   LIBRARY/ROBOT/WORKLOAD                        another library, likewise
//   peak/TARGET                                   multiply-adds; items are
//   flops
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/difference.h"
#include "bench/evaluation_run.h"
#include "bench/fma_peak.h"
#include "bench/operation_count.h"
#include "bench/peers/peer_module.h"
#include "bench/robots.h"
#include "bench/states.h"
#include "bench/targets.h"
#include "bench/workload.h"
#include "core/base/cores.h"
#include "core/batch/engine.h"
#include "core/batch/evaluate_rows.h"
#include "core/batch/robot.h"
#include "core/lanes/targets.h"

namespace torqued::bench {
namespace {

/// Of an ordinary batch.
constexpr std::int64_t kStates = 4096;
/// Of the loops over single states.
constexpr std::int64_t kSingleStates = 512;
constexpr std::int64_t kCompared = 256;
constexpr std::int64_t kCounts[] = {1, 8, 64, kStates};
/// Of all tables of results of an ordinary batch.
constexpr std::size_t kMostBytes = std::size_t{128} << 20;

/// A robot with its states; the large tables are made when first asked for.
class Subject {
 public:
  explicit Subject(BenchRobot robot)
      : robot_(std::move(robot)),
        states_(RandomStates(*robot_.model, kStates)) {}

  const BenchRobot& robot() const { return robot_; }
  const States& states() const { return states_; }
  const States& most_states() {
    if (most_states_.rows == 0) {
      most_states_ = RandomStates(*robot_.model, robot_.most_states);
    }
    return most_states_;
  }

 private:
  BenchRobot robot_;
  States states_;
  States most_states_;
};

/// Made once and kept, with the threads.
Engine& EngineFor(const std::string& target, int threads) {
  static std::map<std::pair<std::string, int>, std::unique_ptr<Engine>> engines;
  auto& engine = engines[{target, threads}];
  if (engine == nullptr) {
    engine = std::make_unique<Engine>(OptionsFor(target, threads));
  }
  return *engine;
}

std::string Joined(std::initializer_list<std::string_view> parts) {
  std::string name;
  for (const std::string_view part : parts) {
    if (!name.empty()) name += '/';
    name += part;
  }
  return name;
}

/// Of a million random states a few are singular to the task.
bool Usable(const EvaluationReport& report) {
  return !report.failed && !report.cancelled &&
         std::all_of(
             report.issues.begin(), report.issues.end(),
             [](const RowIssue& issue) { return HasAnswer(issue.code); });
}

void RunEngine(benchmark::State& state, Subject& subject, Workload workload,
               const std::string& target, int threads, std::int64_t count) {
  const States& states =
      count > kStates ? subject.most_states() : subject.states();
  const EvaluationRun run(subject.robot(), workload, states, count);
  Engine& engine = EngineFor(target, threads);
  // Its workspaces grow and its threads wake.
  if (count <= kStates) engine.Evaluate(run.plan(), run.outputs());
  for ([[maybe_unused]] auto _ : state) {
    const EvaluationReport report = engine.Evaluate(run.plan(), run.outputs());
    if (!Usable(report)) state.SkipWithError("a row is not OK");
  }
  state.SetItemsProcessed(state.iterations() * count);
}

void RegisterEngine(Subject& subject, Workload workload,
                    const std::string& target, int threads,
                    std::int64_t count) {
  auto* measured = benchmark::RegisterBenchmark(
      Joined({"engine", subject.robot().name, Name(workload), target,
              std::to_string(threads), std::to_string(count)})
          .c_str(),
      [&subject, workload, target, threads, count](benchmark::State& state) {
        RunEngine(state, subject, workload, target, threads, count);
      });
  measured->UseRealTime();
  // Long enough to be measured in one go.
  if (count > kStates) measured->Repetitions(2)->MinTime(1e-3);
}

/// Small plans run on the calling thread whatever the number of threads.
bool UsesThreads(const Subject& subject, Workload workload,
                 std::int64_t count) {
  const EvaluationRun run(subject.robot(), workload, subject.states(), count);
  return !Engine::IsSmall(run.plan());
}

/// Of an ordinary batch: fewer where the results are large.
std::int64_t OrdinaryStates(const Subject& subject, Workload workload) {
  const EvaluationRun one(subject.robot(), workload, subject.states(), 1);
  std::int64_t count = kStates;
  while (one.bytes() * static_cast<std::size_t>(count) > kMostBytes) count /= 2;
  return count;
}

/// One thread, best target.
void RegisterBest(Subject& subject, Workload workload) {
  RegisterEngine(subject, workload, TargetNames().back(), 1,
                 OrdinaryStates(subject, workload));
}

/// Of the rows that the kernels of single precision leave to double.
double DoubtfulShare(const EvaluationRun& run, const std::string& target) {
  const std::int64_t rows = run.plan().rows();
  if (run.plan().precision() != Precision::kSingle) return 1;
  RowWorkspace workspace;
  workspace.ReserveDoubtful(rows);
  const BlockJob job = run.plan().Job(run.outputs());
  const long long doubtful = RunLanes(*FindTarget(target), job, 0, rows,
                                      workspace, workspace.doubtful.data());
  return static_cast<double>(doubtful) / static_cast<double>(rows);
}

/// One thread, best target.
void RegisterSingle(Subject& subject, Workload workload) {
  const std::string target = TargetNames().back();
  const std::int64_t count = OrdinaryStates(subject, workload);
  benchmark::RegisterBenchmark(
      Joined({"single", subject.robot().name, Name(workload), target,
              std::to_string(count)})
          .c_str(),
      [&subject, workload, target, count](benchmark::State& state) {
        const EvaluationRun run(subject.robot(), workload, subject.states(),
                                count, Precision::kSingle);
        state.counters["doubtful"] = DoubtfulShare(run, target);
        Engine& engine = EngineFor(target, 1);
        engine.Evaluate(run.plan(), run.outputs());
        for ([[maybe_unused]] auto _ : state) {
          const EvaluationReport report =
              engine.Evaluate(run.plan(), run.outputs());
          if (!Usable(report)) state.SkipWithError("a row is not OK");
        }
        state.SetItemsProcessed(state.iterations() * count);
      })
      ->UseRealTime();
}

void RegisterEngines(Subject& subject, Workload workload) {
  const int cores = AvailableCores();
  for (const std::string& target : TargetNames()) {
    for (const std::int64_t count : kCounts) {
      RegisterEngine(subject, workload, target, 1, count);
      if (cores > 1 && UsesThreads(subject, workload, count)) {
        RegisterEngine(subject, workload, target, cores, count);
      }
    }
    const std::int64_t most = subject.robot().most_states;
    RegisterEngine(subject, workload, target, 1, most);
    if (cores > 1) RegisterEngine(subject, workload, target, cores, most);
  }
}

/// One state through class Robot.
void RunRobot(Robot& robot, Workload workload, const StateRow& row) {
  const int n = robot.model().nv();
  const auto vector = [n](const double* numbers) {
    return Eigen::Map<const Eigen::VectorXd>(numbers, n);
  };
  const auto q = vector(row.q), v = vector(row.v);
  switch (workload) {
    case Workload::kInverseDynamics:
      return benchmark::DoNotOptimize(
          robot.InverseDynamics(q, v, vector(row.a)).data());
    case Workload::kMassMatrix:
      return benchmark::DoNotOptimize(robot.MassMatrix(q).data());
    case Workload::kForwardDynamics:
      return benchmark::DoNotOptimize(
          robot.ForwardDynamics(q, v, vector(row.tau)).data());
    case Workload::kOperationalSpace:
      benchmark::DoNotOptimize(robot.Jacobian(q).data());
      return benchmark::DoNotOptimize(
          robot.OperationalSpace(q, v).lambda.data());
    case Workload::kBiasForces:
      return benchmark::DoNotOptimize(robot.BiasForces(q, v).data());
    case Workload::kJacobian:
      return benchmark::DoNotOptimize(robot.Jacobian(q).data());
    default:  // not one of the main ones
      return;
  }
}

void RegisterRobot(Subject& subject, Workload workload) {
  benchmark::RegisterBenchmark(
      Joined({"robot", subject.robot().name, Name(workload)}).c_str(),
      [&subject, workload](benchmark::State& state) {
        Robot::Options options;
        options.reference_frame = ReferenceFrame::kLocalWorldAligned;
        Robot robot(subject.robot().model, options);
        for ([[maybe_unused]] auto _ : state) {
          for (std::int64_t row = 0; row < kSingleStates; ++row) {
            RunRobot(robot, workload, RowOf(subject.states(), row));
          }
        }
        state.SetItemsProcessed(state.iterations() * kSingleStates);
      })
      ->UseRealTime();
}

void RegisterPeer(LoadedPeer& peer, const std::string& robot, Workload workload,
                  const Difference& difference) {
  benchmark::RegisterBenchmark(
      Joined({peer.library, robot, Name(workload)}).c_str(),
      [&peer, workload, difference](benchmark::State& state) {
        for ([[maybe_unused]] auto _ : state) {
          for (std::int64_t row = 0; row < peer.states.rows; ++row) {
            peer.peer->Compute(workload, RowOf(peer.states, row));
          }
        }
        state.SetItemsProcessed(state.iterations() * peer.states.rows);
        state.counters["difference"] = difference.largest;
      })
      ->UseRealTime();
}

void RegisterPeaks() {
  for (const PeakKernel& kernel : PeakKernels()) {
    benchmark::RegisterBenchmark(
        Joined({"peak", kernel.target}).c_str(),
        [kernel](benchmark::State& state) {
          constexpr std::int64_t kIterations = 100'000;
          for ([[maybe_unused]] auto _ : state) {
            benchmark::DoNotOptimize(kernel.run(kIterations));
          }
          state.SetItemsProcessed(state.iterations() * kIterations *
                                  kernel.flops);
        })
        ->UseRealTime();
  }
}

/// Compares a peer's answers with ours, and tells where they do not agree.
bool Compare(LoadedPeer& peer, Subject& subject, Workload workload,
             Difference& difference) {
  const BenchRobot& robot = subject.robot();
  const double tolerance = peer.peer->tolerance();
  bool agree = true;
  difference = {};
  for (const std::string& target : TargetNames()) {
    const EvaluationRun ours(robot, workload, subject.states(),
                             peer.states.rows);
    EngineFor(target, 1).Evaluate(ours.plan(), ours.outputs());
    const Difference found = DifferenceOf(peer, ours, workload);
    if (!(found.conditioned <= tolerance)) {
      std::fprintf(stderr,
                   "%s and %s differ in %s of %s: %.2g, more than %.2g\n",
                   peer.library.c_str(), target.c_str(),
                   std::string(Name(workload)).c_str(), robot.name.c_str(),
                   found.conditioned, tolerance);
      agree = false;
    }
    difference.largest = std::max(difference.largest, found.largest);
  }
  return agree;
}

std::string CpuName() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "unknown";
}

void AddContext(const std::vector<std::unique_ptr<Subject>>& subjects) {
  benchmark::AddCustomContext("cpu", CpuName());
  benchmark::AddCustomContext("cores", std::to_string(AvailableCores()));
  benchmark::AddCustomContext("compiler", TORQUED_BENCH_COMPILER);
  std::string targets;
  for (const std::string& target : TargetNames()) {
    targets += (targets.empty() ? "" : " ") + target;
  }
  benchmark::AddCustomContext("targets", targets);
  for (const auto& subject : subjects) {
    const BenchRobot& robot = subject->robot();
    const OperationCount count = CountInverseDynamics(*robot.model);
    benchmark::AddCustomContext("joints/" + robot.name,
                                std::to_string(robot.model->nv()));
    benchmark::AddCustomContext("multiplications/" + robot.name,
                                std::to_string(count.multiplications));
    benchmark::AddCustomContext("additions/" + robot.name,
                                std::to_string(count.additions));
  }
}

/// Repetitions in random order, short ones: what disturbs the machine for a
/// while disturbs all alike, and the best of each counts.
std::vector<std::string> DefaultFlags() {
  return {"--benchmark_repetitions=9", "--benchmark_min_time=0.004",
          "--benchmark_enable_random_interleaving=true"};
}

int Main(int argc, char** argv) {
  std::vector<std::string> arguments = DefaultFlags();
  arguments.insert(arguments.begin(), argv[0]);
  bool only_check = false;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--check") {
      only_check = true;
    } else {
      arguments.emplace_back(argv[i]);
    }
  }
  std::vector<char*> pointers;
  pointers.reserve(arguments.size());
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  int count = static_cast<int>(pointers.size());
  benchmark::Initialize(&count, pointers.data());
  if (benchmark::ReportUnrecognizedArguments(count, pointers.data())) return 2;

  bool agree = true;
  std::vector<std::unique_ptr<Subject>> subjects;
  std::vector<std::unique_ptr<LoadedPeer>> peers;
  std::map<std::string, std::string> versions;
  for (BenchRobot& robot : BenchRobots()) {
    subjects.push_back(std::make_unique<Subject>(std::move(robot)));
    Subject& subject = *subjects.back();
    for (const Workload workload : AllWorkloads()) {
      if (IsMain(workload) && subject.robot().most_states > 0) {
        RegisterEngines(subject, workload);
        RegisterRobot(subject, workload);
      } else {
        RegisterBest(subject, workload);
      }
      RegisterSingle(subject, workload);
    }
    for (const std::string& library : PeerLibraries()) {
      peers.push_back(std::make_unique<LoadedPeer>(
          LoadPeer(library, subject.robot(), subject.states(), kCompared)));
      LoadedPeer& peer = *peers.back();
      versions[library] = peer.peer->version();
      for (const Workload workload : AllWorkloads()) {
        if (!peer.peer->Computes(workload)) continue;
        Difference difference;
        agree &= Compare(peer, subject, workload, difference);
        RegisterPeer(peer, subject.robot().name, workload, difference);
      }
    }
  }
  if (!agree) return 1;
  if (only_check) return 0;
  subjects.push_back(std::make_unique<Subject>(LightLinkedRobot()));
  for (const Workload workload : AllWorkloads()) {
    RegisterBest(*subjects.back(), workload);
    RegisterSingle(*subjects.back(), workload);
  }
  RegisterPeaks();
  AddContext(subjects);
  for (const auto& [library, version] : versions) {
    benchmark::AddCustomContext("version/" + library, version);
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace
}  // namespace torqued::bench

int main(int argc, char** argv) {
  try {
    return torqued::bench::Main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "torqued_bench: %s\n", error.what());
    return 1;
  }
}
