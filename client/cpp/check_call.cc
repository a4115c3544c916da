#include "client/cpp/check_call.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

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

/// Where the rows of a table come in, and where they go.
struct Table {
  v1::TrajectoryTable table;
  const v1::Array& (v1::TrajectoryRows::*array)() const;
  Batch TrajectoryCheck::* to;
};

constexpr Table kTables[] = {
    {v1::TRAJECTORY_TABLE_TAU, &v1::TrajectoryRows::tau, &TrajectoryCheck::tau},
    {v1::TRAJECTORY_TABLE_V, &v1::TrajectoryRows::v, &TrajectoryCheck::v},
    {v1::TRAJECTORY_TABLE_A, &v1::TrajectoryRows::a, &TrajectoryCheck::a},
    {v1::TRAJECTORY_TABLE_PATH_A, &v1::TrajectoryRows::path_a,
     &TrajectoryCheck::path_a},
    {v1::TRAJECTORY_TABLE_PATH_B, &v1::TrajectoryRows::path_b,
     &TrajectoryCheck::path_b},
    {v1::TRAJECTORY_TABLE_PATH_C, &v1::TrajectoryRows::path_c,
     &TrajectoryCheck::path_c},
    {v1::TRAJECTORY_TABLE_PATH_D, &v1::TrajectoryRows::path_d,
     &TrajectoryCheck::path_d},
    {v1::TRAJECTORY_TABLE_PATH_E, &v1::TrajectoryRows::path_e,
     &TrajectoryCheck::path_e},
    {v1::TRAJECTORY_TABLE_SIGMA_MIN, &v1::TrajectoryRows::sigma_min,
     &TrajectoryCheck::sigma_min},
    {v1::TRAJECTORY_TABLE_CONDITION, &v1::TrajectoryRows::condition,
     &TrajectoryCheck::condition},
    {v1::TRAJECTORY_TABLE_TORQUE_LIMIT, &v1::TrajectoryRows::torque_limit,
     &TrajectoryCheck::torque_limit}};

/// Takes the rows of the tables that were asked for, which come in order.
class TableRows {
 public:
  TableRows(const v1::CheckTrajectoryStart& start, Eigen::Index joints,
            Eigen::Index total)
      : total_(total) {
    for (const Table& table : kTables) {
      const bool one_column = table.table == v1::TRAJECTORY_TABLE_SIGMA_MIN ||
                              table.table == v1::TRAJECTORY_TABLE_CONDITION;
      const bool asked = std::find(start.tables().begin(), start.tables().end(),
                                   table.table) != start.tables().end();
      // The tables of a robot without joints have no columns.
      if (asked && (one_column || joints > 0)) asked_.push_back(&table);
    }
  }

  void Take(const v1::TrajectoryRows& rows, TrajectoryCheck* check) {
    if (asked_.empty()) return;
    if (rows.first_sample() != static_cast<std::uint64_t>(next_)) {
      Refuse("rows from sample " + std::to_string(rows.first_sample()) +
             " on where those from " + std::to_string(next_) + " on are due");
    }
    Eigen::Index count = 0;
    for (const Table* table : asked_) {
      const v1::Array& array = (rows.*table->array)();
      const std::string& name = v1::TrajectoryTable_Name(table->table);
      const std::size_t bytes = array.columns() * sizeof(double);
      const auto has =
          bytes == 0 ? 0
                     : static_cast<Eigen::Index>(array.f64().size() / bytes);
      if (table == asked_.front()) count = has;
      if (has == 0 || has != count || has > total_ - next_) {
        Refuse(std::to_string(has) + " rows of " + name);
      }
      DecodeRows(array, name.c_str(), next_, has, total_, &(check->*table->to));
    }
    next_ += count;
  }

  /// Once there are no more to come.
  void Finish() const {
    if (asked_.empty() || next_ == total_) return;
    Refuse("the tables of " + std::to_string(next_) + " of " +
           std::to_string(total_) + " samples");
  }

 private:
  [[noreturn]] static void Refuse(const std::string& what) {
    throw Error(grpc::StatusCode::INTERNAL, "the reply has " + what);
  }

  Eigen::Index total_;
  Eigen::Index next_ = 0;
  std::vector<const Table*> asked_;
};

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
  TableRows tables(start, samples.q.cols(), total);
  while (stream->Read(&reply)) {
    if (reply.has_progress() && progress) {
      progress(static_cast<std::int64_t>(reply.progress().samples_done()),
               static_cast<std::int64_t>(reply.progress().samples()));
    } else if (reply.has_verdict()) {
      decided = true;
      check->verdict.Swap(reply.mutable_verdict());
    } else if (reply.has_rows()) {
      tables.Take(reply.rows(), check);
    }
  }
  grpc::Status status = stream->Finish();
  if (status.ok() && !decided) {
    return {grpc::StatusCode::INTERNAL, "the reply has no verdict"};
  }
  if (status.ok()) tables.Finish();
  return status;
}

}  // namespace torqued::client
