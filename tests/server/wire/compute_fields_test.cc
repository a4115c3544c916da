#include "server/wire/compute_fields.h"

#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

namespace torqued::server {
namespace {

TEST(ComputeFieldsTest, AShorthandIsAComputeOfItsQuantity) {
  v1::ForwardDynamicsRequest request;
  request.set_model("m");
  request.mutable_q()->add_values(1);
  request.mutable_tau()->add_values(2);
  const ComputeFields view = FieldsOf(request);
  EXPECT_EQ(view.model, &request.model());
  ASSERT_EQ(view.quantities.size(), 1u);
  EXPECT_EQ(view.quantities[0], v1::QUANTITY_FORWARD_DYNAMICS);
  EXPECT_EQ(view.q, &request.q());
  EXPECT_EQ(view.tau, &request.tau());
  EXPECT_EQ(view.v, nullptr) << "absent, not empty";
  EXPECT_EQ(view.a, nullptr);
  EXPECT_EQ(view.tip_wrench, nullptr);
  EXPECT_EQ(view.options, nullptr);
  EXPECT_EQ(view.operational_space, nullptr);
}

/// Sets every singular message field, so that a field that a view forgets
/// shows.
template <class Request>
auto FullFields(Request* request) {
  const auto* descriptor = Request::descriptor();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const auto* field = descriptor->field(i);
    if (field->cpp_type() ==
        google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) {
      request->GetReflection()->MutableMessage(request, field);
    }
  }
  return FieldsOf(*request);
}

template <class Request>
int MessageFields() {
  int count = 0;
  for (int i = 0; i < Request::descriptor()->field_count(); ++i) {
    count += Request::descriptor()->field(i)->cpp_type() ==
             google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE;
  }
  return count;
}

int Present(const ComputeFields& fields) {
  return (fields.options != nullptr) + (fields.operational_space != nullptr) +
         (fields.q != nullptr) + (fields.v != nullptr) + (fields.a != nullptr) +
         (fields.tau != nullptr) + (fields.tip_wrench != nullptr) +
         (fields.base_twist != nullptr) +
         (fields.base_acceleration != nullptr) +
         (fields.external_wrenches != nullptr) +
         (fields.task_acceleration != nullptr) +
         (fields.null_space_torque != nullptr) + (fields.gravity != nullptr);
}

template <class Request>
class EveryRequestTest : public ::testing::Test {};
using Requests =
    ::testing::Types<v1::ComputeRequest, v1::InverseDynamicsRequest,
                     v1::MassMatrixRequest, v1::ForwardDynamicsRequest,
                     v1::OperationalSpaceRequest, v1::EvaluateStart,
                     v1::EvaluateChunk>;
TYPED_TEST_SUITE(EveryRequestTest, Requests);

TYPED_TEST(EveryRequestTest, NoFieldIsForgotten) {
  TypeParam request;
  EXPECT_EQ(Present(FullFields(&request)), MessageFields<TypeParam>());
}

/// A reply with something in every field.
v1::ComputeReply FullReply() {
  v1::ComputeReply reply;
  reply.set_rows(7);
  reply.set_rows_not_ok(1);
  reply.add_row_status()->set_row(3);
  v1::Results* results = reply.mutable_results();
  results->mutable_tau()->add_values(1);
  results->mutable_mass_matrix()->add_values(2);
  results->mutable_a()->add_values(3);
  results->mutable_lambda()->add_values(4);
  results->mutable_eta()->add_values(5);
  results->add_rank(6);
  results->add_sigma_min(7);
  results->add_rule(v1::TASK_RULE_DAMPED);
  return reply;
}

template <class Reply>
class EveryReplyTest : public ::testing::Test {};
using Replies =
    ::testing::Types<v1::InverseDynamicsReply, v1::MassMatrixReply,
                     v1::ForwardDynamicsReply, v1::OperationalSpaceReply>;
TYPED_TEST_SUITE(EveryReplyTest, Replies);

TYPED_TEST(EveryReplyTest, NoFieldButTheEchoIsForgottenOrExchanged) {
  v1::ComputeReply from = FullReply();
  TypeParam to;
  MoveReply(&from, &to);
  const v1::ComputeReply whole = FullReply();
  const auto* descriptor = TypeParam::descriptor();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const auto* field = descriptor->field(i);
    if (field->number() == TypeParam::kEchoFieldNumber) continue;
    // The field of that name in the general reply or in its results.
    const google::protobuf::Message* source = &whole;
    const auto* original =
        v1::ComputeReply::descriptor()->FindFieldByName(field->name());
    if (original == nullptr) {
      source = &whole.results();
      original = v1::Results::descriptor()->FindFieldByName(field->name());
    }
    ASSERT_NE(original, nullptr) << field->name();
    google::protobuf::util::MessageDifferencer differencer;
    EXPECT_EQ(field->is_repeated(), original->is_repeated());
    if (field->is_repeated()) {
      EXPECT_EQ(to.GetReflection()->FieldSize(to, field), 1) << field->name();
    } else if (field->cpp_type() ==
               google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) {
      EXPECT_TRUE(differencer.Compare(
          to.GetReflection()->GetMessage(to, field),
          source->GetReflection()->GetMessage(*source, original)))
          << field->name();
    } else {
      EXPECT_EQ(to.GetReflection()->GetUInt64(to, field),
                source->GetReflection()->GetUInt64(*source, original));
    }
  }
}

}  // namespace
}  // namespace torqued::server
