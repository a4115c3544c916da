// Measures the core and other dynamics libraries in one run: the same robots,
// the same states, and how far the answers are apart.
//
// Beside the flags of Google Benchmark:
//   --check   compare the answers, measure nothing
// Ends with 1 where an answer differs by more than its library explains.
//
// Names of what is measured, each in seconds per `items`, one item a state:
//   engine/ROBOT/QUANTITY/TARGET/THREADS/STATES   Engine::Evaluate; "bytes" are
//                                                 those of a state's results
//   single/ROBOT/QUANTITY     the same in single precision with tables of f32,
//                             best target, one thread; "fallback" is the share
//                             of the rows that are computed again in double
//   robot/ROBOT/QUANTITY      class Robot, state by state
//   LIBRARY/ROBOT/QUANTITY    another library, likewise; "difference" is the
//                             largest of its answers from ours
//   store                     streaming stores; items are bytes
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/difference.h"
#include "bench/evaluation_run.h"
#include "bench/peers/peer.h"
#include "core/base/cores.h"
#include "core/engine/evaluate_rows.h"
#include "core/engine/robot.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace torqued::bench {
namespace {

constexpr std::int64_t kBatch = 4096, kSmallBatch = 64;
/// Of the loops over single states: they stay in the cache.
constexpr std::int64_t kSingleStates = 256;
/// Of all tables of results of a batch.
constexpr std::size_t kMostBytes = std::size_t{128} << 20;

struct Subject {
  BenchRobot robot;
  States states;
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

template <class Function>
void Register(const std::string& name, const Function& function) {
  benchmark::RegisterBenchmark(name.c_str(), function)->UseRealTime();
}

std::string NameOf(const std::string& what, const Subject& subject,
                   Quantity quantity) {
  return what + "/" + subject.robot.name + "/" +
         std::string(ToString(quantity));
}

/// Fewer than kBatch where the results are large.
std::int64_t BatchOf(const Subject& subject, Quantity quantity) {
  const EvaluationRun one(subject.robot, quantity, subject.states, 1);
  std::int64_t count = kBatch;
  while (one.bytes() * static_cast<std::size_t>(count) > kMostBytes) count /= 2;
  return count;
}

void Measure(benchmark::State& state, Engine& engine,
             const EvaluationRun& run) {
  engine.Evaluate(run.plan(), run.outputs());  // grows memory, wakes threads
  for ([[maybe_unused]] auto _ : state) {
    const EvaluationReport report = engine.Evaluate(run.plan(), run.outputs());
    const bool usable = std::all_of(
        report.issues.begin(), report.issues.end(), [](const RowIssue& issue) {
          return issue.code == RowCode::kSingularTaskSpace;
        });
    if (report.failed || !usable) state.SkipWithError("a row is not OK");
  }
  const std::int64_t rows = run.plan().rows();
  state.SetItemsProcessed(state.iterations() * rows);
  state.counters["bytes"] =
      static_cast<double>(run.bytes()) / static_cast<double>(rows);
}

void RegisterEngine(const Subject& subject, Quantity quantity,
                    const std::string& target, int threads,
                    std::int64_t count) {
  Register(NameOf("engine", subject, quantity) + "/" + target + "/" +
               std::to_string(threads) + "/" + std::to_string(count),
           [=, &subject](benchmark::State& state) {
             const EvaluationRun run(subject.robot, quantity, subject.states,
                                     count);
             Measure(state, EngineFor(target, threads), run);
           });
}

void RegisterSingle(const Subject& subject, Quantity quantity) {
  Register(NameOf("single", subject, quantity),
           [=, &subject](benchmark::State& state) {
             const std::int64_t rows = BatchOf(subject, quantity);
             const EvaluationRun run(subject.robot, quantity, subject.states,
                                     rows, Precision::kSingle);
             RowWorkspace workspace;
             std::vector<FallbackRow> fallback(static_cast<std::size_t>(rows));
             const BlockJob job = JobOf(run.plan(), run.outputs());
             state.counters["fallback"] =
                 static_cast<double>(RunKernels(BestTarget(), job, 0, rows,
                                                workspace, fallback.data())) /
                 static_cast<double>(rows);
             Measure(state, EngineFor(TargetNames().back(), 1), run);
           });
}

/// One state through class Robot.
void RunRobot(Robot& robot, Quantity quantity, const States& states,
              std::int64_t row) {
  const auto vector = [&](const std::vector<double>& table) {
    return Eigen::Map<const Eigen::VectorXd>(
        table.data() + row * states.columns, states.columns);
  };
  const auto q = vector(states.q), v = vector(states.v);
  const auto use = [](const auto& result) {
    benchmark::DoNotOptimize(result.data());
  };
  switch (quantity) {
    case Quantity::kInverseDynamics:
      return use(robot.InverseDynamics(q, v, vector(states.a)));
    case Quantity::kMassMatrix:
      return use(robot.MassMatrix(q));
    case Quantity::kForwardDynamics:
      return use(robot.ForwardDynamics(q, v, vector(states.tau)));
    case Quantity::kOperationalSpace:
      use(robot.Jacobian(q));
      return use(robot.OperationalSpace(q, v).lambda);
    case Quantity::kBiasForces:
      return use(robot.BiasForces(q, v));
    default:
      return use(robot.Jacobian(q));
  }
}

void RegisterRobot(const Subject& subject, Quantity quantity) {
  Register(NameOf("robot", subject, quantity),
           [=, &subject](benchmark::State& state) {
             Robot::Options options;
             options.reference_frame = ReferenceFrame::kLocalWorldAligned;
             options.tip_frame = subject.robot.tip;
             Robot robot(subject.robot.model, options);
             for ([[maybe_unused]] auto _ : state) {
               for (std::int64_t row = 0; row < kSingleStates; ++row) {
                 RunRobot(robot, quantity, subject.states, row);
               }
             }
             state.SetItemsProcessed(state.iterations() * kSingleStates);
           });
}

/// Compares a library's answers with ours on every target; false, and says so,
/// if they do not agree.
bool RegisterPeer(const LoadedPeer& peer, const Subject& subject,
                  Quantity quantity) {
  double largest = 0;
  bool agree = true;
  const std::string name = NameOf(peer.library, subject, quantity);
  for (const std::string& target : TargetNames()) {
    const EvaluationRun ours(subject.robot, quantity, subject.states,
                             peer.states.rows);
    EngineFor(target, 1).Evaluate(ours.plan(), ours.outputs());
    const Difference found = DifferenceOf(peer, ours, quantity);
    if (!(found.conditioned <= peer.peer->tolerance())) {
      std::fprintf(stderr, "%s and %s differ: %.2g, more than %.2g\n",
                   name.c_str(), target.c_str(), found.conditioned,
                   peer.peer->tolerance());
      agree = false;
    }
    largest = std::max(largest, found.largest);
  }
  Register(name, [=, &peer](benchmark::State& state) {
    for ([[maybe_unused]] auto _ : state) {
      for (std::int64_t row = 0; row < peer.states.rows; ++row) {
        peer.Compute(quantity, row);
      }
    }
    state.SetItemsProcessed(state.iterations() * peer.states.rows);
    state.counters["difference"] = largest;
  });
  return agree;
}

/// What writing large results costs at least.
void RegisterStore() {
#if defined(__x86_64__)
  Register("store", [](benchmark::State& state) {
    const std::unique_ptr<void, void (*)(void*)> memory(
        std::aligned_alloc(64, kMostBytes), std::free);
    auto* const table = static_cast<double*>(memory.get());
    std::fill_n(table, kMostBytes / sizeof(double), 0.0);  // takes the pages
    benchmark::DoNotOptimize(table);
    for ([[maybe_unused]] auto _ : state) {
      for (std::size_t k = 0; k < kMostBytes / sizeof(double); k += 2) {
        _mm_stream_pd(table + k, _mm_set1_pd(1));
      }
      benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(state.iterations() *
                            static_cast<std::int64_t>(kMostBytes));
  });
#endif
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

  const std::string best = TargetNames().back();
  const int cores = AvailableCores();
  benchmark::AddCustomContext("compiler", TORQUED_BENCH_COMPILER);
  bool agree = true;
  std::vector<std::unique_ptr<Subject>> subjects;
  std::vector<std::unique_ptr<LoadedPeer>> peers;
  std::map<std::string, std::string> versions;
  std::vector<BenchRobot> robots = BenchRobots();
  robots.push_back(LightLinkedRobot());
  for (BenchRobot& robot : robots) {
    States states = RandomStates(*robot.model, kBatch);
    subjects.push_back(
        std::make_unique<Subject>(std::move(robot), std::move(states)));
    const Subject& subject = *subjects.back();
    benchmark::AddCustomContext("joints/" + subject.robot.name,
                                std::to_string(subject.robot.model->nv()));
    for (int k = 0; k < kQuantityCount; ++k) {
      const auto quantity = static_cast<Quantity>(k);
      RegisterEngine(subject, quantity, best, 1, kSmallBatch);
      RegisterEngine(subject, quantity, best, 1, BatchOf(subject, quantity));
    }
    for (const Quantity quantity : kMainQuantities) {
      RegisterRobot(subject, quantity);
      RegisterSingle(subject, quantity);
      if (subject.robot.name != "panda") continue;
      for (const std::string& target : TargetNames()) {
        if (target == best) continue;
        RegisterEngine(subject, quantity, target, 1, kBatch);
      }
      RegisterEngine(subject, quantity, best, cores, kBatch);
    }
    for (const std::string& library : PeerLibraries()) {
      peers.push_back(std::make_unique<LoadedPeer>(
          LoadPeer(library, subject.robot, subject.states, kSingleStates)));
      const LoadedPeer& peer = *peers.back();
      versions[library] = peer.peer->version();
      for (int k = 0; k < kQuantityCount; ++k) {
        const auto quantity = static_cast<Quantity>(k);
        if (!peer.Compute(quantity, 0)) continue;
        agree &= RegisterPeer(peer, subject, quantity);
      }
    }
  }
  if (!agree || only_check) return agree ? 0 : 1;
  RegisterStore();
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
