// Tables of a check, from replies that a server should not send.
#include <gmock/gmock.h>

#include <vector>

#include "client/cpp/client.h"
#include "client/cpp/error.h"
#include "tests/client/fake_server.h"

namespace torqued::client {
namespace {

using testing::HasSubstr;

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

/// What a server sends of the tables, in the order of their enum.
void FillAll(std::int64_t first, std::int64_t count, v1::TrajectoryRows* rows) {
  rows->set_first_sample(static_cast<std::uint64_t>(first));
  const struct {
    int table;
    v1::Array* array;
  } tables[] = {
      {v1::TRAJECTORY_TABLE_TAU, rows->mutable_tau()},
      {v1::TRAJECTORY_TABLE_V, rows->mutable_v()},
      {v1::TRAJECTORY_TABLE_A, rows->mutable_a()},
      {v1::TRAJECTORY_TABLE_PATH_A, rows->mutable_path_a()},
      {v1::TRAJECTORY_TABLE_PATH_B, rows->mutable_path_b()},
      {v1::TRAJECTORY_TABLE_PATH_C, rows->mutable_path_c()},
      {v1::TRAJECTORY_TABLE_PATH_D, rows->mutable_path_d()},
      {v1::TRAJECTORY_TABLE_PATH_E, rows->mutable_path_e()},
      {v1::TRAJECTORY_TABLE_SIGMA_MIN, rows->mutable_sigma_min()},
      {v1::TRAJECTORY_TABLE_CONDITION, rows->mutable_condition()},
      {v1::TRAJECTORY_TABLE_TORQUE_LIMIT, rows->mutable_torque_limit()}};
  for (const auto& [table, array] : tables) {
    const bool one = table == v1::TRAJECTORY_TABLE_SIGMA_MIN ||
                     table == v1::TRAJECTORY_TABLE_CONDITION;
    FillRows(table, one ? 1 : kJoints, first, count, array);
  }
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
  TrajectorySamples samples;
  for (int k = 0; k < kSamples; ++k) samples.time.push_back(k);
  samples.q = samples.v = samples.a = Batch::Zero(kSamples, kJoints);
  v1::CheckTrajectoryStart start;
  for (int table = 1; table < v1::TrajectoryTable_ARRAYSIZE; ++table) {
    start.add_tables(static_cast<v1::TrajectoryTable>(table));
  }
  return Client::Connect(server.address()).CheckTrajectory(start, samples);
}

std::string ProblemOf(std::vector<v1::TrajectoryRows> rows) {
  try {
    CheckOf(std::move(rows));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), grpc::StatusCode::INTERNAL);
    return error.what();
  }
  return "";
}

std::vector<v1::TrajectoryRows> GoodRows() {
  std::vector<v1::TrajectoryRows> rows(2);
  FillAll(0, 4, &rows[0]);
  FillAll(4, 2, &rows[1]);
  return rows;
}

TEST(CheckCall, EachTableIsWhatItsNameSays) {
  const TrajectoryCheck check = CheckOf(GoodRows());
  const Batch* tables[] = {
      &check.tau,       &check.v,         &check.a,           &check.path_a,
      &check.path_b,    &check.path_c,    &check.path_d,      &check.path_e,
      &check.sigma_min, &check.condition, &check.torque_limit};
  int number = 0;
  for (const Batch* table : tables) {
    ++number;
    const bool one = number == v1::TRAJECTORY_TABLE_SIGMA_MIN ||
                     number == v1::TRAJECTORY_TABLE_CONDITION;
    ASSERT_EQ(table->rows(), kSamples) << number;
    ASSERT_EQ(table->cols(), one ? 1 : kJoints) << number;
    for (Eigen::Index row = 0; row < kSamples; ++row) {
      for (Eigen::Index k = 0; k < table->cols(); ++k) {
        EXPECT_EQ((*table)(row, k), NumberAt(number, row, k));
      }
    }
  }
}

TEST(CheckCall, RowsThatDoNotComeAreNoticed) {
  auto rows = GoodRows();
  rows.pop_back();
  EXPECT_THAT(ProblemOf(rows), HasSubstr("tables of 4 of 6 samples"));
  EXPECT_THAT(ProblemOf({}), HasSubstr("tables of 0 of 6 samples"));
  rows = GoodRows();
  rows.erase(rows.begin());
  EXPECT_THAT(ProblemOf(rows), HasSubstr("from sample 4 on"));
  rows = GoodRows();
  rows[1].clear_path_d();
  EXPECT_THAT(ProblemOf(rows), HasSubstr("0 rows of TRAJECTORY_TABLE_PATH_D"));
  rows = GoodRows();
  FillRows(1, kJoints, 3, 1, rows[0].mutable_torque_limit());
  EXPECT_THAT(ProblemOf(rows),
              HasSubstr("5 rows of TRAJECTORY_TABLE_TORQUE_LIMIT"));
}

TEST(CheckCall, RowsThatNobodyAskedForAreRefused) {
  auto rows = GoodRows();
  FillAll(4, 2, &rows.emplace_back());
  EXPECT_THAT(ProblemOf(rows), HasSubstr("from sample 4 on"));
  rows = GoodRows();
  rows[1].Clear();
  FillAll(4, 3, &rows[1]);
  EXPECT_THAT(ProblemOf(rows), HasSubstr("3 rows"));
}

}  // namespace
}  // namespace torqued::client
