#include "server/wire/verdict_words.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/base/text.h"

namespace torqued::server {
namespace {

constexpr int kDigits = 5;
constexpr int kAllDigits = 17;

std::string Rounded(double number, int digits = kDigits) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number,
                              std::chars_format::general, digits)
                    .ptr};
}

/// Of both the digits that tell them apart, if they differ: what breaks a limit
/// does not look like the limit.
std::pair<std::string, std::string> Apart(double value, double limit) {
  int digits = kDigits;
  const auto alike = [&] {
    return Rounded(std::abs(value), digits) == Rounded(std::abs(limit), digits);
  };
  while (value != limit && digits < kAllDigits && alike()) ++digits;
  return {Rounded(value, digits), Rounded(limit, digits)};
}

/// Not less than the number (`up`) or not more, so that the text passes, too.
std::string Passing(double number, bool up) {
  if (!(number > 0) || std::isinf(number)) return Rounded(number);
  const double unit =
      std::pow(10, std::floor(std::log10(number)) - (kDigits - 1));
  const double digits = number / unit;
  const double nearest = std::round(digits);
  // Within rounding it is a round number.
  if (std::abs(digits - nearest) < 1e-9) return Rounded(nearest * unit);
  return Rounded((up ? std::ceil(digits) : std::floor(digits)) * unit);
}

std::string Percent(double share) {
  if (std::isinf(share)) return "over 100 %";
  return Apart(100 * share, 100).first + " %";
}

std::string Counted(std::uint64_t count, std::string_view what) {
  return Cat(count, " ", what, count == 1 ? "" : "s");
}

std::string SecondsText(double time) { return RoundedText(time) + " s"; }

/// Of a peak or of what limits.
std::string At(const auto& place) {
  const std::uint64_t sample = place.sample();
  return Cat(" at ", SecondsText(place.time()),
             place.between()
                 ? Cat(" (between samples ", sample, " and ", sample + 1, ")")
                 : Cat(" (sample ", sample, ")"));
}

std::string_view NameOf(v1::LimitKind kind) {
  if (kind == v1::LIMIT_KIND_TORQUE) return "torque";
  return kind == v1::LIMIT_KIND_VELOCITY ? "velocity" : "position";
}

std::string Limiting(const v1::LimitedBy& place) {
  return Cat("the ", NameOf(place.kind()), " of ", place.joint(), At(place));
}

std::string Span(const auto& found) {
  return Cat(" from ", SecondsText(found.begin()), " to ",
             SecondsText(found.end()));
}

using Joints = std::unordered_map<std::string_view, const v1::JointDemand*>;

std::string UnitOf(const Joints& joints, const v1::LimitViolation& violation) {
  const v1::JointDemand& joint = *joints.at(violation.joint());
  if (violation.kind() == v1::LIMIT_KIND_TORQUE) return joint.effort_unit();
  return joint.position_unit() +
         (violation.kind() == v1::LIMIT_KIND_VELOCITY ? "/s" : "");
}

std::string Sentence(const v1::LimitViolation& violation,
                     const Joints& joints) {
  const std::string unit = UnitOf(joints, violation);
  const auto [value, limit] =
      Apart(violation.worst().value(), violation.limit());
  std::string text =
      Cat("The ", NameOf(violation.kind()), " of ", violation.joint(), " is ",
          value, " ", unit, At(violation.worst()), "; its limit there is ",
          limit, " ", unit, ".");
  if (violation.begin() != violation.end()) {
    text += Cat(" It breaks the limit", Span(violation),
                violation.samples() > 0
                    ? Cat(", at ", Counted(violation.samples(), "sample"))
                    : "",
                ".");
  }
  return text;
}

std::string Sentence(const v1::Remark& remark, const Joints& joints) {
  const bool velocity = remark.kind() == v1::REMARK_KIND_VELOCITY;
  const std::string unit = joints.at(remark.joint())->position_unit() +
                           (velocity ? "/s" : "/s\u00b2");
  const auto [given, expected] =
      Apart(remark.worst().value(), remark.expected());
  std::string text =
      Cat("The ", velocity ? "velocity" : "acceleration", " of ",
          remark.joint(), " is ", given, " ", unit, " at ",
          SecondsText(remark.worst().time()), " (between samples ",
          remark.worst().sample(), " and ", remark.worst().sample() + 1,
          "), but the ", velocity ? "positions" : "velocities", " give ",
          expected, " ", unit, ".");
  if (remark.steps() > 1) {
    text += Cat(" ", Counted(remark.steps(), "step"), Span(remark),
                " contradict each other.");
  }
  return text;
}

std::string Sentence(const v1::Inconsistency& found) {
  struct Cause {
    double factor;
    std::string_view words;
  };
  constexpr double kDegree = 57.29577951308232;
  static constexpr Cause kCauses[] = {
      {1e3, ": are times in milliseconds? Expected seconds."},
      {1e6, ": are times in microseconds? Expected seconds."},
      {1e9, ": are times in nanoseconds? Expected seconds."},
      {kDegree, ": is v in degrees? Expected rad/s."},
      {1 / kDegree, ": is q in degrees? Expected rad."},
      {1e3 / kDegree,
       ": is q in degrees and time in milliseconds? Expected rad and seconds."},
      {-1, ": is its sign wrong?"}};
  const double factor = found.factor();
  std::string joints = found.joints(0);
  if (found.joints_size() > 1) {
    joints += Cat(" and ",
                  Counted(static_cast<std::uint64_t>(found.joints_size() - 1),
                          "other joint"));
  }
  if (factor == 0) return Cat("v of ", joints, " is 0, but q moves.");
  if (std::isinf(factor))
    return Cat("v of ", joints, " is not 0, but q rests.");
  const auto* cause = std::ranges::find_if(kCauses, [factor](const Cause& one) {
    return std::abs(factor / one.factor - 1) < 0.05;
  });
  const bool known = cause != std::end(kCauses);
  return Cat("v of ", joints, " is ",
             RoundedText(known ? cause->factor : factor),
             " times the rate of q", known ? cause->words : ".");
}

/// Whether most ranges are left by more than their width.
std::string UnitsMessage(const v1::TrajectoryVerdict& verdict) {
  std::uint64_t limited = 0, far = 0;
  for (const v1::JointDemand& joint : verdict.joints()) {
    if (joint.position_unit() != "rad" || !joint.has_lower_limit() ||
        !joint.has_upper_limit()) {
      continue;
    }
    const double lower = joint.lower_limit(), upper = joint.upper_limit();
    ++limited;
    far += joint.lowest_position().value() < 2 * lower - upper ||
           joint.highest_position().value() > 2 * upper - lower;
  }
  if (far == 0 || 2 * far < limited) return "";
  return Cat(
      "Positions of ", far, " of ", Counted(limited, "joint"),
      " are far outside their range: are they in degrees? Expected rad.");
}

std::string Sentence(const v1::CoarseStep& step, const Joints& joints) {
  const std::string& unit = joints.at(step.joint())->position_unit();
  return Cat("The samples are coarse: ", step.joint(), " moves by ",
             Rounded(step.position_change()), " ", unit,
             " and changes its velocity by ", Rounded(step.velocity_change()),
             " ", unit, "/s within the ", Rounded(step.duration()),
             " s between samples ", step.sample(), " and ", step.sample() + 1,
             ".");
}

std::string Sentence(const v1::JointDemand& joint) {
  const std::string& unit = joint.position_unit();
  std::string text = Cat(
      joint.joint(), " takes ",
      joint.has_torque_use()
          ? Cat(Percent(joint.torque_use().value()), " of its torque limit",
                At(joint.torque_use()))
          : Cat("a torque of ", Rounded(joint.torque().value()), " ",
                joint.effort_unit(), At(joint.torque()), ", without a limit,"),
      " and ",
      joint.has_velocity_use()
          ? Cat(Percent(joint.velocity_use().value()), " of its velocity limit",
                At(joint.velocity_use()))
          : Cat("a velocity of ", Rounded(joint.velocity().value()), " ", unit,
                "/s", At(joint.velocity()), ", without a limit"),
      ".");
  if (joint.position_violations() == 0) return text;
  const auto [lowest, lower] =
      Apart(joint.lowest_position().value(), joint.lower_limit());
  const auto [highest, upper] =
      Apart(joint.highest_position().value(), joint.upper_limit());
  return Cat(text, " It moves from ", lowest, " ", unit, " to ", highest, " ",
             unit, "; its limits are ",
             joint.has_lower_limit() ? Cat(lower, " ", unit) : "none", " and ",
             joint.has_upper_limit() ? Cat(upper, " ", unit) : "none", ".");
}

std::string Sentence(const v1::PayloadRange& payload) {
  if (!payload.possible()) {
    return "No payload helps: torques exceed their limits with any payload, "
           "and without one.";
  }
  const std::string least =
      payload.least() > 0 ? " from " + Passing(payload.least(), true) + " kg"
                          : "";
  if (!payload.has_limited_by()) {
    return Cat("Any payload", least, " stays within the torque limits.");
  }
  return Cat("A payload", least, least.empty() ? " of up to " : " to ",
             Passing(payload.most(), false),
             " kg stays within the torque limits; ",
             Limiting(payload.limited_by()), " limits it.");
}

std::string Sentence(const v1::SlowDown& pace) {
  const v1::LimitedBy& place = pace.limited_by();
  if (!pace.possible()) {
    return place.kind() == v1::LIMIT_KIND_VELOCITY
               ? Cat("No slow-down helps: the velocity limit of ",
                     place.joint(), " is 0, and it moves", At(place), ".")
               : Cat("No slow-down helps: ", Limiting(place),
                     " exceeds its limit at any speed.");
  }
  constexpr std::string_view kWithin =
      "Torques and velocities are within their limits";
  if (pace.has_limited_by()) {
    return Cat(kWithin, " ", Passing(pace.factor(), true), " times as slow; ",
               Limiting(place), " limits the speed.");
  }
  if (!pace.has_fastest_limited_by()) {
    return Cat(kWithin, " at this speed and at any higher one.");
  }
  return Cat(kWithin, " at this speed and ",
             pace.fastest() > 1 ? Cat("up to ", Passing(pace.fastest(), false),
                                      " times as fast")
                                : "no faster",
             "; ", Limiting(pace.fastest_limited_by()), " limits it.");
}

std::string Sentence(const v1::PathInertia& inertia) {
  return Cat("The smallest singular value of the task is ",
             Rounded(inertia.sigma_min().value()), At(inertia.sigma_min()),
             "; the condition of Lambda is at most ",
             Rounded(inertia.condition().value()), At(inertia.condition()),
             ".");
}

/// "the torque of elbow, 75 %"; empty if no joint has a limit.
std::string NearestLimit(const v1::TrajectoryVerdict& verdict) {
  std::string text;
  double largest = 0;
  for (const v1::JointDemand& joint : verdict.joints()) {
    const auto take = [&](bool present, double use, std::string_view what) {
      if (!present || use <= largest) return;
      largest = use;
      text = Cat("the ", what, " of ", joint.joint(), ", ", Percent(use));
    };
    take(joint.has_torque_use(), joint.torque_use().value(), "torque");
    take(joint.has_velocity_use(), joint.velocity_use().value(), "velocity");
  }
  return text;
}

std::string Sentence(const v1::TrajectoryVerdict& verdict) {
  std::string text = "No limit is exceeded";
  if (verdict.violation_count() > 0) {
    const v1::LimitViolation& first = verdict.first_violation();
    text = Cat(Counted(verdict.violation_count(), "violation"),
               " of limits, the first at ", SecondsText(first.begin()),
               " by the ", NameOf(first.kind()), " of ", first.joint());
  } else if (const std::string near = NearestLimit(verdict); !near.empty()) {
    text += "; nearest to its limit is " + near;
  }
  if (verdict.has_inconsistency()) text += "; v is not the rate of q";
  if (verdict.remark_count() > 0) {
    text +=
        "; " + Counted(verdict.remark_count(), "remark") + " on the samples";
  }
  return text + ".";
}

std::string Judged(const v1::TrajectoryVerdict& verdict) {
  const std::string samples = Counted(verdict.samples(), "sample");
  if (verdict.judged_between()) {
    const bool cubic = verdict.derived() == v1::DIFFERENTIATION_CUBIC_SPLINE;
    return Cat(samples, " and the ", cubic ? "cubic" : "quintic",
               " spline between them");
  }
  return verdict.samples() == 1 ? samples
                                : samples + ", not judged between them";
}

std::string Energy(const v1::TrajectoryVerdict& verdict) {
  return Cat("The joints give ", Rounded(verdict.energy_given()),
             " J and take ", Rounded(verdict.energy_taken()),
             " J, each for itself; the whole robot gives ",
             Rounded(verdict.energy_given() - verdict.energy_taken()),
             " J net, and its power is from ",
             Rounded(verdict.lowest_power().value()), " W to ",
             Rounded(verdict.highest_power().value()), " W.");
}

}  // namespace

void PutIntoWords(v1::TrajectoryVerdict* verdict) {
  Joints joints;
  bool leaves_positions = false;
  for (v1::JointDemand& joint : *verdict->mutable_joints()) {
    joints.emplace(joint.joint(), &joint);
    leaves_positions = leaves_positions || joint.position_violations() > 0;
    joint.set_message(Sentence(joint));
  }
  for (v1::LimitViolation& violation : *verdict->mutable_violations()) {
    violation.set_message(Sentence(violation, joints));
  }
  if (verdict->has_first_violation()) {
    verdict->mutable_first_violation()->set_message(
        Sentence(verdict->first_violation(), joints));
  }
  for (v1::Remark& remark : *verdict->mutable_remarks()) {
    remark.set_message(Sentence(remark, joints));
  }
  if (verdict->has_inconsistency()) {
    verdict->mutable_inconsistency()->set_message(
        Sentence(verdict->inconsistency()));
  }
  verdict->set_units_message(UnitsMessage(*verdict));
  if (verdict->has_coarse_step()) {
    verdict->mutable_coarse_step()->set_message(
        Sentence(verdict->coarse_step(), joints));
  }
  if (verdict->has_payload()) {
    verdict->mutable_payload()->set_message(Sentence(verdict->payload()));
  }
  v1::SlowDown* pace = verdict->mutable_slow_down();
  pace->set_message(
      Sentence(*pace) +
      (leaves_positions ? " Positions exceed their limits at any speed." : ""));
  if (verdict->has_path_inertia()) {
    verdict->mutable_path_inertia()->set_message(
        Sentence(verdict->path_inertia()));
  }
  verdict->set_energy_message(Energy(*verdict));
  verdict->set_judged(Judged(*verdict));
  verdict->set_message(Sentence(*verdict));
}

}  // namespace torqued::server
