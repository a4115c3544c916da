// A URDF without anything to remark on, for tests that spoil it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace torqued {

inline constexpr std::string_view kSmallArm = R"(<?xml version="1.0"?>
<robot name='small_arm'>
  <link name='base'/>
  <link name='upper'>
    <inertial><origin xyz='0 0 0.2' rpy='0 0 0'/>
      <mass value='2'/>
      <inertia ixx='0.03' ixy='0' ixz='0' iyy='0.03' iyz='0' izz='0.01'/>
    </inertial>
    <visual><origin xyz='0 0 0.2'/>
      <geometry><box size='0.1 0.1 0.4'/></geometry><material name='grey'/>
    </visual>
  </link>
  <link name='lower'>
    <inertial><origin xyz='0 0 0.15' rpy='0 0.1 0'/>
      <mass value='1.25'/>
      <inertia ixx='0.01' ixy='0' ixz='0' iyy='0.01' iyz='0' izz='0.002'/>
    </inertial>
  </link>
  <link name='tool'/>
  <joint name='shoulder' type='revolute'>
    <origin xyz='0 0 0.1' rpy='0 0 0'/>
    <parent link='base'/><child link='upper'/>
    <axis xyz='0 1 0'/>
    <limit lower='-2' upper='2.5' effort='30' velocity='3'/>
  </joint>
  <joint name='elbow' type='prismatic'>
    <origin xyz='0 0 0.4' rpy='0 0 0'/>
    <parent link='upper'/><child link='lower'/>
    <axis xyz='0 0 1'/>
    <limit lower='0' upper='0.3' effort='20' velocity='4'/>
  </joint>
  <joint name='flange' type='fixed'>
    <origin xyz='0 0 0.3' rpy='0 0 0'/>
    <parent link='lower'/><child link='tool'/>
  </joint>
  <material name='grey'><color rgba='0.5 0.5 0.5 1'/></material>
</robot>
)";

/// Texts and what takes their place.
using Edits = std::vector<std::pair<std::string_view, std::string>>;

/// The small arm with the only occurrence of each text replaced.
inline std::string Edited(const Edits& edits) {
  std::string text(kSmallArm);
  for (const auto& [from, to] : edits) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << "not in the text: " << from;
    if (at == std::string::npos) continue;
    EXPECT_EQ(text.find(from, at + 1), std::string::npos) << "twice: " << from;
    text.replace(at, from.size(), to);
  }
  return text;
}

/// 1-based line of the first occurrence of `needle`.
inline int LineOf(std::string_view text, std::string_view needle) {
  const std::size_t at = text.find(needle);
  EXPECT_NE(at, std::string_view::npos) << "not in the text: " << needle;
  if (at == std::string_view::npos) return -1;
  return 1 +
         static_cast<int>(std::count(text.begin(), text.begin() + at, '\n'));
}

}  // namespace torqued
