#include "server/wire/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace torqued::server {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

v1::ComputeRequest Request() {
  v1::ComputeRequest request;
  request.add_quantities(v1::QUANTITY_MASS_MATRIX);
  request.mutable_q()->set_columns(1);
  request.mutable_q()->add_values(0.5);
  return request;
}

/// What is wrong with the request, or nothing.
std::optional<Error> Problem(const v1::ComputeRequest& request) {
  const ComputeFields view = FieldsOf(request);
  auto query = DecodeQuery(view);
  if (auto* error = std::get_if<Error>(&query)) return std::move(*error);
  auto states = DecodeStates(view);
  if (auto* error = std::get_if<Error>(&states)) return std::move(*error);
  return std::nullopt;
}

DecodedQuery Accepted(const v1::ComputeRequest& request) {
  if (const auto error = Problem(request)) {
    ADD_FAILURE() << error->message;
    return {};
  }
  return std::get<DecodedQuery>(DecodeQuery(FieldsOf(request)));
}

void ExpectRefused(const v1::ComputeRequest& request, v1::Reason reason,
                   const std::string& field) {
  const auto error = Problem(request);
  ASSERT_TRUE(error) << field;
  EXPECT_EQ(error->reason, reason) << error->message;
  ASSERT_EQ(error->violations.size(), 1u);
  EXPECT_EQ(error->violations[0].field, field);
}

TEST(DecodeRequestTest, NothingSaidMeansDefaults) {
  const v1::ComputeRequest request = Request();
  const DecodedQuery decoded = Accepted(request);
  EXPECT_TRUE(decoded.options.quantities.Has(Quantity::kMassMatrix));
  EXPECT_FALSE(decoded.options.quantities.Has(Quantity::kInverseDynamics));
  EXPECT_EQ(decoded.options.terms.gravity, std::nullopt);
  EXPECT_EQ(decoded.options.reference_frame, ReferenceFrame::kLocal);
  EXPECT_EQ(decoded.options.wrench_frame, ReferenceFrame::kLocal);
  EXPECT_EQ(decoded.options.task.axis_count, 6);
  EXPECT_FALSE(decoded.fail_fast);
  EXPECT_EQ(decoded.encoding, std::nullopt);
  const auto states = DecodeStates(FieldsOf(request));
  EXPECT_TRUE(std::get<EvaluationInputs>(states).q.present());
  EXPECT_FALSE(std::get<EvaluationInputs>(states).v.present());
}

TEST(DecodeRequestTest, EveryOptionArrives) {
  v1::ComputeRequest request = Request();
  v1::Options* options = request.mutable_options();
  options->add_joint_names("b");
  options->add_joint_names("a");
  options->mutable_terms()->set_coulomb_friction(true);
  for (const double g : {1.0, 2.0, 3.0}) {
    options->mutable_terms()->add_gravity(g);
  }
  options->set_tip_frame("hand");
  options->set_reference_frame(v1::REFERENCE_FRAME_WORLD);
  options->set_fail_fast(true);
  options->set_precision(v1::PRECISION_SINGLE);
  request.mutable_operational_space()->set_sigma_min(true);
  request.mutable_tip_wrench_on_environment()->set_reference_frame(
      v1::REFERENCE_FRAME_LOCAL_WORLD_ALIGNED);
  const DecodedQuery decoded = Accepted(request);
  EXPECT_THAT(decoded.options.joint_names, ::testing::ElementsAre("b", "a"));
  EXPECT_THAT(decoded.options.terms.gravity,
              ::testing::Optional(::testing::ElementsAre(1, 2, 3)));
  EXPECT_TRUE(decoded.options.terms.coulomb_friction);
  EXPECT_FALSE(decoded.options.terms.viscous_friction);
  EXPECT_EQ(decoded.options.tip_frame, "hand");
  EXPECT_EQ(decoded.options.reference_frame, ReferenceFrame::kWorld);
  EXPECT_EQ(decoded.options.wrench_frame, ReferenceFrame::kLocalWorldAligned);
  EXPECT_TRUE(decoded.fail_fast);
  EXPECT_EQ(decoded.options.precision, Precision::kSingle);
  EXPECT_TRUE(decoded.sigma_min);
}

TEST(DecodeRequestTest, TheEncodingIsThatOfQUnlessOneIsAskedFor) {
  v1::ComputeRequest request = Request();
  EXPECT_EQ(EncodingOf(FieldsOf(request)), Payload::kValues);
  request.mutable_q()->clear_values();
  request.mutable_q()->set_f32(std::string(4, '\0'));
  EXPECT_EQ(EncodingOf(FieldsOf(request)), Payload::kF32);
  EXPECT_EQ(Accepted(request).encoding, std::nullopt);
  request.mutable_options()->set_encoding(v1::ENCODING_F64);
  EXPECT_EQ(Accepted(request).encoding, Payload::kF64);
  request.clear_q();
  EXPECT_EQ(EncodingOf(FieldsOf(request)), Payload::kValues);
}

TEST(DecodeRequestTest, AStreamNamesTheWrenchAsItsMessagesDo) {
  v1::EvaluateStart start;
  start.add_quantities(v1::QUANTITY_INVERSE_DYNAMICS);
  start.set_tip_wrench_reference_frame(v1::REFERENCE_FRAME_WORLD);
  const auto query = DecodeQuery(FieldsOf(start));
  EXPECT_EQ(std::get<DecodedQuery>(query).options.wrench_frame,
            ReferenceFrame::kWorld);
  start.set_tip_wrench_reference_frame(static_cast<v1::ReferenceFrame>(4));
  const auto refused = DecodeQuery(FieldsOf(start));
  EXPECT_EQ(std::get<Error>(refused).violations[0].field,
            "tip_wrench_reference_frame");

  v1::EvaluateChunk chunk;
  chunk.mutable_tip_wrench_on_environment()->add_values(1);
  const auto states = DecodeStates(FieldsOf(chunk));
  EXPECT_EQ(std::get<Error>(states).violations[0].field,
            "tip_wrench_on_environment");
}

TEST(DecodeRequestTest, QuantitiesMustBeKnownAndNamedOnce) {
  v1::ComputeRequest request = Request();
  request.clear_quantities();
  ExpectRefused(request, v1::INVALID_FIELD, "quantities");
  for (const int number : {0, 999, -1, 1'000'000}) {
    request = Request();
    request.add_quantities(static_cast<v1::Quantity>(number));
    ExpectRefused(request, v1::INVALID_FIELD, "quantities[1]");
  }
  request = Request();
  request.add_quantities(v1::QUANTITY_MASS_MATRIX);
  ExpectRefused(request, v1::INVALID_FIELD, "quantities[1]");
}

TEST(DecodeRequestTest, UnknownEnumNumbersAreNamed) {
  v1::ComputeRequest request = Request();
  request.mutable_options()->set_precision(static_cast<v1::Precision>(3));
  ExpectRefused(request, v1::INVALID_OPTION, "options.precision");
  request = Request();
  request.mutable_options()->set_encoding(static_cast<v1::Encoding>(4));
  ExpectRefused(request, v1::INVALID_OPTION, "options.encoding");
  request = Request();
  request.mutable_options()->set_reference_frame(
      static_cast<v1::ReferenceFrame>(-1));
  ExpectRefused(request, v1::INVALID_OPTION, "options.reference_frame");
  request = Request();
  request.mutable_tip_wrench_on_environment()->set_reference_frame(
      static_cast<v1::ReferenceFrame>(4));
  ExpectRefused(request, v1::INVALID_FIELD,
                "tip_wrench_on_environment.reference_frame");
}

TEST(DecodeRequestTest, GravityIsThreeFiniteNumbers) {
  for (const int count : {1, 2, 4}) {
    v1::ComputeRequest request = Request();
    for (int i = 0; i < count; ++i) {
      request.mutable_options()->mutable_terms()->add_gravity(0);
    }
    ExpectRefused(request, v1::INVALID_OPTION, "options.terms.gravity");
  }
  for (const double bad : {kNaN, kInfinity, -kInfinity}) {
    v1::ComputeRequest request = Request();
    for (const double g : {0.0, bad, 0.0}) {
      request.mutable_options()->mutable_terms()->add_gravity(g);
    }
    ExpectRefused(request, v1::INVALID_OPTION, "options.terms.gravity[1]");
  }
}

TEST(DecodeRequestTest, TaskOptionsAreCheckedAlsoWhenNobodyAsksForTheTask) {
  v1::ComputeRequest request = Request();
  request.mutable_operational_space()->set_damping(1);
  ExpectRefused(request, v1::INVALID_OPTION, "operational_space.damping");
}

}  // namespace
}  // namespace torqued::server
