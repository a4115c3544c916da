#include "server/wire/request.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace torqued::server {
namespace {

/// Sets every singular message field: one that a view forgets shows.
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
         kInputCount -
         static_cast<int>(std::ranges::count(fields.states, nullptr));
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

}  // namespace
}  // namespace torqued::server
