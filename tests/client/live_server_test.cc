// The client against the real server.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <thread>

#include "client/cpp/client.h"
#include "client/cpp/local_server.h"
#include "tests/client/fake_server.h"

namespace torqued::client {
namespace {

Batch Random(Eigen::Index rows, Eigen::Index columns, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-2, 2);
  return Batch::NullaryExpr(rows, columns, [&] { return uniform(random); });
}

bool SameBits(const Batch& a, const Batch& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::memcmp(a.data(), b.data(),
                     static_cast<std::size_t>(a.size()) * sizeof(double)) == 0;
}

class LiveServer : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    server_ =
        new LocalServer({.binary = TORQUED_SERVER_BINARY,
                         .arguments = {"--models", TORQUED_EXAMPLE_MODELS}});
    client_ = new Client(Client::Connect(server_->address()));
  }
  static void TearDownTestSuite() {
    delete client_;
    delete server_;
  }

  static inline LocalServer* server_ = nullptr;
  static inline Client* client_ = nullptr;
};

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// All inputs of the seven-axis arm.
States Surrounded(Eigen::Index rows) {
  return {.q = Random(rows, 7, 21),
          .v = Random(rows, 7, 22),
          .a = Random(rows, 7, 23),
          .base_twist = Random(rows, 6, 24),
          .base_acceleration = Random(1, 6, 25),
          .external_wrenches_on_robot = Random(rows, 12, 26),
          .task_acceleration = Random(rows, 3, 27),
          .null_space_torque = Random(rows, 7, 28),
          .gravity = Random(rows, 3, 29)};
}

TEST(LimitedServer, IsSentWhatItTakesAndGivesTheSameBits) {
  const Batch q = Random(5000, 7, 20);
  const States states = Surrounded(3000);
  ComputeOptions options;
  v1::WrenchPlace& place = *options.options.add_external_wrenches();
  place.set_frame("panda_link3");
  place.set_reference_frame(v1::REFERENCE_FRAME_WORLD);
  options.options.add_external_wrenches();
  options.options.mutable_terms()->set_coulomb_friction(true);
  options.options.mutable_terms()->set_coulomb_smoothing(0.1);
  options.operational_space.add_axes(v1::TASK_AXIS_LINEAR_X);
  options.operational_space.add_axes(v1::TASK_AXIS_LINEAR_Y);
  options.operational_space.add_axes(v1::TASK_AXIS_LINEAR_Z);
  const std::vector<v1::Quantity> quantities = {v1::QUANTITY_TASK_TORQUE,
                                                v1::QUANTITY_POWER_BALANCE};
  Batch wanted;
  Evaluation whole;
  // The usual limits; of rows; of messages, by gRPC on the way there and by the
  // server on the way back; of what is under way, where nothing tells how much
  // fits.
  for (const std::vector<std::string>& limits :
       std::vector<std::vector<std::string>>{
           {},
           {"--max-rows", "100"},
           {"--max-message-bytes", "20000"},
           {"--max-inflight-bytes", "100000"}}) {
    SCOPED_TRACE(::testing::PrintToString(limits));
    // Where so little may be under way, nothing can be registered by a call.
    std::vector<std::string> arguments = {"--models", TORQUED_EXAMPLE_MODELS};
    arguments.insert(arguments.end(), limits.begin(), limits.end());
    const LocalServer server(
        {.binary = TORQUED_SERVER_BINARY, .arguments = arguments});
    const Client client = Client::Connect(server.address());
    const Batch masses = client.MassMatrix("panda", {.q = q}).mass_matrix;
    const Evaluation parts =
        client.Compute("panda", quantities, states, options);
    if (limits.empty()) {
      wanted = masses;
      whole = parts;
    }
    EXPECT_TRUE(SameBits(masses, wanted));
    const Batch few =
        client.MassMatrix("panda", {.q = q.topRows(300)}).mass_matrix;
    EXPECT_TRUE(SameBits(few, wanted.topRows(300))) << "one call";
    EXPECT_EQ(parts.rows_not_ok, 0);
    EXPECT_TRUE(SameBits(parts.task_torque, whole.task_torque));
    EXPECT_TRUE(SameBits(parts.power_balance, whole.power_balance));
  }
}

// A reply lists 1000 of them.
TEST_F(LiveServer, NamesEveryBadRowOfABatchOfWhichMostAreBad) {
  for (const Eigen::Index rows : {5000, 20'000}) {
    Batch q = Random(rows, 7, 21);
    std::vector<std::uint64_t> bad;
    for (Eigen::Index row = 0; row < rows; ++row) {
      if (row % 5 < 2) continue;
      q(row, row % 7) = kNan;
      bad.push_back(static_cast<std::uint64_t>(row));
    }
    std::vector<std::int64_t> done;
    ComputeOptions options;
    options.progress = [&done](std::int64_t rows_done, std::int64_t) {
      done.push_back(rows_done);
    };
    const States states{.q = q};
    for (const bool async : {false, true}) {
      done.clear();
      const Evaluation result =
          async ? client_
                      ->ComputeAsync("panda", {v1::QUANTITY_INVERSE_DYNAMICS},
                                     states, options)
                      .Get()
                : client_->InverseDynamics("panda", states, options);
      EXPECT_EQ(result.rows_not_ok, std::ssize(bad));
      std::vector<std::uint64_t> named;
      for (const v1::RowStatus& status : result.row_status) {
        named.push_back(status.row());
        EXPECT_EQ(status.joint(),
                  "panda_joint" + std::to_string(status.row() % 7 + 1));
      }
      EXPECT_EQ(named, bad);
      EXPECT_TRUE(result.tau.row(rows - 4).allFinite());
      EXPECT_TRUE(result.tau.row(rows - 1).array().isNaN().all());
      EXPECT_TRUE(std::ranges::is_sorted(done));
      EXPECT_EQ(done.back(), rows);
    }
  }
}

TEST_F(LiveServer, ATrajectoryIsCheckedWhateverItsSize) {
  for (const Eigen::Index rows : {1, 40, 60'000}) {
    TrajectorySamples samples;
    for (Eigen::Index row = 0; row < rows; ++row) {
      samples.time.push_back(0.01 * static_cast<double>(row));
    }
    samples.q = Random(rows, 7, 1);
    samples.v = Random(rows, 7, 2);
    samples.a = Random(rows, 7, 3);
    samples.tip_wrench_on_environment = Random(1, 6, 4);
    v1::CheckTrajectoryStart start;
    start.set_model("panda");
    start.add_tables(v1::TRAJECTORY_TABLE_TAU);
    start.add_tables(v1::TRAJECTORY_TABLE_V);
    std::int64_t done = 0;
    const TrajectoryCheck check = client_->CheckTrajectory(
        start, samples, [&](std::int64_t so_far, std::int64_t total) {
          EXPECT_EQ(total, rows);
          EXPECT_GE(so_far, done);
          done = so_far;
        });
    EXPECT_EQ(check.verdict.samples(), static_cast<std::uint64_t>(rows));
    EXPECT_EQ(check.verdict.violation_count() == 0, check.verdict.passes());
    const Evaluation torques = client_->InverseDynamics(
        "panda",
        {.q = samples.q,
         .v = samples.v,
         .a = samples.a,
         .tip_wrench_on_environment = samples.tip_wrench_on_environment});
    EXPECT_TRUE(SameBits(check.tau, torques.tau)) << rows;
    EXPECT_TRUE(SameBits(check.v, samples.v)) << rows;
    EXPECT_EQ(check.path_a.size(), 0);
  }
}

TEST_F(LiveServer, TablesOfATrajectoryThatDoNotFitAreRefused) {
  TrajectorySamples samples;
  samples.time = {0, 1, 2};
  samples.q = Random(3, 7, 1);
  samples.v = Random(2, 7, 2);
  samples.a = Random(3, 7, 3);
  v1::CheckTrajectoryStart start;
  start.set_model("panda");
  const auto error = [&] {
    return ErrorOf([&] { client_->CheckTrajectory(start, samples); });
  };
  EXPECT_EQ(error().reason(), v1::WRONG_ROW_COUNT);
  samples.v = Random(3, 7, 2);
  samples.v(1, 4) = kNan;
  EXPECT_EQ(error().details().field_violations.at(0).field, "v[1][4]");
}

TEST_F(LiveServer, KeepsApartWhatSeveralThreadsBegin) {
  std::vector<std::jthread> threads;
  for (unsigned seed = 40; seed < 44; ++seed) {
    threads.emplace_back([seed] {
      for (const Eigen::Index rows : {1, 3, 20'000, 7, 15'000}) {
        const States states{.q = Random(rows, 7, seed)};
        PendingEvaluation pending = client_->ComputeAsync(
            "panda", {v1::QUANTITY_GRAVITY_FORCES}, states);
        const Batch wanted =
            client_->Compute("panda", {v1::QUANTITY_GRAVITY_FORCES}, states)
                .gravity;
        EXPECT_TRUE(SameBits(pending.Get().gravity, wanted));
      }
    });
  }
}

}  // namespace
}  // namespace torqued::client
