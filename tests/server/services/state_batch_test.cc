#include "server/services/state_batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "tests/server/robots.h"
#include "tests/server/state_batches.h"

namespace torqued::server {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

class StateBatchTest : public ::testing::Test {
 protected:
  static v1::ComputeRequest Request(int rows) {
    v1::ComputeRequest request;
    request.add_quantities(v1::QUANTITY_MASS_MATRIX);
    request.mutable_q()->set_columns(3);
    for (int i = 0; i < 3 * rows; ++i) {
      request.mutable_q()->add_values(0.01 * i);
    }
    return request;
  }

  OrError<std::unique_ptr<BatchAlone>> Prepare(
      const v1::ComputeRequest& request) {
    reply_.Clear();
    return PrepareAlone(FieldsOf(request), entry_, engine_.kernels(), limits_,
                        admission_, &reply_);
  }

  std::optional<Error> Run(const v1::ComputeRequest& request) {
    auto prepared = Prepare(request);
    if (auto* error = std::get_if<Error>(&prepared)) return std::move(*error);
    auto& batch = *std::get<std::unique_ptr<BatchAlone>>(prepared);
    auto error = batch.Finish(engine_.Evaluate(*batch.plan(), batch.outputs()),
                              0, &reply_);
    *reply_.mutable_echo() = EchoOf(batch);
    return error;
  }

  Error Refused(const v1::ComputeRequest& request) {
    auto error = Run(request);
    if (error) return *std::move(error);
    ADD_FAILURE() << "accepted";
    return {};
  }

  static std::string MetadataOf(const Error& error, const std::string& key) {
    for (const auto& [name, value] : error.metadata) {
      if (name == key) return value;
    }
    return "none";
  }

  ModelEntry entry_ = ThreeJoints();
  Engine engine_{Engine::Options{1, 0}};
  ComputeLimits limits_{1000, 1 << 20};
  Admission admission_{{1 << 30}};
  v1::ComputeReply reply_;
};

TEST_F(StateBatchTest, ARequestBecomesAReply) {
  ASSERT_FALSE(Run(Request(4)));
  EXPECT_EQ(reply_.rows(), 4u);
  EXPECT_EQ(reply_.rows_not_ok(), 0u);
  EXPECT_EQ(reply_.results().mass_matrix().columns(), 9u);
  EXPECT_EQ(reply_.results().mass_matrix().values_size(), 36);
  for (const double x : reply_.results().mass_matrix().values()) {
    EXPECT_TRUE(std::isfinite(x));
  }
  EXPECT_EQ(reply_.echo().model(), "three");
  EXPECT_EQ(reply_.echo().revision(), entry_.loaded->revision);
}

TEST_F(StateBatchTest, EveryEncodingHoldsTheSameNumbers) {
  v1::ComputeRequest request = Request(20);
  ASSERT_FALSE(Run(request));
  const v1::Array values = reply_.results().mass_matrix();
  request.mutable_options()->set_encoding(v1::ENCODING_F64);
  ASSERT_FALSE(Run(request));
  const std::string f64 = reply_.results().mass_matrix().f64();
  ASSERT_EQ(f64.size(), 20u * 9 * 8);
  EXPECT_EQ(std::memcmp(f64.data(), values.values().data(), f64.size()), 0);
  request.mutable_options()->set_encoding(v1::ENCODING_F32);
  ASSERT_FALSE(Run(request));
  const std::string f32 = reply_.results().mass_matrix().f32();
  ASSERT_EQ(f32.size(), 20u * 9 * 4);
  for (int i = 0; i < 180; ++i) {
    float narrow = 0;
    std::memcpy(&narrow, f32.data() + 4 * i, 4);
    EXPECT_EQ(narrow, static_cast<float>(values.values(i)));
  }
}

TEST_F(StateBatchTest, ReplyTooLargeIsRefusedBeforeComputing) {
  limits_.max_message_bytes = 20'000;
  const Error error = Refused(Request(400));
  EXPECT_EQ(error.reason, v1::REQUEST_TOO_LARGE);
  EXPECT_EQ(MetadataOf(error, "limit"), "20000");
  EXPECT_EQ(MetadataOf(error, "setting"), "max-message-bytes");
  EXPECT_EQ(reply_.results().ByteSizeLong(), 0u) << "room was made";

  // As many rows as the error says do fit, and no more.
  const int fit = std::stoi(MetadataOf(error, "rows_that_fit"));
  ASSERT_GT(fit, 100);
  ASSERT_FALSE(Run(Request(fit)));
  EXPECT_LE(reply_.ByteSizeLong(), 20'000u);
  EXPECT_GT(reply_.ByteSizeLong(), 18'000u);
  EXPECT_EQ(Refused(Request(fit + 1)).reason, v1::REQUEST_TOO_LARGE);
}

TEST_F(StateBatchTest, BadRowsDoNotPushAReplyOverTheLimit) {
  limits_.max_message_bytes = 10'000;
  v1::ComputeRequest request = Request(100);
  for (double& x : *request.mutable_q()->mutable_values()) x = kNaN;
  ASSERT_FALSE(Run(request));
  EXPECT_EQ(reply_.rows_not_ok(), 100u);
  EXPECT_GT(reply_.row_status_size(), 0);
  EXPECT_LT(reply_.row_status_size(), 100);
  EXPECT_LE(reply_.ByteSizeLong(), 10'000u);
}

TEST_F(StateBatchTest, ALimitBelowTheEchoFitsNoRow) {
  limits_.max_message_bytes = 100;
  const Error error = Refused(Request(1));
  EXPECT_EQ(error.reason, v1::REQUEST_TOO_LARGE);
  EXPECT_EQ(MetadataOf(error, "rows_that_fit"), "0");
}

TEST_F(StateBatchTest, ResultsAreAdmittedTwiceOnceForTheirSerializedForm) {
  const v1::ComputeRequest request = Request(6);
  v1::ComputeReply reply;
  const auto prepare = [&](Admission& admission) {
    reply.Clear();
    return PrepareAlone(FieldsOf(request), entry_, engine_.kernels(), limits_,
                        admission, &reply);
  };
  const auto echo = static_cast<std::int64_t>(
      std::get<std::unique_ptr<BatchAlone>>(prepare(admission_))
          ->echo()
          .size());
  const std::int64_t bytes = echo + 6 * 2 * 9 * std::int64_t{sizeof(double)};
  for (const bool fits : {true, false}) {
    Admission admission({fits ? bytes : bytes - 1});
    EXPECT_EQ(std::holds_alternative<Error>(prepare(admission)), !fits);
  }
}

TEST_F(StateBatchTest, ListsOfBadRowsAreAdmittedOrShort) {
  v1::ComputeRequest request = Request(100);
  for (double& x : *request.mutable_q()->mutable_values()) x = kNaN;
  ASSERT_FALSE(Run(request));
  ASSERT_EQ(reply_.row_status_size(), 100);
  const auto bytes = static_cast<std::int64_t>(reply_.ByteSizeLong());
  Admission narrow({2 * bytes});
  v1::ComputeReply reply;
  auto prepared = PrepareAlone(FieldsOf(request), entry_, engine_.kernels(),
                               limits_, narrow, &reply);
  auto& batch = *std::get<std::unique_ptr<BatchAlone>>(prepared);
  const auto report = engine_.Evaluate(*batch.plan(), batch.outputs());
  ASSERT_FALSE(batch.Finish(report, 0, &reply));
  EXPECT_EQ(reply.rows_not_ok(), 100u);
  EXPECT_GE(reply.row_status_size(), 8);
  EXPECT_LT(reply.row_status_size(), 100);
}

TEST_F(StateBatchTest, ResultsAreHeldUntilTheBatchGoes) {
  // Less than two take.
  Admission small({1500});
  const v1::ComputeRequest request = Request(6);
  v1::ComputeReply other;
  const auto prepare = [&](v1::ComputeReply* reply) {
    return PrepareAlone(FieldsOf(request), entry_, engine_.kernels(), limits_,
                        small, reply);
  };
  {
    const auto held = prepare(&reply_);
    ASSERT_TRUE(std::holds_alternative<std::unique_ptr<BatchAlone>>(held));
    const auto refused = prepare(&other);
    ASSERT_TRUE(std::holds_alternative<Error>(refused));
    EXPECT_EQ(std::get<Error>(refused).reason, v1::OVERLOADED);
  }
  other.Clear();
  EXPECT_TRUE(
      std::holds_alternative<std::unique_ptr<BatchAlone>>(prepare(&other)));
}

TEST_F(StateBatchTest, TaskDiagnosticsComeWithTheTask) {
  v1::ComputeRequest request = Request(3);
  request.add_quantities(v1::QUANTITY_OPERATIONAL_SPACE);
  request.mutable_operational_space()->add_axes(v1::TASK_AXIS_LINEAR_X);
  request.mutable_operational_space()->set_sigma_min(true);
  ASSERT_FALSE(Run(request));
  const v1::Results& results = reply_.results();
  EXPECT_EQ(results.lambda().columns(), 1u);
  ASSERT_EQ(results.rank_size(), 3);
  ASSERT_EQ(results.sigma_min_size(), 3);
  ASSERT_EQ(results.rule_size(), 3);
  EXPECT_EQ(results.rank(0), 1u);
  EXPECT_EQ(results.rule(0), v1::TASK_RULE_FULL_RANK);
  EXPECT_GT(results.sigma_min(0), 0);
}

}  // namespace
}  // namespace torqued::server
