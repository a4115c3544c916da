// Round trips through the C++ client to a server of its own, with inverse
// dynamics of the seven-axis arm; beside them an echo: a service of the same
// messages and settings whose replies are as large and cost nothing to compute.
//
// Names; items are states, of which one call has STATES:
//   compute/STATES, operational_space/STATES   Client::Compute
//   async_64/1        64 calls of ComputeAsync under way
//   echo/1            one call of the echo, by the generated stub
// "p50" and "p99" are microseconds of single round trips.
//
// Finds the server as client::LocalServer does: TORQUED_BINARY, or beside this
// program.
#include <benchmark/benchmark.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "client/cpp/client.h"
#include "client/cpp/local_server.h"
#include "server/config/settings.h"
#include "server/lifecycle/transport.h"
#include "torqued/v1/dynamics.grpc.pb.h"

namespace torqued::bench {
namespace {

constexpr int kJoints = 7;
constexpr char kModel[] = "panda";
constexpr v1::Quantity kTorques[] = {v1::QUANTITY_INVERSE_DYNAMICS};
constexpr v1::Quantity kTask[] = {v1::QUANTITY_OPERATIONAL_SPACE};

client::States StatesOf(std::int64_t rows) {
  return {.q = client::Batch::Constant(rows, kJoints, 0.3),
          .v = client::Batch::Constant(rows, kJoints, 0.2),
          .a = client::Batch::Constant(rows, kJoints, 0.1)};
}

/// Answers with q, and what the echo of a reply to one state takes.
class Echo final : public v1::Dynamics::CallbackService {
 public:
  Echo() {
    grpc::ServerBuilder builder;
    // As a server with 4 GiB of memory.
    server::ConfigureTransport(server::DefaultSettings({4LL << 30, "RAM"}),
                               &builder);
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                             &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  grpc::ServerUnaryReactor* Compute(grpc::CallbackServerContext* context,
                                    const v1::ComputeRequest* request,
                                    v1::ComputeReply* reply) override {
    reply->set_rows(1);
    *reply->mutable_results()->mutable_tau() = request->q();
    reply->mutable_echo()->set_revision(std::string(230, 'x'));
    auto* const reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }

 private:
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

void Measure(const std::string& name, std::int64_t states,
             const std::function<void()>& call) {
  benchmark::RegisterBenchmark(
      (name + "/" + std::to_string(states)).c_str(),
      [=](benchmark::State& state) {
        call();  // connects, grows memory
        std::vector<double> times;
        for ([[maybe_unused]] auto _ : state) {
          const auto begin = std::chrono::steady_clock::now();
          call();
          times.push_back(std::chrono::duration<double, std::micro>(
                              std::chrono::steady_clock::now() - begin)
                              .count());
        }
        std::sort(times.begin(), times.end());
        state.counters["p50"] = times[times.size() / 2];
        state.counters["p99"] = times[times.size() * 99 / 100];
        state.SetItemsProcessed(state.iterations() * states);
      })
      ->UseRealTime();
}

int Main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  server::TuneMalloc();
  const client::LocalServer server(
      {.arguments = {"--models", TORQUED_MODELS_DIR}});
  const auto client = client::Client::Connect(server.address());
  for (const std::int64_t rows : {1, 10, 100, 1000, 10'000, 100'000}) {
    const client::States states = StatesOf(rows);
    Measure("compute", rows,
            [&client, states] { client.Compute(kModel, kTorques, states); });
    Measure("operational_space", rows,
            [&client, states] { client.Compute(kModel, kTask, states); });
  }
  const client::States one = StatesOf(1);
  std::vector<client::PendingEvaluation> pending(64);
  std::size_t next = 0;
  Measure("async_64", 1, [&] {
    client::PendingEvaluation& last = pending[next++ % pending.size()];
    if (last.valid()) last.Get();
    last = client.ComputeAsync(kModel, kTorques, one);
  });
  const Echo echo;
  const auto stub = v1::Dynamics::NewStub(
      grpc::CreateChannel(echo.address(), grpc::InsecureChannelCredentials()));
  v1::ComputeRequest request;
  request.set_model(kModel);
  request.add_quantities(kTorques[0]);
  for (v1::Array* table :
       {request.mutable_q(), request.mutable_v(), request.mutable_a()}) {
    table->set_columns(kJoints);
    table->set_f64(std::string(8 * kJoints, '\0'));
  }
  Measure("echo", 1, [&] {
    grpc::ClientContext context;
    v1::ComputeReply reply;
    stub->Compute(&context, request, &reply);
  });
  benchmark::RunSpecifiedBenchmarks();
  for (client::PendingEvaluation& last : pending) {
    if (last.valid()) last.Get();
  }
  return 0;
}

}  // namespace
}  // namespace torqued::bench

int main(int argc, char** argv) {
  try {
    return torqued::bench::Main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "torqued_remote_bench: %s\n", error.what());
    return 1;
  }
}
