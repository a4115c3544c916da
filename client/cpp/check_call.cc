#include "client/cpp/check_call.h"

#include <algorithm>
#include <string>

#include "client/cpp/array_codec.h"
#include "client/cpp/error.h"

namespace torqued::client {
namespace {

[[noreturn]] void ThrowRows(const char* what, Eigen::Index has,
                            std::size_t samples) {
  Error::Details details;
  details.reason = v1::Reason_Name(v1::WRONG_ROW_COUNT);
  throw Error(grpc::StatusCode::INVALID_ARGUMENT,
              std::string(what) + " has " + std::to_string(has) +
                  " rows where there are " + std::to_string(samples) +
                  " samples",
              details);
}

/// Rows [first, first + count) of a table that is there.
void AddRows(const Batch& table, const char* what, std::size_t samples,
             Eigen::Index first, Eigen::Index count, v1::Array* array) {
  if (table.rows() != static_cast<Eigen::Index>(samples)) {
    ThrowRows(what, table.rows(), samples);
  }
  EncodeRows(table, first, count, array);
}

void FillSamples(const TrajectorySamples& samples, Eigen::Index first,
                 Eigen::Index count, v1::TrajectorySamples* message) {
  message->Clear();
  const std::size_t total = samples.time.size();
  const Batch time =
      Eigen::Map<const Batch>(samples.time.data() + first, count, 1);
  EncodeRows(time, 0, count, message->mutable_time());
  if (samples.q.size() > 0) {
    AddRows(samples.q, "q", total, first, count, message->mutable_q());
  }
  if (samples.v.size() > 0) {
    AddRows(samples.v, "v", total, first, count, message->mutable_v());
  }
  if (samples.a.size() > 0) {
    AddRows(samples.a, "a", total, first, count, message->mutable_a());
  }
  const Batch& wrench = samples.tip_wrench_on_environment;
  if (wrench.size() == 0) return;
  v1::Array* array = message->mutable_tip_wrench_on_environment();
  if (wrench.rows() == 1) {
    EncodeRows(wrench.replicate(count, 1), 0, count, array);
  } else {
    AddRows(wrench, "tip_wrench_on_environment", total, first, count, array);
  }
}

struct Table {
  bool present;
  const v1::Array& array;
  const char* name;
  Batch* to;
};

void TakeRows(const v1::TrajectoryRows& rows, Eigen::Index total,
              TrajectoryCheck* check) {
  const auto first = static_cast<Eigen::Index>(rows.first_sample());
  const Table tables[] = {
      {rows.has_tau(), rows.tau(), "tau", &check->tau},
      {rows.has_v(), rows.v(), "v", &check->v},
      {rows.has_a(), rows.a(), "a", &check->a},
      {rows.has_path_a(), rows.path_a(), "path_a", &check->path_a},
      {rows.has_path_b(), rows.path_b(), "path_b", &check->path_b},
      {rows.has_path_c(), rows.path_c(), "path_c", &check->path_c},
      {rows.has_path_d(), rows.path_d(), "path_d", &check->path_d},
      {rows.has_path_e(), rows.path_e(), "path_e", &check->path_e},
      {rows.has_sigma_min(), rows.sigma_min(), "sigma_min", &check->sigma_min},
      {rows.has_condition(), rows.condition(), "condition", &check->condition},
      {rows.has_torque_limit(), rows.torque_limit(), "torque_limit",
       &check->torque_limit}};
  for (const Table& table : tables) {
    if (!table.present || table.array.columns() == 0) continue;
    const std::size_t bytes = table.array.columns() * sizeof(double);
    const auto count =
        static_cast<Eigen::Index>(table.array.f64().size() / bytes);
    if (first < 0 || first > total || count > total - first ||
        (first > 0 && table.to->rows() != total)) {
      throw Error(grpc::StatusCode::INTERNAL,
                  std::string("the reply's ") + table.name +
                      " has rows that were not asked for");
    }
    DecodeRows(table.array, table.name, first, count, total, table.to);
  }
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
  while (stream->Read(&reply)) {
    if (reply.has_progress() && progress) {
      progress(static_cast<std::int64_t>(reply.progress().samples_done()),
               static_cast<std::int64_t>(reply.progress().samples()));
    } else if (reply.has_verdict()) {
      decided = true;
      check->verdict.Swap(reply.mutable_verdict());
    } else if (reply.has_rows()) {
      TakeRows(reply.rows(), total, check);
    }
  }
  grpc::Status status = stream->Finish();
  if (status.ok() && !decided) {
    return {grpc::StatusCode::INTERNAL, "the reply has no verdict"};
  }
  return status;
}

}  // namespace torqued::client
