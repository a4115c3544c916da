// Requests that are hostile by their size: refused with reason and place,
// quickly and in little memory.
#include <gmock/gmock.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <gtest/gtest.h>

#include <functional>
#include <iostream>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "server/registry/sqlite_store.h"
#include "server/services/computation.h"
#include "server/services/registry_handlers.h"
#include "server/wire/measure_message.h"
#include "tests/fuzz/large_inputs.h"
#include "tests/fuzz/refusal.h"
#include "tests/server/computations.h"
#include "tests/server/get_model.h"
#include "tests/server/robots.h"
#include "tests/server/temp_dir.h"
#include "torqued/v1/server_info.pb.h"
#include "torqued/v1/trajectory.pb.h"

namespace torqued::fuzz {
namespace {

using namespace torqued::server;  // NOLINT(google-build-using-namespace)
using std::string_view_literals::operator""sv;

class HostileRequest : public ::testing::Test {
 protected:
  HostileRequest() {
    request_.add_quantities(v1::QUANTITY_MASS_MATRIX);
    request_.mutable_q()->set_columns(3);
    for (int k = 0; k < 3; ++k) request_.mutable_q()->add_values(0.1 * k);
  }

  void ExpectRefused(v1::Reason reason, const std::string& field) {
    v1::ComputeReply reply;
    const Cost cost;
    auto prepared = PrepareAlone(ViewOf(request_), entry_, "baseline", limits_,
                                 admission_, &reply);
    ExpectCheap(cost, 60 * kMegabyte);
    const auto* error = std::get_if<Error>(&prepared);
    ASSERT_NE(error, nullptr) << "accepted";
    CheckRefusal(*error, request_);
    EXPECT_EQ(error->reason, reason) << error->message;
    if (!field.empty()) {
      EXPECT_EQ(error->violations.at(0).field, field);
    }
  }

  v1::ComputeRequest request_;
  ModelEntry entry_ = ThreeJoints();
  ComputeLimits limits_{kMegabyte, 64 << 20};
  Admission admission_{{16'000'000, 1 << 30}};
};

TEST_F(HostileRequest, ColumnsThatDoNotDivide) {
  request_.mutable_q()->mutable_values()->Resize(3'000'001, 0);
  ExpectRefused(v1::MALFORMED_ARRAY, "q");
}

TEST_F(HostileRequest, AMillionRowsOfZeroColumns) {
  request_.mutable_q()->set_columns(0);
  request_.mutable_q()->mutable_values()->Resize(kMegabyte, 0);
  ExpectRefused(v1::MALFORMED_ARRAY, "q");
}

TEST_F(HostileRequest, ColumnsThatOverflow) {
  for (const std::uint32_t columns : {0x80000000u, 0xFFFFFFFFu, 0x7FFFFFFFu}) {
    request_.mutable_q()->set_columns(columns);
    ExpectRefused(v1::MALFORMED_ARRAY, "q");
  }
}

TEST_F(HostileRequest, MoreRowsThanAllowed) {
  request_.mutable_q()->mutable_values()->Resize(3 * (kMegabyte + 1), 0);
  ExpectRefused(v1::REQUEST_TOO_LARGE, "");
}

TEST_F(HostileRequest, AReplyLargerThanAllowed) {
  request_.mutable_q()->mutable_values()->Resize(3 * kMegabyte, 0);
  ExpectRefused(v1::REQUEST_TOO_LARGE, "");
}

TEST_F(HostileRequest, ARobotWithoutJointsWithAMillionWrenches) {
  entry_.loaded =
      Registry::Load("urdf", "<robot name='s'><link name='a'/></robot>", {});
  request_.clear_q();
  request_.set_quantities(0, v1::QUANTITY_INVERSE_DYNAMICS);
  v1::Array* wrench =
      request_.mutable_tip_wrench_on_environment()->mutable_wrench();
  wrench->set_columns(6);
  wrench->mutable_f32()->resize(4 * 6 * (kMegabyte + 1));
  ExpectRefused(v1::REQUEST_TOO_LARGE, "");
}

TEST_F(HostileRequest, NamesOfAMegabyte) {
  const std::string huge(kMegabyte, '\x01');
  request_.mutable_options()->set_tip_frame(huge);
  request_.add_quantities(v1::QUANTITY_JACOBIAN);
  ExpectRefused(v1::UNKNOWN_FRAME, "options.tip_frame");
  request_.mutable_options()->add_joint_names(huge);
  ExpectRefused(v1::WRONG_JOINT_NAMES, "options.joint_names[0]");
}

TEST_F(HostileRequest, MillionsOfNamesAxesAndQuantities) {
  v1::ComputeRequest plain = request_;
  for (std::size_t k = 0; k < kMegabyte; ++k) {
    request_.mutable_options()->add_joint_names("lift");
  }
  ExpectRefused(v1::WRONG_JOINT_NAMES, "options.joint_names[1]");
  request_ = plain;
  request_.mutable_operational_space()->mutable_axes()->Resize(
      10 * kMegabyte, v1::TASK_AXIS_LINEAR_X);
  ExpectRefused(v1::INVALID_OPTION, "operational_space.axes[1]");
  request_ = plain;
  request_.mutable_quantities()->Resize(10 * kMegabyte,
                                        v1::QUANTITY_MASS_MATRIX);
  ExpectRefused(v1::INVALID_FIELD, "quantities[1]");
  request_ = plain;
  request_.mutable_options()->mutable_terms()->mutable_gravity()->Resize(
      kMegabyte, 0);
  ExpectRefused(v1::INVALID_OPTION, "options.terms.gravity");
}

/// A message in which `element` comes as often as fits into 64 MiB, inside of
/// fields with these tags.
std::string Message(std::string_view element, std::vector<char> tags = {}) {
  constexpr std::size_t kFullMessage = (64u << 20) - 100;
  std::string bytes = Repeated(element, kFullMessage / element.size());
  for (; !tags.empty(); tags.pop_back()) {
    std::string head(1, tags.back());
    for (std::size_t left = bytes.size();; left >>= 7) {
      head += static_cast<char>(left < 128 ? left : (left & 127) | 128);
      if (left < 128) break;
    }
    bytes.insert(0, head);
  }
  return bytes;
}

template <class Request>
OrError<MessageMeasure> MeasuredCheaply(const std::string& bytes) {
  // As the transport brings it.
  constexpr int kPiece = 16 << 10;
  google::protobuf::io::ArrayInputStream in(
      bytes.data(), static_cast<int>(bytes.size()), kPiece);
  const Cost cost;
  auto measured =
      Measure(&in, static_cast<std::int64_t>(bytes.size()), ShapeOf<Request>());
  // Parsed, the message would take more than its 64 MiB.
  ExpectCheap(cost, 32 * kMegabyte);
  return measured;
}

template <class Request>
void ExpectTooMany(const std::string& bytes, const std::string& field) {
  const auto measured = MeasuredCheaply<Request>(bytes);
  const auto* error = std::get_if<Error>(&measured);
  ASSERT_NE(error, nullptr) << field << ": accepted";
  EXPECT_EQ(error->reason, v1::REQUEST_TOO_LARGE);
  if (field.empty()) {
    EXPECT_TRUE(error->violations.empty());
  } else {
    EXPECT_EQ(error->violations.at(0).field, field);
  }
}

TEST(HostileMessage, OfMillionsOfElementsIsRefusedUnparsed) {
  using v1::CheckTrajectoryRequest;
  using v1::ComputeRequest;
  const std::string_view empty("\x0a\0", 2);
  ExpectTooMany<ComputeRequest>(Message(empty, {'\x42'}),
                                "options.joint_names");
  ExpectTooMany<ComputeRequest>(Message("\x4a\0"sv, {'\x42'}),
                                "options.external_wrenches");
  ExpectTooMany<ComputeRequest>(Message("\x12\0"sv), "quantities");
  ExpectTooMany<ComputeRequest>(Message("\x10\1"sv), "quantities");
  ExpectTooMany<ComputeRequest>(Message("\1"sv, {'\x12'}), "quantities");
  ExpectTooMany<ComputeRequest>(Message("\x1a\0"sv), "q");
  ExpectTooMany<ComputeRequest>(Message("\x12\0"sv, {'\x1a'}), "q.values");
  ExpectTooMany<ComputeRequest>(Message("\x0a\0"sv), "model");
  ExpectTooMany<CheckTrajectoryRequest>(Message("\x2a\0"sv, {'\x0a'}),
                                        "start.bounds");
  ExpectTooMany<CheckTrajectoryRequest>(
      Message(std::string(8, '\0'), {'\x0a', '\x2a', '\x3a'}),
      "start.bounds[0].torques");
  ExpectTooMany<v1::GetModelRequest>(Message("\xc2\x3e\0"sv), "");
  ExpectTooMany<v1::GetServerInfoRequest>(Message("\x08\0"sv), "");
  ExpectTooMany<v1::GetServerInfoRequest>(Message("\x0b\x0c"sv), "");
  ExpectTooMany<v1::RegisterModelRequest>(Message("\x22\0"sv), "options");
}

TEST(HostileMessage, OfNumbersAloneIsLookedAtQuickly) {
  const auto expect_numbers = [](const std::string& bytes,
                                 std::size_t numbers) {
    const auto measured = MeasuredCheaply<v1::MassMatrixRequest>(bytes);
    const auto* measure = std::get_if<MessageMeasure>(&measured);
    ASSERT_NE(measure, nullptr) << std::get<Error>(measured).message;
    EXPECT_EQ(measure->list_elements, static_cast<std::int64_t>(numbers));
  };
  const std::string packed = Message(std::string(8, '\0'), {'\x12', '\x12'});
  expect_numbers(packed, packed.size() / 8 - 1);
  const std::string single = Message("\x11" + std::string(8, '\0'), {'\x12'});
  expect_numbers(single, single.size() / 9);
}

class HostileName : public ::testing::Test {
 protected:
  HostileName()
      : registry_(std::get<std::unique_ptr<ModelStore>>(
            OpenSqliteStore(directory_.File("models.db")))) {}

  template <class Reply, class Request>
  void ExpectRefused(const Request& request, v1::Reason reason) {
    Reply reply;
    const Cost cost;
    const auto error = Handle(registry_, request, &reply);
    ExpectCheap(cost, 60 * kMegabyte);
    ASSERT_TRUE(error);
    CheckRefusal(*error, request);
    EXPECT_EQ(error->reason, reason) << error->message;
  }

  const std::string huge_ = std::string(10 * kMegabyte, 'a');
  TempDir directory_;
  Registry registry_;
};

TEST_F(HostileName, OfAModelItsLabelAndItsOptions) {
  v1::RegisterModelRequest request;
  request.set_source(kThreeJoints);
  request.set_name(huge_);
  ExpectRefused<v1::RegisterModelReply>(request, v1::INVALID_MODEL_NAME);
  request.set_name("arm");
  request.set_label(huge_);
  ExpectRefused<v1::RegisterModelReply>(request, v1::INVALID_FIELD);
  request.clear_label();
  request.set_expected_current(huge_);
  ExpectRefused<v1::RegisterModelReply>(request, v1::REVISION_CONFLICT);
  request.clear_expected_current();
  request.mutable_options()->set_default_tip(huge_);
  ExpectRefused<v1::RegisterModelReply>(request, v1::UNKNOWN_FRAME);
}

TEST_F(HostileName, InEveryOtherCall) {
  v1::GetModelRequest get;
  for (const std::string& reference :
       {huge_, "@" + huge_, "arm@" + huge_, huge_ + "@aaaaaaaa",
        std::string(10 * kMegabyte, '@')}) {
    get.set_model(reference);
    ExpectRefused<v1::GetModelReply>(get, v1::INVALID_MODEL_REFERENCE);
  }
  v1::ListModelsRequest list;
  list.set_page_token("1" + huge_);
  ExpectRefused<v1::ListModelsReply>(list, v1::INVALID_FIELD);
  v1::DeleteModelRequest remove;
  remove.set_name(huge_);
  ExpectRefused<v1::DeleteModelReply>(remove, v1::INVALID_MODEL_NAME);
}

}  // namespace
}  // namespace torqued::fuzz
