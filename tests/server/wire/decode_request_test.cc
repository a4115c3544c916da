#include "server/wire/decode_request.h"

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

DecodedRequest Accepted(const v1::ComputeRequest& request) {
  auto decoded = DecodeRequest(ViewOf(request));
  if (const auto* error = std::get_if<Error>(&decoded)) {
    ADD_FAILURE() << error->message;
    return {};
  }
  return std::get<DecodedRequest>(std::move(decoded));
}

void ExpectRefused(const v1::ComputeRequest& request, v1::Reason reason,
                   const std::string& field) {
  const auto decoded = DecodeRequest(ViewOf(request));
  const auto* error = std::get_if<Error>(&decoded);
  ASSERT_NE(error, nullptr) << field;
  EXPECT_EQ(error->reason, reason) << error->message;
  ASSERT_EQ(error->violations.size(), 1u);
  EXPECT_EQ(error->violations[0].field, field);
}

TEST(DecodeRequestTest, NothingSaidMeansDefaults) {
  const DecodedRequest decoded = Accepted(Request());
  EXPECT_TRUE(decoded.options.quantities.Has(Quantity::kMassMatrix));
  EXPECT_FALSE(decoded.options.quantities.Has(Quantity::kInverseDynamics));
  EXPECT_EQ(decoded.options.terms.gravity, std::nullopt);
  EXPECT_EQ(decoded.options.reference_frame, ReferenceFrame::kLocal);
  EXPECT_EQ(decoded.options.wrench_frame, ReferenceFrame::kLocal);
  EXPECT_EQ(decoded.options.task.axis_count, 6);
  EXPECT_FALSE(decoded.fail_fast);
  EXPECT_TRUE(decoded.inputs.q.present());
  EXPECT_FALSE(decoded.inputs.v.present());
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
  request.mutable_tip_wrench_on_environment()->set_reference_frame(
      v1::REFERENCE_FRAME_LOCAL_WORLD_ALIGNED);
  const DecodedRequest decoded = Accepted(request);
  EXPECT_THAT(decoded.options.joint_names, ::testing::ElementsAre("b", "a"));
  EXPECT_THAT(decoded.options.terms.gravity,
              ::testing::Optional(::testing::ElementsAre(1, 2, 3)));
  EXPECT_TRUE(decoded.options.terms.coulomb_friction);
  EXPECT_FALSE(decoded.options.terms.viscous_friction);
  EXPECT_EQ(decoded.options.tip_frame, "hand");
  EXPECT_EQ(decoded.options.reference_frame, ReferenceFrame::kWorld);
  EXPECT_EQ(decoded.options.wrench_frame, ReferenceFrame::kLocalWorldAligned);
  EXPECT_TRUE(decoded.fail_fast);
}

TEST(DecodeRequestTest, RepliesComeInTheEncodingOfQUnlessOneIsAskedFor) {
  v1::ComputeRequest request = Request();
  EXPECT_EQ(Accepted(request).encoding, Payload::kValues);
  request.mutable_q()->clear_values();
  request.mutable_q()->set_f32(std::string(4, '\0'));
  EXPECT_EQ(Accepted(request).encoding, Payload::kF32);
  request.mutable_options()->set_encoding(v1::ENCODING_F64);
  EXPECT_EQ(Accepted(request).encoding, Payload::kF64);
  request.clear_q();
  request.clear_options();
  EXPECT_EQ(Accepted(request).encoding, Payload::kValues);
}

TEST(DecodeRequestTest, QuantitiesMustBeKnownAndNamedOnce) {
  v1::ComputeRequest request = Request();
  request.clear_quantities();
  ExpectRefused(request, v1::INVALID_FIELD, "quantities");
  for (const int number : {0, 9, -1, 1'000'000}) {
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

TEST(DecodeRequestTest, MalformedArraysAreNamed) {
  const auto refuse = [](v1::Array* (v1::ComputeRequest::*field)(),
                         const std::string& name) {
    v1::ComputeRequest request = Request();
    (request.*field)()->set_columns(3);
    (request.*field)()->add_values(1);
    ExpectRefused(request, v1::MALFORMED_ARRAY, name);
  };
  refuse(&v1::ComputeRequest::mutable_q, "q");
  refuse(&v1::ComputeRequest::mutable_v, "v");
  refuse(&v1::ComputeRequest::mutable_a, "a");
  refuse(&v1::ComputeRequest::mutable_tau, "tau");
  v1::ComputeRequest request = Request();
  request.mutable_tip_wrench_on_environment()->mutable_wrench()->add_values(1);
  ExpectRefused(request, v1::MALFORMED_ARRAY,
                "tip_wrench_on_environment.wrench");
}

TEST(DecodeRequestTest, TaskOptionsAreCheckedAlsoWhenNobodyAsksForTheTask) {
  v1::ComputeRequest request = Request();
  request.mutable_operational_space()->set_damping(1);
  ExpectRefused(request, v1::INVALID_OPTION, "operational_space.damping");
}

}  // namespace
}  // namespace torqued::server
