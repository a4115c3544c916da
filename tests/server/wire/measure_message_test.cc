#include "server/wire/measure_message.h"

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "server/wire/message_bytes.h"
#include "torqued/v1/dynamics.pb.h"
#include "torqued/v1/model_registry.pb.h"
#include "torqued/v1/trajectory.pb.h"

namespace torqued::server {
namespace {

constexpr int kMost = kMaxElements;

template <class Message>
OrError<MessageMeasure> MeasureBytes(const std::string& bytes, int piece = -1) {
  google::protobuf::io::ArrayInputStream in(
      bytes.data(), static_cast<int>(bytes.size()), piece);
  return Measure(&in, static_cast<std::int64_t>(bytes.size()),
                 ShapeOf<Message>());
}

template <class Message>
MessageMeasure Taken(const Message& message) {
  const auto measured = MeasureBytes<Message>(message.SerializeAsString());
  const auto* measure = std::get_if<MessageMeasure>(&measured);
  EXPECT_NE(measure, nullptr) << std::get<Error>(measured).message;
  return measure == nullptr ? MessageMeasure() : *measure;
}

template <class Message>
Error Refused(const std::string& bytes) {
  const auto measured = MeasureBytes<Message>(bytes);
  const auto* error = std::get_if<Error>(&measured);
  EXPECT_NE(error, nullptr) << "taken";
  return error == nullptr ? Error() : *error;
}

/// For more than kMaxElements of it.
template <class Message>
void ExpectTooMany(const std::string& bytes, const std::string& field) {
  const Error error = Refused<Message>(bytes);
  EXPECT_EQ(error.reason, v1::REQUEST_TOO_LARGE) << error.message;
  ASSERT_EQ(error.metadata.size(), 1u);
  EXPECT_EQ(error.metadata[0], (std::pair<std::string, std::string>(
                                   "limit", std::to_string(kMost))));
  if (field.empty()) {
    EXPECT_TRUE(error.violations.empty());
  } else {
    ASSERT_EQ(error.violations.size(), 1u) << error.message;
    EXPECT_EQ(error.violations[0].field, field);
  }
}

std::string Repeated(const std::string& text, int count) {
  std::string all;
  for (int k = 0; k < count; ++k) all += text;
  return all;
}

TEST(Measure, AListMayHaveAsManyElementsAsALargestRobotHasJoints) {
  v1::ComputeRequest request;
  for (int k = 0; k < kMost; ++k) request.mutable_options()->add_joint_names();
  EXPECT_EQ(Taken(request).list_elements, kMost);
  request.mutable_options()->add_joint_names();
  ExpectTooMany<v1::ComputeRequest>(request.SerializeAsString(),
                                    "options.joint_names");
}

TEST(Measure, PartsOfOneMessageAreOneMessage) {
  v1::ComputeRequest half;
  for (int k = 0; k < kMost / 2; ++k) {
    half.mutable_options()->add_joint_names("j");
  }
  const std::string bytes = half.SerializeAsString();
  EXPECT_TRUE(std::holds_alternative<MessageMeasure>(
      MeasureBytes<v1::ComputeRequest>(bytes + bytes)));
  ExpectTooMany<v1::ComputeRequest>(bytes + bytes + bytes,
                                    "options.joint_names");
}

TEST(Measure, EachMessageOfAListHasListsOfItsOwn) {
  v1::CheckTrajectoryRequest request;
  for (int k = 0; k < 5; ++k) {
    v1::JointBounds* bounds = request.mutable_start()->add_bounds();
    for (int i = 0; i < kMost; ++i) bounds->add_speeds(i);
  }
  EXPECT_EQ(Taken(request).list_elements, 5 * kMost + 5);
  request.mutable_start()->mutable_bounds(3)->add_speeds(0);
  ExpectTooMany<v1::CheckTrajectoryRequest>(request.SerializeAsString(),
                                            "start.bounds[3].speeds");
}

TEST(Measure, NumbersOfArraysAreBoundedByTheirBytesAlone) {
  v1::MassMatrixRequest request;
  constexpr int kNumbers = 1'000'000;
  request.mutable_q()->mutable_values()->Resize(kNumbers, 0.5);
  EXPECT_EQ(Taken(request).list_elements, kNumbers);
  // Not packed, as protobuf takes them too.
  const std::string number = "\x11" + std::string(8, '\0');
  std::string array = Repeated(number, 2000);
  std::string bytes = "\x12" + std::string("\xD0\x8C\x01") + array;
  ASSERT_EQ(array.size(), 18000u);
  v1::MassMatrixRequest parsed;
  ASSERT_TRUE(parsed.ParseFromString(bytes));
  EXPECT_EQ(Taken(parsed).list_elements, 2000);
  EXPECT_EQ(std::get<MessageMeasure>(MeasureBytes<v1::MassMatrixRequest>(bytes))
                .list_elements,
            2000);
}

TEST(Measure, WhatComesTooOftenIsRefused) {
  const int more = kMost + 1;
  ExpectTooMany<v1::MassMatrixRequest>(Repeated(std::string("\x12\0", 2), more),
                                       "q");
  ExpectTooMany<v1::MassMatrixRequest>(Repeated(std::string("\x0A\0", 2), more),
                                       "model");
  ExpectTooMany<v1::ListModelsRequest>(Repeated(std::string("\x08\0", 2), more),
                                       "page_size");
  // Pieces of arrays and lists with nothing in them.
  const std::string pieces = Repeated(std::string("\x12\0", 2), more);
  ExpectTooMany<v1::ComputeRequest>(pieces, "quantities");
  ExpectTooMany<v1::MassMatrixRequest>("\x12\x82\x10" + pieces, "q.values");
  ExpectTooMany<v1::GetModelRequest>(Repeated("\xC2\x3E\x01x", more), "");
  ExpectTooMany<v1::MassMatrixRequest>(
      "\x12\x83\x18" + Repeated("\xF8\x01\x01", more), "q");
}

TEST(Measure, PackedListsAreCounted) {
  v1::ComputeRequest request;
  request.mutable_quantities()->Resize(kMost, v1::QUANTITY_MASS_MATRIX);
  EXPECT_EQ(Taken(request).list_elements, kMost);
  // Of more than one byte each.
  request.mutable_quantities()->Resize(0, 0);
  request.mutable_quantities()->Resize(kMost, -1);
  EXPECT_EQ(Taken(request).list_elements, kMost);
  request.mutable_quantities()->Resize(kMost + 1, -1);
  ExpectTooMany<v1::ComputeRequest>(request.SerializeAsString(), "quantities");
  request.mutable_quantities()->Resize(10'000'000, 1);
  ExpectTooMany<v1::ComputeRequest>(request.SerializeAsString(), "quantities");
}

TEST(Measure, BytesThatAreNoMessageAreNone) {
  for (const std::string& bytes :
       {std::string("\x0A\x05one"), std::string("\x0A"), std::string("\x07"),
        std::string("\x02\0", 2), std::string(100'000, '\x0B'),
        std::string("\x14")}) {
    EXPECT_EQ(Refused<v1::GetModelRequest>(bytes).reason, v1::INVALID_FIELD);
    EXPECT_EQ(Refused<v1::GetModelRequest>(bytes).message,
              "The bytes are no GetModelRequest.");
  }
}

TEST(Measure, ThePiecesThatBringABufferDoNotMatter) {
  v1::ComputeRequest request;
  request.set_model("a model of more than sixteen bytes");
  request.mutable_q()->mutable_values()->Resize(100, 0.5);
  request.mutable_options()->add_joint_names("joint");
  const std::string bytes = request.SerializeAsString();
  const MessageMeasure whole = Taken(request);
  for (int piece = 1; piece < 20; ++piece) {
    const auto measured = MeasureBytes<v1::ComputeRequest>(bytes, piece);
    EXPECT_EQ(std::get<MessageMeasure>(measured).decoded_bytes,
              whole.decoded_bytes);
    std::vector<grpc::Slice> slices;
    for (std::size_t at = 0; at < bytes.size(); at += std::size_t(piece)) {
      slices.emplace_back(bytes.substr(at, std::size_t(piece)));
    }
    grpc::ByteBuffer buffer(slices.data(), slices.size());
    const auto in_slices = Measure(buffer, ShapeOf<v1::ComputeRequest>());
    EXPECT_EQ(std::get<MessageMeasure>(in_slices).list_elements,
              whole.list_elements);
    // It is there to be parsed afterwards.
    v1::ComputeRequest parsed;
    EXPECT_TRUE(ParseMessage(&buffer, &parsed));
    EXPECT_EQ(parsed.SerializeAsString(), bytes);
  }
  const grpc::ByteBuffer nothing;
  EXPECT_TRUE(std::holds_alternative<MessageMeasure>(
      Measure(nothing, ShapeOf<v1::ComputeRequest>())));
}

TEST(Measure, AMessageIsNotLargerInMemoryThanMeasured) {
  v1::ComputeRequest request;
  request.set_model(std::string(100'000, 'm'));
  request.mutable_q()->mutable_values()->Resize(100'000, 0.5);
  request.mutable_v()->set_f64(std::string(800'000, '\0'));
  for (int k = 0; k < kMost; ++k) {
    request.mutable_options()->add_joint_names("joint " + std::to_string(k));
    request.mutable_options()->add_external_wrenches()->set_frame("frame");
  }
  const std::string bytes = request.SerializeAsString();
  v1::ComputeRequest parsed;
  ASSERT_TRUE(parsed.ParseFromString(bytes));
  const auto space = static_cast<std::int64_t>(parsed.SpaceUsedLong());
  EXPECT_GE(Taken(request).decoded_bytes, space);
  // Nor much smaller.
  EXPECT_LT(Taken(request).decoded_bytes, 2 * space);
}

}  // namespace
}  // namespace torqued::server
