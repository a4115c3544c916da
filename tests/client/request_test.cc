#include "client/cpp/request.h"

#include <gmock/gmock.h>

#include <string>

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
