// Short ways to write links and joints in tests.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "core/model/description.h"

namespace torqued {

using JointKind = JointDescription::Type;

inline LinkDescription MasslessLink(std::string name) {
  LinkDescription link;
  link.name = std::move(name);
  return link;
}

/// A body of `mass` with its centre of mass at `com` and the diagonal of its
/// inertia about it.
inline LinkDescription Link(std::string name, double mass,
                            std::array<double, 3> com = {0, 0, 0},
                            std::array<double, 3> diagonal = {1, 1, 1}) {
  LinkDescription link = MasslessLink(std::move(name));
  LinkInertial inertial;
  inertial.mass = mass;
  inertial.origin.p = com;
  inertial.inertia = {diagonal[0], 0, 0, diagonal[1], 0, diagonal[2]};
  link.inertial = inertial;
  return link;
}

inline JointDescription JointOf(std::string name, JointKind type,
                                std::string parent, std::string child,
                                std::array<double, 3> xyz = {0, 0, 0},
                                std::array<double, 3> axis = {0, 0, 1}) {
  JointDescription joint;
  joint.name = std::move(name);
  joint.type = type;
  joint.parent = std::move(parent);
  joint.child = std::move(child);
  joint.origin.p = xyz;
  joint.axis = axis;
  return joint;
}

inline LoadResult Build(const std::vector<LinkDescription>& links,
                        const std::vector<JointDescription>& joints,
                        const BuildOptions& options = {}) {
  return BuildModel({.name = "test", .links = links, .joints = joints},
                    options);
}

/// All messages, for the text of a failure.
inline std::string Messages(const LintReport& report) {
  std::string text;
  for (const Finding& f : report.findings()) {
    text += std::string(ToString(f.code)) + ": " + f.message + "\n";
  }
  return text;
}

/// The only finding.
inline Finding Only(const LintReport& report) {
  EXPECT_EQ(report.findings().size(), 1u) << Messages(report);
  return report.findings().empty() ? Finding{} : report.findings()[0];
}

inline int Count(const LintReport& report, LintCode code) {
  int count = 0;
  for (const Finding& f : report.findings()) count += f.code == code ? 1 : 0;
  return count;
}

}  // namespace torqued
