#include "client/cli/check/verdict_text.h"

#include <cmath>
#include <tuple>

#include "client/cli/check/passing_numbers.h"
#include "client/cli/check/utilization_text.h"
#include "client/cli/enum_text.h"
#include "client/cli/formats/number_text.h"

namespace torqued::cli {
namespace {

/// Differs from the text of the limit where the numbers do.
std::string ValueText(double value, double limit) {
  const std::string text = ReadableText(value);
  const bool alike =
      text == ReadableText(limit) || text == ReadableText(-limit);
  return alike ? ShortestText(value) : text;
}

std::string At(const v1::Peak& peak) {
  return ", at " + ReadableText(peak.time()) + " s (" +
         SampleText(peak.sample(), peak.between()) + ")";
}

std::string InstantText(const v1::LimitedBy& place) {
  return ReadableText(place.time()) + " s (" +
         SampleText(place.sample(), place.between()) + ")";
}

std::string At(const v1::LimitedBy& place) {
  const std::string what = place.kind() == v1::LIMIT_KIND_UNSPECIFIED
                               ? ""
                               : "the " + LimitKindText(place.kind()) + " of ";
  return what + place.joint() + " at " + InstantText(place);
}

/// What a remark of this kind holds the rate against.
std::string_view ContradictedBy(v1::RemarkKind kind) {
  switch (kind) {
    case v1::REMARK_KIND_VELOCITY:
      return "positions";
    case v1::REMARK_KIND_ACCELERATION:
      return "velocities";
    default:
      return "samples";
  }
}

}  // namespace

std::uint64_t CountOf(const v1::JointDemand& joint, v1::LimitKind kind) {
  switch (kind) {
    case v1::LIMIT_KIND_TORQUE:
      return joint.torque_violations();
    case v1::LIMIT_KIND_VELOCITY:
      return joint.velocity_violations();
    default:
      return joint.position_violations();
  }
}

bool IsLimited(const v1::JointDemand& joint, v1::LimitKind kind) {
  switch (kind) {
    case v1::LIMIT_KIND_TORQUE:
      return joint.has_torque_limit() || joint.has_torque_use();
    case v1::LIMIT_KIND_VELOCITY:
      return joint.has_velocity_limit();
    default:
      return joint.has_lower_limit() || joint.has_upper_limit();
  }
}

std::uint64_t CountOf(const v1::JointDemand& joint, v1::RemarkKind kind) {
  return kind == v1::REMARK_KIND_VELOCITY ? joint.velocity_remarks()
                                          : joint.acceleration_remarks();
}

std::string SampleText(std::uint64_t sample, bool between) {
  const std::string number = std::to_string(sample);
  return between ? "between samples " + number + " and " +
                       std::to_string(sample + 1)
                 : "sample " + number;
}

std::string UseText(bool present, double use) {
  return present ? UtilizationText(use) : "-";
}

std::string LimitText(bool present, double limit) {
  return present ? ReadableText(limit) : "-";
}

std::string PayloadText(const v1::PayloadRange& payload) {
  if (!payload.possible())
    return "none: a torque limit is broken even without one, and a load does "
           "not mend it";
  std::string text = LargestPayloadText(payload.most());
  if (!std::isinf(payload.most())) text = "up to " + text + " kg";
  if (payload.least() > 0) {
    text =
        "from " + ReadableText(payload.least(), Side::kAbove) + " kg, " + text;
  }
  text += " within the torque limits";
  if (payload.has_limited_by()) {
    text += ", limited by " + At(payload.limited_by());
  }
  return text;
}

std::string SlowDownText(const v1::SlowDown& slow_down) {
  if (!slow_down.possible()) {
    const v1::LimitedBy& place = slow_down.limited_by();
    if (place.kind() == v1::LIMIT_KIND_VELOCITY) {
      return "at no pace: the velocity limit of " + place.joint() +
             " is 0, and it moves at " + InstantText(place);
    }
    return "at no pace: however slow, " + At(place) + " is over its limit";
  }
  if (!slow_down.has_limited_by()) {
    std::string text = "as fast as it is";
    if (slow_down.fastest() == 0) return text;  // of a server that says no more
    if (!slow_down.has_fastest_limited_by()) return text + ", and any faster";
    const std::string faster =
        slow_down.fastest() > 1
            ? ", and up to " + ReadableText(slow_down.fastest(), Side::kBelow) +
                  " times as fast"
            : ", and no faster";
    return text + faster + ", limited by " + At(slow_down.fastest_limited_by());
  }
  return SlowDownFactorText(slow_down.factor()) +
         " times as slow, limited by " + At(slow_down.limited_by());
}

std::string PaceText(const v1::TrajectoryVerdict& verdict) {
  std::string text = SlowDownText(verdict.slow_down());
  if (LeavesPositions(verdict)) {
    return text + "; positions stay outside their limits at any pace";
  }
  if (!verdict.passes()) return text;
  const v1::JointDemand* nearest = nullptr;
  v1::LimitKind kind = v1::LIMIT_KIND_UNSPECIFIED;
  double largest = 0;
  for (const v1::JointDemand& joint : verdict.joints()) {
    for (const auto& [present, use, of] :
         {std::tuple(joint.has_torque_use(), joint.torque_use().value(),
                     v1::LIMIT_KIND_TORQUE),
          {joint.has_velocity_use(), joint.velocity_use().value(),
           v1::LIMIT_KIND_VELOCITY}}) {
      if (!present || use <= largest) continue;
      nearest = &joint;
      kind = of;
      largest = use;
    }
  }
  if (nearest == nullptr) return text;
  return text + "; nearest to its limit is the " + LimitKindText(kind) +
         " of " + nearest->joint() + ", " + UtilizationText(largest);
}

std::string ViolationText(const v1::LimitViolation& violation) {
  std::string text = LimitKindText(violation.kind()) + " of " +
                     violation.joint() + ": " +
                     ValueText(violation.worst().value(), violation.limit()) +
                     " where the limit is " + ReadableText(violation.limit()) +
                     At(violation.worst());
  const bool begins_at_worst = violation.begin() == violation.end();
  if (violation.first_sample() != violation.last_sample() ||
      (violation.worst().between() && !begins_at_worst)) {
    text += ", from " + ReadableText(violation.begin()) + " s to " +
            ReadableText(violation.end()) + " s";
  }
  return text;
}

std::string UnlistedText(const v1::JointDemand& joint, v1::LimitKind kind) {
  const auto broken = [&](const v1::Peak& peak, double limit) {
    return LimitKindText(kind) + " of " + joint.joint() + ": " +
           ValueText(peak.value(), limit) + " where the limit is " +
           ReadableText(limit) + At(peak);
  };
  switch (kind) {
    case v1::LIMIT_KIND_TORQUE: {
      // The limit may be another one at the speed of each sample.
      const v1::Peak& use = joint.torque_use();
      return "torque of " + joint.joint() + ": " +
             UtilizationText(use.value()) + " of its limit" + At(use) +
             "; the largest is " + ReadableText(joint.torque().value()) +
             At(joint.torque()) + ", the limit at rest " +
             ReadableText(joint.torque_limit());
    }
    case v1::LIMIT_KIND_VELOCITY:
      return broken(joint.velocity(), joint.velocity_limit());
    default: {
      const double below =
          joint.has_lower_limit()
              ? joint.lower_limit() - joint.lowest_position().value()
              : 0;
      const double above =
          joint.has_upper_limit()
              ? joint.highest_position().value() - joint.upper_limit()
              : 0;
      return below > above
                 ? broken(joint.lowest_position(), joint.lower_limit())
                 : broken(joint.highest_position(), joint.upper_limit());
    }
  }
}

std::string DerivedText(v1::Differentiation derived) {
  switch (derived) {
    case v1::DIFFERENTIATION_CUBIC_SPLINE:
      return "Velocities and accelerations are derived by a cubic spline.";
    case v1::DIFFERENTIATION_QUINTIC_SPLINE:
      return "Velocities and accelerations are derived by a quintic spline.";
    default:
      return "";
  }
}

std::string JudgedText(const v1::TrajectoryVerdict& verdict) {
  std::string text = std::to_string(verdict.samples()) +
                     (verdict.samples() == 1 ? " sample" : " samples");
  if (verdict.judged_between()) {
    text += verdict.derived() == v1::DIFFERENTIATION_CUBIC_SPLINE
                ? " and the cubic spline between them"
                : " and the quintic spline between them";
  } else if (verdict.samples() != 1) {
    text += ", nothing between them";
  }
  if (!verdict.has_coarse_step()) return text;
  const v1::CoarseStep& step = verdict.coarse_step();
  return text + " (coarse: " + step.joint() + " moves by " +
         ReadableText(step.position_change()) +
         " and changes its velocity by " +
         ReadableText(step.velocity_change()) + " within the " +
         ReadableText(step.duration()) + " s " +
         SampleText(step.sample(), true) + ")";
}

std::string RemarkText(const v1::Remark& remark) {
  std::string text = RemarkKindText(remark.kind()) + " of " + remark.joint() +
                     ": " + ReadableText(remark.worst().value()) +
                     " where the " +
                     std::string(ContradictedBy(remark.kind())) + " give " +
                     ReadableText(remark.expected()) + ", at " +
                     ReadableText(remark.worst().time()) + " s (" +
                     SampleText(remark.worst().sample(), true) + ")";
  if (remark.steps() > 1) {
    text += ", in " + std::to_string(remark.steps()) + " steps from " +
            ReadableText(remark.begin()) + " s to " +
            ReadableText(remark.end()) + " s";
  }
  return text;
}

std::string RemarkCountText(std::uint64_t remarks) {
  if (remarks == 0) return "";
  return std::to_string(remarks) + (remarks == 1 ? " remark" : " remarks") +
         " on the samples";
}

std::string JointEnergyText(const v1::TrajectoryVerdict& verdict) {
  return "given " + ReadableText(verdict.energy_given()) + " J, taken " +
         ReadableText(verdict.energy_taken()) + " J (each joint for itself)";
}

std::string RobotPowerText(const v1::TrajectoryVerdict& verdict) {
  // Of the sum of all joints the net is the same as of each for itself.
  return "net " +
         ReadableText(verdict.energy_given() - verdict.energy_taken()) +
         " J, power from " + ReadableText(verdict.lowest_power().value()) +
         " to " + ReadableText(verdict.highest_power().value()) + " W";
}

std::string PathInertiaText(const v1::PathInertia& inertia) {
  return "sigma_min " + ReadableText(inertia.sigma_min().value()) + " at " +
         ReadableText(inertia.sigma_min().time()) +
         " s; condition of Lambda up to " +
         ReadableText(inertia.condition().value()) + " at " +
         ReadableText(inertia.condition().time()) + " s";
}

std::string ViolationCountText(const v1::TrajectoryVerdict& verdict) {
  if (verdict.violation_count() == 0) return "";
  return std::to_string(verdict.violation_count()) +
         (verdict.violation_count() == 1 ? " violation" : " violations") +
         ", the first at " + ReadableText(verdict.first_violation().begin()) +
         " s";
}

std::string OutcomeText(const v1::TrajectoryVerdict& verdict) {
  std::string text = ViolationCountText(verdict);
  if (text.empty()) text = "all limits are kept";
  const std::string remarks = RemarkCountText(verdict.remark_count());
  return remarks.empty() ? text : text + "; " + remarks;
}

}  // namespace torqued::cli
