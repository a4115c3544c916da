// Tables and progress of a check.
#include <gmock/gmock.h>

#include <vector>

#include "client/cpp/client.h"
#include "client/cpp/error.h"
#include "tests/client/fake_server.h"

namespace torqued::client {
namespace {

constexpr Eigen::Index kSamples = 6;
constexpr Eigen::Index kJoints = 2;

/// A table's number, told from all others.
double NumberAt(int table, std::int64_t row, std::int64_t column) {
  return 1000 * table + static_cast<double>(10 * row + column);
}

/// Rows [first, first + count) of a table.
void FillRows(int table, std::int64_t columns, std::int64_t first,
              std::int64_t count, v1::Array* array) {
  array->set_columns(static_cast<std::uint32_t>(columns));
  for (std::int64_t k = 0; k < count * columns; ++k) {
    const double number = NumberAt(table, first + k / columns, k % columns);
    array->mutable_f64()->append(reinterpret_cast<const char*>(&number),
                                 sizeof(double));
  }
}

/// What a server sends of the tables.
void FillAll(std::int64_t first, std::int64_t count, v1::TrajectoryRows* rows) {
  rows->set_first_sample(static_cast<std::uint64_t>(first));
  int number = 0;
#define TORQUED_TRAJECTORY_TABLE(name) \
  FillRows(number++, kJoints, first, count, rows->mutable_##name());
#include "torqued/v1/tables.inc"
}

TrajectorySamples AtRest() {
  TrajectorySamples samples;
  for (int k = 0; k < kSamples; ++k) samples.time.push_back(k);
  samples.q = samples.v = samples.a = Batch::Zero(kSamples, kJoints);
  return samples;
}

/// The check that these rows after a verdict come to.
TrajectoryCheck CheckOf(std::vector<v1::TrajectoryRows> rows) {
  FakeServer server;
  server.check_trajectory = [&rows](grpc::ServerContext&, auto& stream) {
    v1::CheckTrajectoryRequest request;
    while (stream.Read(&request)) {
    }
    v1::CheckTrajectoryReply reply;
    reply.mutable_verdict()->set_samples(kSamples);
    stream.Write(reply);
    for (v1::TrajectoryRows& part : rows) {
      reply.Clear();
      reply.mutable_rows()->Swap(&part);
      stream.Write(reply);
    }
    return grpc::Status::OK;
  };
  v1::CheckTrajectoryStart start;
  start.add_tables(v1::TRAJECTORY_TABLE_TAU);
  return Client::Connect(server.address()).CheckTrajectory(start, AtRest());
}

std::vector<v1::TrajectoryRows> GoodRows() {
  std::vector<v1::TrajectoryRows> rows(2);
  FillAll(0, 4, &rows[0]);
  FillAll(4, 2, &rows[1]);
  return rows;
}

TEST(CheckCall, EachTableIsWhatItsNameSays) {
  const TrajectoryCheck check = CheckOf(GoodRows());
  int number = 0;
  for (const Batch* table : {
#define TORQUED_TRAJECTORY_TABLE(name) &check.name,
#include "torqued/v1/tables.inc"
       }) {
    const Batch expected = Batch::NullaryExpr(
        kSamples, kJoints,
        [&](auto row, auto column) { return NumberAt(number, row, column); });
    EXPECT_EQ(*table, expected) << number;
    ++number;
  }
  EXPECT_EQ(number, v1::TrajectoryTable_ARRAYSIZE - 1);
}

TEST(CheckCall, ProgressNeverGoesBackAndReachesTheEnd) {
  FakeServer server;
  int calls = 0;
  server.check_trajectory = [&calls](grpc::ServerContext&, auto& stream) {
    v1::CheckTrajectoryRequest request;
    while (stream.Read(&request)) {
    }
    v1::CheckTrajectoryReply reply;
    reply.mutable_progress()->set_samples_done(++calls == 1 ? 4 : 2);
    reply.mutable_progress()->set_samples(kSamples);
    stream.Write(reply);
    if (calls == 1) return grpc::Status(grpc::StatusCode::UNAVAILABLE, "lost");
    reply.mutable_verdict();
    reply.clear_progress();
    stream.Write(reply);
    return grpc::Status::OK;
  };
  std::vector<std::int64_t> told;
  Client::Connect(server.address())
      .CheckTrajectory({}, AtRest(), [&](std::int64_t done, std::int64_t of) {
        EXPECT_EQ(of, kSamples);
        told.push_back(done);
      });
  EXPECT_THAT(told, testing::ElementsAre(4, kSamples));
}

TEST(CheckCall, RowsBeyondTheLastSampleAreRefused) {
  for (const std::int64_t first : {std::int64_t{5}, std::int64_t{-4}}) {
    std::vector<v1::TrajectoryRows> rows = GoodRows();
    rows[1].set_first_sample(static_cast<std::uint64_t>(first));
    EXPECT_EQ(ErrorOf([&] { CheckOf(rows); }).code(),
              grpc::StatusCode::INTERNAL);
  }
}

}  // namespace
}  // namespace torqued::client
