// A verdict in words, for people.
#pragma once

#include <string>

#include "client/cli/check/checked_trajectory.h"

namespace torqued::cli {

/// How many violations of the kind the joint has.
std::uint64_t CountOf(const v1::JointDemand& joint, v1::LimitKind kind);
/// Whether the joint has a limit of this kind.
bool IsLimited(const v1::JointDemand& joint, v1::LimitKind kind);

/// "sample 3", or "between samples 3 and 4".
std::string SampleText(std::uint64_t sample, bool between);

/// What is known by a flag beside it; "-" where it is absent.
std::string UseText(bool present, double use);
std::string LimitText(bool present, double limit);

std::string PayloadText(const v1::PayloadRange& payload);
std::string SlowDownText(const v1::SlowDown& slow_down);
/// The same, and what it does not mend or how near the nearest limit is.
std::string PaceText(const v1::TrajectoryVerdict& verdict);
std::string ViolationText(const v1::LimitViolation& violation);
/// The worst of a kind of violation of which the verdict lists none, as far as
/// it is known of the joint.
std::string UnlistedText(const v1::JointDemand& joint, v1::LimitKind kind);
/// Empty where velocities and accelerations were given.
std::string DerivedText(v1::Differentiation derived);
/// What was judged: "301 samples, nothing between them" or "301 samples and the
/// cubic spline between them", and the largest step where it is coarse.
std::string JudgedText(const v1::TrajectoryVerdict& verdict);
/// The sentence of a remark: samples that contradict each other.
std::string RemarkText(const v1::Remark& remark);
/// "2 remarks on the samples"; empty for no remarks.
std::string RemarkCountText(std::uint64_t remarks);
/// How many remarks of the kind the joint has.
std::uint64_t CountOf(const v1::JointDemand& joint, v1::RemarkKind kind);
/// What the drives give and take, each for itself: a sum over the joints.
std::string JointEnergyText(const v1::TrajectoryVerdict& verdict);
/// What all joints give together, where some may feed others.
std::string RobotPowerText(const v1::TrajectoryVerdict& verdict);
std::string PathInertiaText(const v1::PathInertia& inertia);
/// "3 violations, the first at 0.25 s"; empty where there is none.
std::string ViolationCountText(const v1::TrajectoryVerdict& verdict);
/// What is to say beside PASS or FAIL: violations, or that all limits are kept,
/// and remarks.
std::string OutcomeText(const v1::TrajectoryVerdict& verdict);

}  // namespace torqued::cli
