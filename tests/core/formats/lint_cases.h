// Defects of the small arm and the findings they must give.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/lint.h"
#include "tests/core/formats/small_arm.h"

namespace torqued {

/// Replacements in kSmallArm.
using Edits = std::vector<std::pair<std::string_view, std::string_view>>;

inline std::string Edited(const Edits& edits) {
  std::string text(kSmallArm);
  for (const auto& [from, to] : edits) text = Replaced(text, from, to);
  return text;
}

/// What a finding is about; `at` is text on its line, empty for any line.
struct Spot {
  std::string_view joint;
  std::string_view link;
  std::string_view at;
};
inline Spot Robot(std::string_view at) { return {"", "", at}; }
inline Spot InJoint(std::string_view joint, std::string_view at) {
  return {joint, "", at};
}
inline Spot InLink(std::string_view link, std::string_view at) {
  return {"", link, at};
}

struct LintCase {
  std::string_view name;
  Edits edits;
  LintCode code;
  Spot spot;
  std::string_view message;  // part of it
  int others = 0;            // further findings that come with the defect
  Edits twin = {};           // a near miss, which has no such finding
};

inline void PrintTo(const LintCase& c, std::ostream* out) { *out << c.name; }

std::vector<LintCase> SourceCases();
std::vector<LintCase> RobotCases();
std::vector<LintCase> RemarkCases();

// Lines of kSmallArm that the cases spoil.
inline constexpr std::string_view kUpperInertia =
    R"(<inertia ixx="0.03" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.01"/>)";
inline constexpr std::string_view kShoulderLimit =
    R"(<limit lower="-2" upper="2.5" effort="30" velocity="3"/>)";
inline constexpr std::string_view kElbowLimit =
    R"(<limit lower="0" upper="0.3" effort="20" velocity="4"/>)";
inline constexpr std::string_view kShoulderAxis = R"(<axis xyz="0 1 0"/>)";
inline constexpr std::string_view kShoulderOrigin =
    R"(<origin xyz="0 0 0.1" rpy="0 0 0"/>)";
inline constexpr std::string_view kElbow =
    R"(<joint name="elbow" type="prismatic">)";
inline constexpr std::string_view kShoulder =
    R"(<joint name="shoulder" type="revolute">)";
inline constexpr std::string_view kFlange =
    R"(<joint name="flange" type="fixed">)";
inline constexpr std::string_view kEnd = "</robot>";

}  // namespace torqued
