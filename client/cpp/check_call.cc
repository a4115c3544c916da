#include "client/cpp/check_call.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "client/cpp/error.h"
#include "client/cpp/wire.h"

namespace torqued::client {
namespace {

[[noreturn]] void Refuse(const std::string& what) {
  throw Error(grpc::StatusCode::INTERNAL, "the reply has " + what);
}

void FillSamples(const TrajectorySamples& samples, Eigen::Index first,
                 Eigen::Index count, v1::TrajectorySamples* message) {
  message->Clear();
  const auto total = static_cast<Eigen::Index>(samples.time.size());
  const auto add = [&](const Batch& table, const char* name, auto array) {
    if (table.size() == 0) return;
    if (table.rows() != total) {
      throw Error(grpc::StatusCode::INVALID_ARGUMENT,
                  std::string(name) + " has " + std::to_string(table.rows()) +
                      " rows, but there are " + std::to_string(total) +
                      " samples",
                  {v1::Reason_Name(v1::WRONG_ROW_COUNT), {}, {}, {}});
    }
    EncodeRows(table, first, count, (message->*array)());
  };
  using Message = v1::TrajectorySamples;
  add(samples.q, "q", &Message::mutable_q);
  add(samples.v, "v", &Message::mutable_v);
  add(samples.a, "a", &Message::mutable_a);
  const Batch& wrench = samples.tip_wrench_on_environment;
  if (wrench.rows() == 1) {
    EncodeRows(wrench.replicate(count, 1), 0, count,
               message->mutable_tip_wrench_on_environment());
  } else {
    add(wrench, "tip_wrench_on_environment",
        &Message::mutable_tip_wrench_on_environment);
  }
  v1::Array& time = *message->mutable_time();
  time.set_columns(1);
  time.set_f64(samples.time.data() + first,
               static_cast<std::size_t>(count) * sizeof(double));
}

/// Takes rows from sample `*next` on, the same number of each table.
void TakeRows(const v1::TrajectoryRows& rows, Eigen::Index total,
              Eigen::Index* next, TrajectoryCheck* check) {
  Eigen::Index count = 0;
  const auto take = [&](const v1::Array& array, const char* name, Batch* to) {
    if (array.columns() == 0 && to->size() == 0) return;
    if (count == 0 && array.columns() > 0) {
      count = static_cast<Eigen::Index>(array.f64().size() /
                                        (array.columns() * sizeof(double)));
    }
    DecodeRows(array, name, *next, count, total, to);
  };
#define TORQUED_TRAJECTORY_TABLE(name) take(rows.name(), #name, &check->name);
#include "torqued/v1/tables.inc"
  *next += count;
}

}  // namespace

grpc::Status CheckOnce(v1::Trajectories::Stub& stub,
                       grpc::ClientContext& context,
                       const v1::CheckTrajectoryStart& start,
                       const TrajectorySamples& samples,
                       std::int64_t message_bytes, const Progress& progress,
                       TrajectoryCheck* check) {
  *check = {};
  const auto total = static_cast<Eigen::Index>(samples.time.size());
  const auto columns =
      1 + samples.q.cols() + samples.v.cols() + samples.a.cols() + 6;
  const Eigen::Index at_a_time = std::max<Eigen::Index>(
      1, message_bytes / (columns * Eigen::Index{sizeof(double)}));
  const auto stream = stub.CheckTrajectory(&context);

  v1::CheckTrajectoryRequest request;
  *request.mutable_start() = start;
  request.mutable_start()->mutable_options()->set_encoding(v1::ENCODING_F64);
  bool open = stream->Write(request);
  request.Clear();
  // The server says nothing before it has all of them, unless it refuses.
  for (Eigen::Index first = 0; open && first < total; first += at_a_time) {
    FillSamples(samples, first, std::min(at_a_time, total - first),
                request.mutable_samples());
    open = stream->Write(request);
  }
  stream->WritesDone();

  v1::CheckTrajectoryReply reply;
  bool decided = false;
  Eigen::Index rows = 0;
  while (stream->Read(&reply)) {
    if (reply.has_progress()) {
      progress(static_cast<std::int64_t>(reply.progress().samples_done()),
               static_cast<std::int64_t>(reply.progress().samples()));
    } else if (reply.has_verdict()) {
      decided = true;
      check->verdict.Swap(reply.mutable_verdict());
    } else if (reply.has_rows()) {
      TakeRows(reply.rows(), total, &rows, check);
    }
  }
  grpc::Status status = stream->Finish();
  if (status.ok() && !decided) Refuse("no verdict");
  // A robot without joints has tables without columns.
  const bool asked = !start.tables().empty() && samples.q.cols() > 0;
  if (status.ok() && asked && rows != total) {
    Refuse("the tables of " + std::to_string(rows) + " of " +
           std::to_string(total) + " samples");
  }
  if (status.ok()) progress(total, total);
  return status;
}

}  // namespace torqued::client
