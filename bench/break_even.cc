// One robot, two quantities, batches of 1 to a million states: the core and
// other libraries in process, and servers through the C++ client.
//
// Usage: break_even NAME=ADDRESS...   servers that know the robot as "panda"
// Prints JSON, one measurement a line: quantity, way, states, and nanoseconds a
// state. Each way has its inputs in memory as its users have them
// and ends with the results in a table.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/evaluation_run.h"
#include "bench/peers/peer_module.h"
#include "bench/robots.h"
#include "bench/states.h"
#include "bench/targets.h"
#include "client/cpp/client.h"
#include "core/base/cores.h"
#include "core/batch/engine.h"

namespace torqued::bench {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::int64_t kSizes[] = {1,       3,       10,       30,     100,
                                   300,     1000,    3000,     10'000, 30'000,
                                   100'000, 300'000, 1'000'000};
/// Of one size, at least; once at any rate.
constexpr double kSeconds = 0.05;

struct Question {
  const char* name;
  Workload workload;
  v1::Quantity quantity;
  /// What the answer is compared by, and what other libraries copy out.
  Output first;
  client::Batch client::Evaluation::* result;
  std::vector<Output> outputs;
};

const Question kQuestions[] = {
    {"inverse_dynamics",
     Workload::kInverseDynamics,
     v1::QUANTITY_INVERSE_DYNAMICS,
     Output::kTau,
     &client::Evaluation::tau,
     {Output::kTau}},
    {"operational_space",
     Workload::kOperationalSpace,
     v1::QUANTITY_OPERATIONAL_SPACE,
     Output::kLambda,
     &client::Evaluation::lambda,
     {Output::kLambda, Output::kEta}},
};

/// One way to compute batches of one size.
struct Way {
  std::string name;
  /// Once computes the batch; what is returned tells results apart.
  std::function<double()> compute;
};

/// Of the first state: the sum of tau, or the trace of lambda, which do not
/// depend on a library's order of joints or axes.
double Fingerprint(const Question& question, const double* first) {
  const bool matrix = question.first == Output::kLambda;
  double sum = 0;
  for (int k = 0; k < (matrix ? 6 : 7); ++k) sum += first[matrix ? 7 * k : k];
  return sum;
}

/// Nanoseconds per state.
double Measure(const Way& way, std::int64_t states) {
  std::int64_t times = 0;
  const auto begin = Steady::now();
  double seconds = 0;
  do {
    way.compute();
    ++times;
    seconds = std::chrono::duration<double>(Steady::now() - begin).count();
  } while (seconds < kSeconds);
  return seconds * 1e9 / static_cast<double>(times * states);
}

Way InCore(const BenchRobot& robot, const Question& question,
           const States& states, std::int64_t rows, Engine& engine,
           std::string name) {
  auto run =
      std::make_shared<EvaluationRun>(robot, question.workload, states, rows);
  return {std::move(name), [run, &engine, &question] {
            engine.Evaluate(run->plan(), run->outputs());
            return Fingerprint(question, run->result(question.first));
          }};
}

Way InLibrary(const LoadedPeer& loaded, const Question& question,
              std::int64_t rows) {
  // 6 x 6 and 6, or one a joint.
  auto table = std::make_shared<std::vector<double>>(
      static_cast<std::size_t>(rows) * 42);
  return {loaded.library, [&loaded, &question, rows, table] {
            double* at = table->data();
            for (std::int64_t row = 0; row < rows; ++row) {
              loaded.peer->Compute(question.workload,
                                   RowOf(loaded.states, row));
              for (const Output output : question.outputs) {
                loaded.peer->Copy(output, at);
                at += output == Output::kLambda ? 36
                      : output == Output::kEta  ? 6
                                                : loaded.states.columns;
              }
            }
            return Fingerprint(question, table->data());
          }};
}

client::Batch Table(const std::vector<double>& numbers, std::int64_t rows,
                    int columns) {
  return Eigen::Map<const client::Batch>(numbers.data(), rows, columns);
}

client::States StatesOf(const Question& question, const States& states,
                        std::int64_t rows) {
  client::States sent;
  sent.q = Table(states.q, rows, states.columns);
  sent.v = Table(states.v, rows, states.columns);
  if (InputsOf(question.workload).a) {
    sent.a = Table(states.a, rows, states.columns);
  }
  return sent;
}

client::ComputeOptions Options() {
  client::ComputeOptions options;
  options.reference_frame = v1::REFERENCE_FRAME_LOCAL_WORLD_ALIGNED;
  return options;
}

Way ByCall(const client::Client& client, const Question& question,
           const States& states, std::int64_t rows, std::string name) {
  auto sent =
      std::make_shared<client::States>(StatesOf(question, states, rows));
  return {std::move(name), [&client, &question, sent] {
            const client::Evaluation evaluation =
                client.Compute("panda", {question.quantity}, *sent, Options());
            return Fingerprint(question, (evaluation.*question.result).data());
          }};
}

/// Ping-pong; of what one message holds.
Way ByOpenStream(const client::Client& client, const Question& question,
                 const States& states, std::int64_t rows, std::string name) {
  auto sent =
      std::make_shared<client::States>(StatesOf(question, states, rows));
  auto stream = std::make_shared<client::EvaluationStream>(
      client.OpenStream("panda", {question.quantity}, Options()));
  return {std::move(name), [&question, sent, stream] {
            const client::Evaluation evaluation = stream->Exchange(*sent);
            return Fingerprint(question, (evaluation.*question.result).data());
          }};
}

BenchRobot Panda() {
  for (BenchRobot& robot : BenchRobots()) {
    if (robot.name == "panda") return std::move(robot);
  }
  throw std::runtime_error("there is no panda");
}

using Servers = std::vector<std::pair<std::string, client::Client>>;

class Comparison {
 public:
  explicit Comparison(const Servers& servers)
      : servers_(servers),
        robot_(Panda()),
        states_(RandomStates(*robot_.model, kSizes[std::size(kSizes) - 1])),
        one_(OptionsFor(TargetNames().back(), 1)),
        all_(OptionsFor(TargetNames().back(), AvailableCores())) {
    for (const std::string& library : PeerLibraries()) {
      peers_.push_back(LoadPeer(library, robot_, states_, states_.rows));
      std::fprintf(stderr, "%s\n", peers_.back().peer->version().c_str());
    }
  }

  void Run(const Question& question, std::int64_t rows) {
    const std::vector<Way> ways = WaysOf(question, rows);
    CheckAnswers(ways);
    for (const Way& way : ways) {
      const nlohmann::json line = {{"quantity", question.name},
                                   {"way", way.name},
                                   {"states", rows},
                                   {"nanoseconds", Measure(way, rows)}};
      std::printf("%s\n", line.dump().c_str());
    }
    std::fflush(stdout);
  }

  nlohmann::json Context() const {
    nlohmann::json versions;
    for (const LoadedPeer& loaded : peers_) {
      versions[loaded.library] = loaded.peer->version();
    }
    return {{"libraries", versions},
            {"target", TargetNames().back()},
            {"threads", AvailableCores()}};
  }

 private:
  std::vector<Way> WaysOf(const Question& question, std::int64_t rows) {
    std::vector<Way> ways;
    ways.push_back(InCore(robot_, question, states_, rows, one_, "core_1"));
    ways.push_back(InCore(robot_, question, states_, rows, all_, "core"));
    for (const LoadedPeer& loaded : peers_) {
      if (!loaded.peer->Computes(question.workload)) continue;
      ways.push_back(InLibrary(loaded, question, rows));
    }
    for (const auto& [name, client] : servers_) {
      ways.push_back(ByCall(client, question, states_, rows, "cpp_" + name));
      if (rows > 1000) continue;
      ways.push_back(
          ByOpenStream(client, question, states_, rows, "cpp_stream_" + name));
    }
    return ways;
  }

  /// Also warms what is to be measured.
  static void CheckAnswers(const std::vector<Way>& ways) {
    const double expected = ways.front().compute();
    for (const Way& way : ways) {
      const double got = way.compute();
      if (std::abs(got - expected) <= 1e-6 * std::abs(expected)) continue;
      throw std::runtime_error(way.name +
                               " has another answer: " + std::to_string(got) +
                               ", not " + std::to_string(expected));
    }
  }

  const Servers& servers_;
  BenchRobot robot_;
  States states_;
  Engine one_, all_;
  std::vector<LoadedPeer> peers_;
};

void Run(const std::vector<std::string>& arguments) {
  Servers servers;
  for (const std::string& argument : arguments) {
    const std::size_t sign = argument.find('=');
    if (sign == std::string::npos) {
      throw std::invalid_argument("usage: break_even NAME=ADDRESS...");
    }
    servers.emplace_back(argument.substr(0, sign),
                         client::Client::Connect(argument.substr(sign + 1)));
  }
  Comparison comparison(servers);
  std::printf("%s\n", comparison.Context().dump().c_str());
  for (const Question& question : kQuestions) {
    for (const std::int64_t rows : kSizes) comparison.Run(question, rows);
  }
}

}  // namespace
}  // namespace torqued::bench

int main(int argc, char** argv) try {
  torqued::bench::Run({argv + 1, argv + argc});
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
