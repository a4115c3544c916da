// What can be said about one link or one joint by itself.
#pragma once

#include <span>
#include <string_view>

#include "core/model/description.h"
#include "core/model/lint.h"

namespace torqued {

/// Longest name of a robot, link or joint, in bytes.
inline constexpr std::size_t kMaxNameBytes = 256;

/// Reports a name that is empty, too long, not UTF-8, or has control
/// characters. `kind` is "link" or the like.
void CheckName(std::string_view kind, std::string_view name, const Place& place,
               LintReport& report);

/// Reports a pose that is not finite or has no rotation. `subject` begins the
/// sentence: "Joint 'elbow'"; `what` is "origin" or the like.
void CheckPose(std::string_view subject, std::string_view what,
               const Pose& pose, const Place& place, LintReport& report);

/// Names, numbers and poses of the links; core/model/mass_checks.h judges their
/// masses. A link in which an error was found is marked incomplete.
void CheckLinks(std::span<LinkDescription> links, LintReport& report);

/// Names, numbers, poses, axes, limits and mimic targets of the joints.
/// Normalises the axes. A joint in which an error was found is marked
/// incomplete.
void CheckJoints(std::span<JointDescription> joints, LintReport& report);

}  // namespace torqued
