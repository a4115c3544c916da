// gRPC's own stubs in C++ under restarts: raw_cpp_load ADDRESS
//
// An answer or UNAVAILABLE, and of a stream each row once, in order, up to the
// one that the error names.
#include <grpcpp/grpcpp.h>

#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "tests/restarts/load.h"
#include "torqued/v1/dynamics.grpc.pb.h"
#include "torqued/v1/errors.pb.h"

namespace torqued::restarts {
namespace {

using Channel = std::shared_ptr<grpc::Channel>;
using Milliseconds = std::chrono::milliseconds;

constexpr int kJoints = 7;
constexpr std::chrono::seconds kDeadline{60};
constexpr Milliseconds kBetweenTries{5};

Channel ChannelTo(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 100);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(),
                                   arguments);
}

void Fill(int rows, v1::Array* array) {
  array->set_columns(kJoints);
  std::string* bytes = array->mutable_f64();
  for (int i = 0; i < rows * kJoints; ++i) {
    const double angle = std::sin(0.01 * i);
    bytes->append(reinterpret_cast<const char*>(&angle), sizeof(angle));
  }
}

void SetDeadline(grpc::ClientContext* context) {
  context->set_deadline(std::chrono::system_clock::now() + kDeadline);
}

/// Anything else is what a restart must not show.
void RequireUnavailable(const grpc::Status& status) {
  if (status.error_code() == grpc::StatusCode::UNAVAILABLE) {
    return Saw("UNAVAILABLE");
  }
  throw std::runtime_error("code " + std::to_string(status.error_code()) +
                           ": " + status.error_message());
}

/// Until there is a connection. A channel connects while somebody waits for it;
/// else it looks every 5 s.
void WaitFor(const Channel& channel) {
  std::this_thread::sleep_for(kBetweenTries);
  channel->WaitForConnected(std::chrono::system_clock::now() + kDeadline);
}

/// Asks until there is an answer.
std::string Unary(const Channel& channel, int rows) {
  v1::ComputeRequest request;
  request.set_model("panda");
  request.add_quantities(v1::QUANTITY_INVERSE_DYNAMICS);
  Fill(rows, request.mutable_q());
  const auto stub = v1::Dynamics::NewStub(channel);
  while (true) {
    grpc::ClientContext context;
    SetDeadline(&context);
    v1::ComputeReply reply;
    const grpc::Status status = stub->Compute(&context, request, &reply);
    if (status.ok()) return reply.results().SerializeAsString();
    RequireUnavailable(status);
    WaitFor(channel);
  }
}

/// The server says where the rows end that it has answered, unless the stream
/// had not begun, or the server was killed.
void RequireNextRow(const grpc::Status& status, std::uint64_t rows) {
  bool named = false;
  v1::Status details;
  details.ParseFromString(status.error_details());
  for (const auto& detail : details.details()) {
    v1::ErrorInfo info;
    if (!std::string_view(detail.type_url())
             .ends_with("google.rpc.ErrorInfo") ||
        !info.ParseFromString(detail.value())) {
      continue;
    }
    const auto next = info.metadata().find("next_row");
    const bool told = next != info.metadata().end();
    const std::string row = told ? next->second : "0";
    if (row != std::to_string(rows)) {
      throw std::runtime_error("next_row " + row + " after " +
                               std::to_string(rows) + " rows");
    }
    if (told) Saw("next_row");
    named |= told;
  }
  if (rows > 0 && !named) Saw("cut");
}

std::string Stream(const Channel& channel) {
  constexpr int kChunks = 100, kAhead = 8, kRows = 50;
  v1::EvaluateRequest start, chunk;
  start.mutable_start()->set_model("panda");
  start.mutable_start()->add_quantities(v1::QUANTITY_INVERSE_DYNAMICS);
  Fill(kRows, chunk.mutable_chunk()->mutable_q());
  const auto stub = v1::Dynamics::NewStub(channel);
  while (true) {
    grpc::ClientContext context;
    SetDeadline(&context);
    const auto stream = stub->Evaluate(&context);
    std::string bytes;
    std::uint64_t rows = 0;
    v1::EvaluateReply reply;
    const auto read = [&] {
      if (!stream->Read(&reply)) return false;
      if (reply.first_row() != rows) throw std::runtime_error("other rows");
      rows += reply.rows();
      bytes += reply.results().SerializeAsString();
      return true;
    };
    bool open = stream->Write(start);
    for (int k = 0; open && k < kChunks; ++k) {
      open = stream->Write(chunk) && (k < kAhead || read());
    }
    if (open) stream->WritesDone();
    while (read()) {
    }
    const grpc::Status status = stream->Finish();
    if (status.ok()) {
      if (rows != kChunks * kRows) throw std::runtime_error("rows are lost");
      return bytes;
    }
    RequireUnavailable(status);
    RequireNextRow(status, rows);
    WaitFor(channel);
  }
}

int Main(const std::string& address) {
  // Of each its own connection, and two that share one.
  std::array<Channel, 5> channels;
  for (Channel& channel : channels) channel = ChannelTo(address);
  Load load;
  for (const auto& [kind, channel] :
       {std::pair{"unary", 0}, {"second", 1}, {"third", 2}, {"fourth", 2}}) {
    load.Add(kind, [&over = channels[static_cast<std::size_t>(channel)]] {
      return Unary(over, 1);
    });
  }
  load.Add("batch", [&] { return Unary(channels[3], 50'000); });
  load.Add("stream", [&] { return Stream(channels[4]); });
  return load.Run() ? 0 : 1;
}

}  // namespace
}  // namespace torqued::restarts

int main(int argc, char** argv) {
  return torqued::restarts::RunAgainst(argc, argv, &torqued::restarts::Main);
}
