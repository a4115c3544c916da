// The client against the real server.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/client/live_server.h"

namespace torqued::client {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST_F(LiveServer, GivesABatchOfManyMessagesTheSameBitsAsOneOfFew) {
  const Batch q = Random(30'000, 7, 4);
  ConnectOptions small;
  small.max_message_bytes = 512 * 1024;
  const Client cut = Client::Connect(server_->address(), small);
  const Evaluation whole = client_->Compute(
      "panda", {v1::QUANTITY_MASS_MATRIX, v1::QUANTITY_OPERATIONAL_SPACE},
      {.q = q});
  const Evaluation parts = cut.Compute(
      "panda", {v1::QUANTITY_MASS_MATRIX, v1::QUANTITY_OPERATIONAL_SPACE},
      {.q = q});
  EXPECT_TRUE(SameBits(whole.mass_matrix, parts.mass_matrix));
  EXPECT_TRUE(SameBits(whole.lambda, parts.lambda));
  EXPECT_EQ(whole.rank, parts.rank);
  EXPECT_EQ(whole.rule, parts.rule);
  EXPECT_EQ(parts.echo.model(), "panda");
  for (const Eigen::Index row : {0, 1, 12'345, 29'999}) {
    const Evaluation one = client_->MassMatrix("panda", {.q = q.row(row)});
    EXPECT_TRUE(SameBits(one.mass_matrix, whole.mass_matrix.row(row)));
  }
}

TEST_F(LiveServer, GivesABatchTheSameBitsWhateverItsParts) {
  const Batch q = Random(2000, 7, 14), v = Random(2000, 7, 15),
              a = Random(2000, 7, 16);
  ComputeOptions options;
  options.tip_wrench_reference_frame = v1::REFERENCE_FRAME_WORLD;
  const States states{
      .q = q, .v = v, .a = a, .tip_wrench_on_environment = Random(2000, 6, 17)};
  const Evaluation whole = client_->InverseDynamics("panda", states, options);
  for (const int chunk_rows : {1, 7, 1000}) {
    ConnectOptions connect;
    connect.chunk_rows = chunk_rows;
    const Evaluation parts =
        Client::Connect(server_->address(), connect)
            .Compute("panda", {v1::QUANTITY_INVERSE_DYNAMICS}, states, options);
    EXPECT_TRUE(SameBits(parts.tau, whole.tau));
    EXPECT_EQ(parts.echo.tip_frame(), whole.echo.tip_frame());
  }
}

TEST_F(LiveServer, SaysWhereABatchStopped) {
  Batch q = Random(5000, 7, 18);
  q(4000, 3) = kNan;
  ComputeOptions options;
  options.options.set_fail_fast(true);
  try {
    client_->Compute("panda", {v1::QUANTITY_INVERSE_DYNAMICS}, {.q = q},
                     options);
    FAIL() << "did not throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.reason(), v1::ROW_FAILED);
    EXPECT_EQ(error.details().metadata.at("row"), "4000");
  }
}

TEST(LimitedServer, IsSentWhatItTakes) {
  const Batch q = Random(5000, 7, 20);
  Batch wanted;
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
    if (limits.empty()) wanted = masses;
    EXPECT_TRUE(SameBits(masses, wanted));
    const Batch few =
        client.MassMatrix("panda", {.q = q.topRows(300)}).mass_matrix;
    EXPECT_TRUE(SameBits(few, wanted.topRows(300))) << "one call";
  }
}

TEST_F(LiveServer, ComputesAMillionStates) {
  const Batch q = Random(1'000'000, 2, 19);
  const Evaluation result = client_->MassMatrix("planar_2r", {.q = q});
  EXPECT_EQ(result.mass_matrix.rows(), 1'000'000);
  EXPECT_TRUE(result.ok());
  const Eigen::Index last = q.rows() - 1;
  EXPECT_TRUE(SameBits(
      result.mass_matrix.row(last),
      client_->MassMatrix("planar_2r", {.q = q.row(last)}).mass_matrix));
}

TEST_F(LiveServer, TellsWhatItIs) {
  const v1::GetServerInfoReply info = client_->GetServerInfo();
  const v1::Echo echo =
      client_->MassMatrix("planar_2r", {.q = Random(1, 2, 1)}).echo;
  EXPECT_EQ(info.server_version(), echo.server_version());
  EXPECT_EQ(info.target(), echo.target());
  EXPECT_GE(info.targets_size(), 1);
  EXPECT_GT(info.max_message_bytes(), 0u);
}

TEST_F(LiveServer, ReturnsSingularValuesOnlyWhenAskedTo) {
  const States states{.q = Random(50, 7, 9)};
  const Evaluation plain = client_->OperationalSpace("panda", states);
  ComputeOptions options;
  options.operational_space.set_sigma_min(true);
  const Evaluation asked = client_->OperationalSpace("panda", states, options);
  EXPECT_TRUE(plain.sigma_min.empty());
  ASSERT_EQ(asked.sigma_min.size(), 50u);
  EXPECT_GT(asked.sigma_min[0], 0);
  EXPECT_TRUE(SameBits(plain.lambda, asked.lambda));
  EXPECT_EQ(plain.rank, asked.rank);
}

TEST_F(LiveServer, ComputesInSinglePrecisionWhenAskedTo) {
  const States states{.q = Random(50, 7, 9)};
  ComputeOptions options;
  options.options.set_precision(v1::PRECISION_SINGLE);
  const Evaluation exact = client_->MassMatrix("panda", states);
  const Evaluation rounded = client_->MassMatrix("panda", states, options);
  EXPECT_EQ(rounded.echo.precision(), v1::PRECISION_SINGLE);
  EXPECT_EQ(rounded.echo.computed_precision(), v1::PRECISION_SINGLE);
  const double error =
      (rounded.mass_matrix - exact.mass_matrix).cwiseAbs().maxCoeff();
  EXPECT_GT(error, 1e-10);
  EXPECT_LT(error, 1e-5);
}

/// So many states of the seven-axis arm in surroundings of all kinds.
States Surrounded(Eigen::Index rows) {
  return {.q = Random(rows, 7, 21),
          .v = Random(rows, 7, 22),
          .a = Random(rows, 7, 23),
          .base_twist = Random(rows, 6, 24),
          .base_acceleration = Random(1, 6, 25),
          .external_wrenches_on_robot = Random(rows, 12, 26)};
}

TEST_F(LiveServer, GivesBatchesAndCallsTheSameBitsInAllSurroundings) {
  States states = Surrounded(3000);
  states.task_acceleration = Random(3000, 3, 27);
  states.null_space_torque = Random(3000, 7, 28);
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
  const std::vector<v1::Quantity> wanted = {v1::QUANTITY_TASK_TORQUE,
                                            v1::QUANTITY_POWER_BALANCE};
  const Evaluation whole = client_->Compute("panda", wanted, states, options);
  EXPECT_EQ(whole.rows_not_ok, 0);
  EXPECT_EQ(whole.task_torque.cols(), 7);
  EXPECT_EQ(whole.power_balance.cols(), 8);
  const Batch left = whole.power_balance.leftCols(2).rowwise().sum() -
                     whole.power_balance.rightCols(6).rowwise().sum();
  EXPECT_LT(left.cwiseAbs().maxCoeff(),
            1e-12 * whole.power_balance.cwiseAbs().maxCoeff());
  for (const int chunk_rows : {7, 1000}) {
    ConnectOptions connect;
    connect.chunk_rows = chunk_rows;
    const Evaluation parts = Client::Connect(server_->address(), connect)
                                 .Compute("panda", wanted, states, options);
    EXPECT_TRUE(SameBits(parts.task_torque, whole.task_torque));
    EXPECT_TRUE(SameBits(parts.power_balance, whole.power_balance));
  }
}

TEST_F(LiveServer, NamesABadRowByItsPlaceInTheWholeBatch) {
  Batch q = Random(60'000, 7, 9);
  q(44'444, 3) = kNan;
  q(7, 0) = kNan;
  const Evaluation result = client_->InverseDynamics("panda", {.q = q});
  EXPECT_EQ(result.rows_not_ok, 2);
  ASSERT_EQ(result.row_status.size(), 2u);
  EXPECT_EQ(result.row_status[0].row(), 7u);
  EXPECT_EQ(result.row_status[1].row(), 44'444u);
  EXPECT_EQ(result.row_status[1].joint(), "panda_joint4");
  EXPECT_TRUE(std::isnan(result.tau(44'444, 0)));
  EXPECT_TRUE(result.tau.row(44'445).allFinite());

  ComputeOptions options;
  options.options.set_fail_fast(true);
  q(7, 0) = 0;
  try {
    client_->InverseDynamics("panda", {.q = q}, options);
    FAIL() << "did not throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.reason(), v1::ROW_FAILED);
    EXPECT_EQ(error.details().metadata.at("row"), "44444");
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

TEST_F(LiveServer, TellsWhatIsWrongWithARequest) {
  const auto reason_of = [](const auto& call) {
    try {
      call();
    } catch (const Error& error) {
      return std::pair(error.reason(),
                       error.details().field_violations.empty()
                           ? std::string()
                           : error.details().field_violations[0].field);
    }
    return std::pair(v1::REASON_UNSPECIFIED, std::string("no error"));
  };
  using ::testing::Pair;
  EXPECT_THAT(reason_of([] {
                client_->MassMatrix("absent", {.q = Batch::Zero(1, 7)});
              }),
              Pair(v1::MODEL_NOT_FOUND, ::testing::_));
  EXPECT_THAT(
      reason_of([] { client_->MassMatrix("panda", {.q = Batch::Zero(1, 6)}); }),
      Pair(v1::WRONG_COLUMN_COUNT, "q"));
  EXPECT_THAT(reason_of([] {
                client_->ForwardDynamics("panda", {.q = Batch::Zero(1, 7)});
              }),
              Pair(v1::MISSING_INPUT, "tau"));
  EXPECT_THAT(reason_of([] {
                ComputeOptions options;
                options.options.add_joint_names("panda_joint1");
                client_->MassMatrix("panda", {.q = Batch::Zero(1, 7)}, options);
              }).first,
              v1::WRONG_JOINT_NAMES);
}

TEST_F(LiveServer, PermutesJointsByName) {
  const Batch q = Random(10, 2, 10);
  ComputeOptions reversed;
  reversed.options.add_joint_names("joint2");
  reversed.options.add_joint_names("joint1");
  const Evaluation canonical = client_->MassMatrix("planar_2r", {.q = q});
  const Evaluation swapped =
      client_->MassMatrix("planar_2r", {.q = q.rowwise().reverse()}, reversed);
  EXPECT_EQ(swapped.mass_matrix.col(0), canonical.mass_matrix.col(3));
  EXPECT_EQ(swapped.mass_matrix.col(3), canonical.mass_matrix.col(0));
  EXPECT_THAT(swapped.echo.joint_names(),
              ::testing::ElementsAre("joint2", "joint1"));
}

TEST_F(LiveServer, RegistersValidatesListsAndDeletes) {
  v1::ValidateModelRequest dry_run;
  dry_run.set_source("<robot");
  EXPECT_FALSE(client_->ValidateModel(dry_run).valid());

  v1::RegisterModelRequest request;
  request.set_name("temporary");
  request.set_source(ReadExample("planar_2r.urdf"));
  const auto first = client_->RegisterModel(request);
  EXPECT_TRUE(first.changed());
  EXPECT_FALSE(client_->RegisterModel(request).changed());
  EXPECT_EQ(client_->GetModel("temporary", true).source(), request.source());

  request.set_expected_current("");
  try {
    client_->RegisterModel(request);
    FAIL() << "did not throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.reason(), v1::REVISION_CONFLICT);
  }

  const auto count = client_->ListModels().size();
  client_->DeleteModel("temporary", first.model().revision());
  EXPECT_EQ(client_->ListModels().size(), count - 1);
}

TEST_F(LiveServer, IsHealthy) {
  const HealthReport report = client_->CheckHealth();
  EXPECT_EQ(report.health, Health::kServing);
  EXPECT_GT(report.round_trip.count(), 0);
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
  try {
    client_->CheckTrajectory(start, samples);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.reason(), v1::WRONG_ROW_COUNT);
  }
  samples.v = Random(3, 7, 2);
  samples.v(1, 4) = kNan;
  try {
    client_->CheckTrajectory(start, samples);
    FAIL();
  } catch (const Error& error) {
    ASSERT_EQ(error.details().field_violations.size(), 1u);
    EXPECT_EQ(error.details().field_violations[0].field, "v[1][4]");
  }
}

}  // namespace
}  // namespace torqued::client
