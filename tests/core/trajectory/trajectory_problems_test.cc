// What cannot be checked is told, by name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "tests/core/trajectory/sampled_motion.h"
#include "tests/support/load_model.h"

namespace torqued::testing_support {
namespace {

using testing::HasSubstr;

// Those that a client can cause: tests/e2e/test_trajectory_errors.py.
TEST(TrajectoryProblems, NameTheFieldTheSampleAndTheJoint) {
  const auto model = ShippedModel("ur5e");
  const struct {
    std::string field;
    std::int64_t row;  // -1: none
    std::string joint;
    std::string message;  // part of it
    std::function<void(SampledMotion&, TrajectoryOptions&)> make;
  } problems[] = {
      {"time", -1, "", "", [](auto& m, auto&) { m = SampledMotion(0, 0); }},
      {"v", -1, "", "", [](auto& m, auto&) { m.v.conservativeResize(9, 6); }},
      {"tip_wrench_on_environment", -1, "", "",
       [](auto& m, auto&) { m.wrench.conservativeResize(10, 5); }},
      {"bounds", -1, "", "", [](auto&, auto& of) { of.bounds.resize(5); }},
      {"drives", -1, "", "", [](auto&, auto& of) { of.drives.resize(7); }},
      {"time[2]", 2, "", "", [](auto& m, auto&) { m.time[2] = std::nan(""); }},
      {"time[8]", 8, "",
       "Times must increase: ", [](auto& m, auto&) { m.time[8] = m.time[7]; }},
      // The torques do not overflow, but their squares or their power do. The
      // first of the joints that it moves is named.
      {"samples", 4, "shoulder_pan_joint", "",
       [](auto& m, auto&) { m.a(4, 5) = 1e200; }},
      {"samples", 4, "", "Sample 4: a power overflows.",
       [](auto& m, auto&) {
         m.v(4, 1) = 1e100;
         m.a(4, 1) = 1e250;
       }},
  };
  Engine engine({.threads = 1});
  for (const auto& is : problems) {
    SampledMotion motion = MakeMotion(*model, 10, 1, true);
    TrajectoryOptions options;
    is.make(motion, options);
    const auto result = CheckTrajectory(engine, model, motion.View(), options);
    const auto* error = std::get_if<ArgumentError>(&result);
    ASSERT_NE(error, nullptr) << is.field;
    EXPECT_EQ(error->field, is.field) << error->message;
    EXPECT_EQ(error->row, is.row) << error->message;
    EXPECT_EQ(error->joint, is.joint) << error->message;
    EXPECT_FALSE(error->message.empty());
    EXPECT_THAT(error->message, HasSubstr(is.message));
  }
}

}  // namespace
}  // namespace torqued::testing_support
