// Measures a torqued server beside wire_echo, turn by turn in one run: unary
// calls of one state by revision and by name, a stream of one state a chunk,
// and the servers' CPU time for a million states in chunks of 1024. Inverse
// dynamics of the seven-axis arm, f64.
//
// Usage: wire_bench URDF TORQUED_ADDRESS TORQUED_PID ECHO_ADDRESS ECHO_PID
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/batch/engine.h"
#include "core/formats/urdf.h"
#include "torqued/v1/dynamics.grpc.pb.h"

namespace torqued {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kJoints = 7;
constexpr int kChunkRows = 1024;
constexpr int kBulkChunks = 1000;
constexpr int kRounds = 40;  // turns of each server
constexpr int kCalls = 250;  // of a turn

struct Server {
  const char* name;
  std::unique_ptr<v1::Dynamics::Stub> stub;
  std::string pid;
};

double Microseconds(Clock::duration time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

double Median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

/// CPU time of all threads of a process so far, in seconds.
double CpuSeconds(const std::string& pid) {
  double nanoseconds = 0;
  for (const auto& task :
       std::filesystem::directory_iterator("/proc/" + pid + "/task")) {
    std::ifstream file(task.path() / "schedstat");
    double run = 0;
    if (file >> run) nanoseconds += run;
  }
  return nanoseconds * 1e-9;
}

std::string Numbers(int rows) {
  std::vector<double> numbers(static_cast<std::size_t>(rows * kJoints));
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    numbers[k] = 0.001 * static_cast<double>(k % 1777) - 0.8;
  }
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * 8};
}

void SetRows(int rows, v1::Array* array) {
  array->set_columns(kJoints);
  array->set_f64(Numbers(rows));
}

v1::EvaluateRequest Chunk(int rows) {
  v1::EvaluateRequest request;
  SetRows(rows, request.mutable_chunk()->mutable_q());
  SetRows(rows, request.mutable_chunk()->mutable_v());
  SetRows(rows, request.mutable_chunk()->mutable_a());
  return request;
}

v1::EvaluateRequest Start(const std::string& model) {
  v1::EvaluateRequest request;
  request.mutable_start()->set_model(model);
  request.mutable_start()->add_quantities(v1::QUANTITY_INVERSE_DYNAMICS);
  return request;
}

[[noreturn]] void Fail(const grpc::Status& status) {
  std::fprintf(stderr, "%s\n", status.error_message().c_str());
  std::exit(1);
}

void Unary(Server& server, const std::string& model,
           std::vector<double>* times) {
  v1::ComputeRequest request;
  request.set_model(model);
  request.add_quantities(v1::QUANTITY_INVERSE_DYNAMICS);
  SetRows(1, request.mutable_q());
  SetRows(1, request.mutable_v());
  SetRows(1, request.mutable_a());
  for (int k = 0; k < kCalls; ++k) {
    grpc::ClientContext context;
    v1::ComputeReply reply;
    const auto before = Clock::now();
    const auto status = server.stub->Compute(&context, request, &reply);
    times->push_back(Microseconds(Clock::now() - before));
    if (!status.ok()) Fail(status);
  }
}

void PingPong(Server& server, const std::string& model,
              std::vector<double>* times) {
  grpc::ClientContext context;
  const auto stream = server.stub->Evaluate(&context);
  stream->Write(Start(model));
  const v1::EvaluateRequest chunk = Chunk(1);
  v1::EvaluateReply reply;
  for (int k = 0; k < kCalls; ++k) {
    const auto before = Clock::now();
    stream->Write(chunk);
    stream->Read(&reply);
    // The first brings the echo.
    if (k > 0) times->push_back(Microseconds(Clock::now() - before));
  }
  stream->WritesDone();
  if (const auto status = stream->Finish(); !status.ok()) Fail(status);
}

/// CPU nanoseconds of the server per state.
double Bulk(Server& server, const std::string& model) {
  const double before = CpuSeconds(server.pid);
  grpc::ClientContext context;
  const auto stream = server.stub->Evaluate(&context);
  std::thread sender([&] {
    stream->Write(Start(model));
    const v1::EvaluateRequest chunk = Chunk(kChunkRows);
    for (int k = 0; k < kBulkChunks; ++k) stream->Write(chunk);
    stream->WritesDone();
  });
  v1::EvaluateReply reply;
  while (stream->Read(&reply)) {
  }
  sender.join();
  if (const auto status = stream->Finish(); !status.ok()) Fail(status);
  return (CpuSeconds(server.pid) - before) / (kBulkChunks * kChunkRows) * 1e9;
}

/// CPU nanoseconds of the kernels per state, in this process.
double Kernel(const std::shared_ptr<const Model>& model) {
  Engine engine;
  const std::string numbers = Numbers(kChunkRows);
  const InputArray rows{numbers.data(), NumberType::kF64, kChunkRows, kJoints};
  EvaluationOptions options;
  options.quantities = {Quantity::kInverseDynamics};
  EvaluationInputs inputs;
  inputs.q = inputs.v = inputs.a = rows;
  const auto plan =
      std::get<EvaluationPlan>(EvaluationPlan::Create(model, options, inputs));
  std::vector<double> tau(kChunkRows * kJoints);
  EvaluationOutputs outputs;
  outputs[Output::kTau] = {tau.data(), NumberType::kF64};
  const auto cpu = [] {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 +
           static_cast<double>(time.tv_nsec);
  };
  const double before = cpu();
  for (int k = 0; k < kBulkChunks; ++k) engine.Evaluate(plan, outputs);
  return (cpu() - before) / (kBulkChunks * kChunkRows);
}

void PrintRow(const char* what, double torqued, double echo) {
  std::printf("%-34s %9.1f us %9.1f us   %5.2fx\n", what, torqued, echo,
              torqued / echo);
}

int Run(char** argv) {
  std::ifstream file(argv[1], std::ios::binary);
  const std::string urdf{std::istreambuf_iterator<char>(file), {}};
  const LoadResult loaded = LoadUrdf(urdf, {});
  if (loaded.model == nullptr) return 1;
  const auto connect = [](const std::string& address) {
    return v1::Dynamics::NewStub(
        grpc::CreateChannel(address, grpc::InsecureChannelCredentials()));
  };
  Server torqued{"torqued", connect(argv[2]), argv[3]};
  Server echo{"echo", connect(argv[4]), argv[5]};

  const std::string name = "panda";
  grpc::ClientContext context;
  v1::ComputeRequest request;
  request.set_model(name);
  request.add_quantities(v1::QUANTITY_INVERSE_DYNAMICS);
  SetRows(1, request.mutable_q());
  v1::ComputeReply reply;
  if (const auto status = torqued.stub->Compute(&context, request, &reply);
      !status.ok()) {
    Fail(status);
  }
  const std::string revision = "@" + reply.echo().revision();

  // Each series warms up in its first turn, which does not count.
  struct Series {
    std::vector<double> by_revision, by_name, stream, echo, echo_stream;
  } series;
  for (int round = 0; round <= kRounds; ++round) {
    if (round == 1) series = {};
    Unary(torqued, revision, &series.by_revision);
    Unary(echo, revision, &series.echo);
    Unary(torqued, name, &series.by_name);
    PingPong(torqued, revision, &series.stream);
    PingPong(echo, revision, &series.echo_stream);
  }
  std::printf("%-34s %12s %12s   %6s\n", "median round trip, one state",
              "torqued", "echo", "ratio");
  const double unary = Median(series.echo);
  PrintRow("unary, by revision", Median(series.by_revision), unary);
  PrintRow("unary, by name", Median(series.by_name), unary);
  PrintRow("stream, one state a chunk", Median(series.stream),
           Median(series.echo_stream));

  std::vector<double> bulk, transport;
  Bulk(torqued, revision);
  Bulk(echo, revision);
  for (int round = 0; round < 5; ++round) {
    bulk.push_back(Bulk(torqued, revision));
    transport.push_back(Bulk(echo, revision));
  }
  Kernel(loaded.model);
  const double kernel = Kernel(loaded.model);
  std::printf(
      "server CPU per state, chunks of %d: torqued %.0f ns; echo %.0f ns + "
      "kernel %.0f ns = %.0f ns   %5.2fx\n",
      kChunkRows, Median(bulk), Median(transport), kernel,
      Median(transport) + kernel, Median(bulk) / (Median(transport) + kernel));
  return 0;
}

}  // namespace
}  // namespace torqued

int main(int argc, char** argv) { return argc == 6 ? torqued::Run(argv) : 2; }
