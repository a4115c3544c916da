#include "client/cpp/request.h"

#include <gmock/gmock.h>

#include <string>

#include "client/cpp/array_codec.h"
#include "client/cpp/error.h"

namespace torqued::client {
namespace {

constexpr v1::Quantity kTaskTorque[] = {v1::QUANTITY_TASK_TORQUE};
constexpr int kRows = 5;

/// `first` to first + columns - 1 in the first row, and so on in the others.
Batch Numbered(Eigen::Index rows, Eigen::Index columns, double first) {
  Batch batch(rows, columns);
  for (Eigen::Index k = 0; k < batch.size(); ++k) {
    batch.data()[k] = first + static_cast<double>(k);
  }
  return batch;
}

/// All inputs of a robot of two joints, under two external wrenches, with a
/// task of three axes.
States AllInputs(Eigen::Index rows) {
  return {.q = Numbered(rows, 2, 100),
          .v = Numbered(rows, 2, 200),
          .a = Numbered(rows, 2, 300),
          .tau = Numbered(rows, 2, 400),
          .tip_wrench_on_environment = Numbered(rows, 6, 450),
          .base_twist = Numbered(rows, 6, 500),
          .base_acceleration = Numbered(rows, 6, 600),
          .external_wrenches_on_robot = Numbered(rows, 12, 700),
          .task_acceleration = Numbered(rows, 3, 800),
          .null_space_torque = Numbered(rows, 2, 900),
          .gravity = Numbered(rows, 3, 1000)};
}

ComputeOptions Choice() {
  ComputeOptions options;
  options.options.mutable_terms()->set_coulomb_friction(true);
  options.options.add_external_wrenches()->set_frame("elbow");
  options.operational_space.add_axes(v1::TASK_AXIS_LINEAR_X);
  options.operational_space.add_axes(v1::TASK_AXIS_LINEAR_Y);
  options.operational_space.add_axes(v1::TASK_AXIS_ANGULAR_Z);
  options.tip_wrench_reference_frame = v1::REFERENCE_FRAME_WORLD;
  return options;
}

/// Reads an array of so many rows.
Batch Read(const v1::Array& array, Eigen::Index rows) {
  Batch batch;
  DecodeRows(array, "array", 0, rows, rows, &batch);
  return batch;
}

/// The inputs that a message carries are these rows of the states.
void ExpectRows(const v1::ComputeRequest& message, const States& states,
                const RowRange& range) {
  const auto expect = [&](const v1::Array& array, const Batch& batch,
                          const char* name) {
    SCOPED_TRACE(name);
    const Eigen::Index first = batch.rows() == 1 ? 0 : range.first;
    const Eigen::Index count = batch.rows() == 1 ? 1 : range.count;
    EXPECT_EQ(static_cast<Eigen::Index>(array.columns()), batch.cols());
    EXPECT_EQ(static_cast<Eigen::Index>(array.f64().size()),
              8 * count * batch.cols());
    EXPECT_EQ(Read(array, count), batch.middleRows(first, count));
  };
  expect(message.q(), states.q, "q");
  expect(message.v(), states.v, "v");
  expect(message.a(), states.a, "a");
  expect(message.tau(), states.tau, "tau");
  expect(message.tip_wrench_on_environment().wrench(),
         states.tip_wrench_on_environment, "tip_wrench_on_environment");
  EXPECT_EQ(message.tip_wrench_on_environment().reference_frame(),
            v1::REFERENCE_FRAME_WORLD);
  expect(message.base_twist(), states.base_twist, "base_twist");
  expect(message.base_acceleration(), states.base_acceleration,
         "base_acceleration");
  expect(message.external_wrenches_on_robot(),
         states.external_wrenches_on_robot, "external_wrenches_on_robot");
  expect(message.task_acceleration(), states.task_acceleration,
         "task_acceleration");
  expect(message.null_space_torque(), states.null_space_torque,
         "null_space_torque");
  expect(message.gravity(), states.gravity, "gravity");
}

TEST(Request, SaysWhatWasChosen) {
  const v1::ComputeRequest request = MakeRequest("arm", kTaskTorque, Choice());
  EXPECT_TRUE(request.options().terms().coulomb_friction());
  ASSERT_EQ(request.options().external_wrenches_size(), 1);
  EXPECT_EQ(request.options().external_wrenches(0).frame(), "elbow");
  EXPECT_EQ(request.operational_space().axes_size(), 3);
  EXPECT_FALSE(MakeRequest("arm", kTaskTorque, {}).has_operational_space());
}

TEST(Request, HasTheRowsOfAllInputs) {
  const States states = AllInputs(kRows);
  for (const RowRange range : {RowRange{0, kRows}, RowRange{1, 3}}) {
    v1::ComputeRequest request;
    AddRows(states, Choice(), range, &request);
    ExpectRows(request, states, range);
    // In place of those that are there.
    AddRows(states, Choice(), {2, 2}, &request);
    ExpectRows(request, states, {2, 2});
  }
}

TEST(Request, CarriesAnInputOfOneRowWhole) {
  States states = AllInputs(1);
  states.q = Numbered(kRows, 2, 100);
  v1::ComputeRequest request;
  AddRows(states, Choice(), {3, 2}, &request);
  ExpectRows(request, states, {3, 2});
}

TEST(Request, LeavesAbsentInputsOut) {
  v1::ComputeRequest request;
  AddRows({.q = Numbered(kRows, 2, 100)}, {}, {0, kRows}, &request);
  EXPECT_TRUE(request.has_q());
  EXPECT_FALSE(request.has_tip_wrench_on_environment());
  EXPECT_FALSE(request.has_base_twist());
  EXPECT_FALSE(request.has_base_acceleration());
  EXPECT_FALSE(request.has_external_wrenches_on_robot());
  EXPECT_FALSE(request.has_task_acceleration());
  EXPECT_FALSE(request.has_null_space_torque());
  EXPECT_FALSE(request.has_gravity());
}

TEST(Request, CountsTheBytesOfEveryInputOfManyRows) {
  const States many = AllInputs(kRows);
  const std::int64_t all = 8 * (4 * 2 + 6 + 6 + 6 + 12 + 3 + 2 + 3);
  EXPECT_EQ(RequestBytesPerRow(many), all);
  States fewer = many;
  fewer.external_wrenches_on_robot = Numbered(1, 12, 0);
  EXPECT_EQ(RequestBytesPerRow(fewer), all - 8 * 12);
}

TEST(Request, KnowsHowLargeTheAnswersAre) {
  const States states{.q = Numbered(kRows, 7, 0)};
  constexpr v1::Quantity kPower[] = {v1::QUANTITY_POWER_BALANCE};
  EXPECT_EQ(ReplyBytesPerRow(kPower, states, {}), 8 * 8);
  EXPECT_EQ(ReplyBytesPerRow(kTaskTorque, states, {}), 8 * 7);
}

TEST(Request, CountsAsManyRowsAsTheLongestInputHas) {
  struct NamedInput {
    const char* name;
    Batch States::* input;
  };
  for (const auto& [name, member] :
       {NamedInput{"v", &States::v},
        NamedInput{"base_twist", &States::base_twist},
        NamedInput{"base_acceleration", &States::base_acceleration},
        NamedInput{"external_wrenches_on_robot",
                   &States::external_wrenches_on_robot},
        NamedInput{"task_acceleration", &States::task_acceleration},
        NamedInput{"null_space_torque", &States::null_space_torque},
        NamedInput{"gravity", &States::gravity}}) {
    SCOPED_TRACE(name);
    States states = AllInputs(1);
    Batch& input = states.*member;
    const Eigen::Index columns = input.cols();
    input = Numbered(kRows, columns, 0);
    EXPECT_EQ(CountStates(states), kRows);
    // Every other has one row or as many.
    input = Numbered(1, columns, 0);
    states.q = Numbered(kRows, 2, 0);
    EXPECT_EQ(CountStates(states), kRows);
    input = Numbered(kRows - 1, columns, 0);
    try {
      CountStates(states);
      ADD_FAILURE() << "did not throw";
    } catch (const Error& error) {
      EXPECT_EQ(error.reason(), v1::WRONG_ROW_COUNT);
      ASSERT_EQ(error.details().field_violations.size(), 1u);
      EXPECT_EQ(error.details().field_violations[0].field, name);
    }
  }
}

}  // namespace
}  // namespace torqued::client
