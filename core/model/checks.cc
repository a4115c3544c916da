#include "core/model/assembly.h"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/text.h"

namespace torqued {
namespace {

// Four digits, as in 0.7071, leave an axis within this of unit length.
constexpr double kAxisRounding = 1e-4;
constexpr double kRotationRounding = 1e-6;
// What rounding to six significant digits does to principal moments, relative
// to their sum. A thin rod or a flat plate lies on the very border of what is
// possible.
constexpr double kTextRounding = 1e-6;
// What sums and products in double precision leave, relative to their terms.
constexpr double kSumRounding = 1e-12;

bool AllFinite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(),
                     [](double x) { return std::isfinite(x); });
}

std::string VectorText(std::span<const double> values) {
  std::string text;
  for (const double value : values) {
    if (!text.empty()) text += ' ';
    text += NumberText(value);
  }
  return text;
}

// R Rᵀ = 1 and det R = 1.
bool IsRotation(const std::array<double, 9>& R) {
  using Matrix = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
  const Eigen::Map<const Matrix> m(R.data());
  const double error =
      (m * m.transpose() - Matrix::Identity()).lpNorm<Eigen::Infinity>();
  return error <= kRotationRounding && m.determinant() > 0;
}

int LineOf(int own, int line) { return own > 0 ? own : line; }

// What an inertial is about.
Subject AboutInertial(const LinkDescription& link, LintReport& report) {
  Subject subject = About(link, report);
  subject.place.line = LineOf(link.inertial->line, link.line);
  return subject;
}

// Reports the first that is not finite.
bool CheckFinite(std::string_view what, std::span<const double> values,
                 Subject& joint) {
  const auto bad = std::ranges::find_if_not(
      values, [](double value) { return std::isfinite(value); });
  if (bad == values.end()) return true;
  joint.Add(LintCode::kInvalidNumber, " has the ", what, " ", NumberText(*bad),
            "; it must be a finite number.");
  return false;
}

void CheckAxis(std::array<double, 3>& axis, Subject& joint) {
  if (!CheckFinite("axis component", axis, joint)) return;
  double largest = 0;
  for (const double a : axis) largest = std::max(largest, std::abs(a));
  if (!(largest > 0)) {
    joint.Add(LintCode::kZeroAxis,
              " has the axis 0 0 0, which is not a direction; give it one, "
              "such as 0 0 1.");
    return;
  }
  const std::string as_given = VectorText(axis);
  // Divided by the largest component first, which neither overflows nor
  // underflows; a unit axis is left as it is, to the bit.
  const std::array<double, 3> s = {axis[0] / largest, axis[1] / largest,
                                   axis[2] / largest};
  const double scaled_norm = std::sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
  const double norm = largest * scaled_norm;
  if (norm == 1) return;
  for (int k = 0; k < 3; ++k) axis[k] = s[k] / scaled_norm;
  if (std::abs(norm - 1) <= kAxisRounding) return;
  joint.AddKind(Severity::kWarning, LintCode::kNonUnitAxis, {},
                " has the axis ", as_given, " of length ", RoundedText(norm),
                "; it is normalised, so q stays in rad or m.");
}

void CheckLimits(const JointLimits& limits, Subject& joint) {
  const struct {
    std::string_view name;
    const std::optional<double>& value;
    bool magnitude;
  } all[] = {{"lower", limits.lower, false},
             {"upper", limits.upper, false},
             {"velocity", limits.velocity, true},
             {"effort", limits.effort, true}};
  bool finite = true;
  for (const auto& [name, value, magnitude] : all) {
    if (value) finite &= CheckFinite(Cat(name, " limit"), {&*value, 1}, joint);
  }
  if (!finite) return;
  if (limits.lower && limits.upper && *limits.lower > *limits.upper) {
    joint.Add(LintCode::kInvalidLimit, " has the lower limit ",
              NumberText(*limits.lower), " above its upper limit ",
              NumberText(*limits.upper), "; no position satisfies both.");
  }
  for (const auto& [name, value, magnitude] : all) {
    if (!magnitude || !value || *value >= 0) continue;
    joint.Add(LintCode::kInvalidLimit, " has the negative ", name, " limit ",
              NumberText(*value),
              "; it bounds the absolute value, so give it 0 or more.");
  }
}

void CheckJoint(JointDescription& joint, Subject& subject) {
  CheckPose("origin", joint.origin, subject);
  if (joint.type == JointDescription::Type::kFixed) return;
  subject.place.line = LineOf(joint.axis_line, joint.line);
  CheckAxis(joint.axis, subject);
  subject.place.line = LineOf(joint.limit_line, joint.line);
  CheckLimits(joint.limits, subject);
  subject.place.line = LineOf(joint.dynamics_line, joint.line);
  const auto check_term = [&](std::string_view what, double value,
                              LintCode if_negative) {
    if (!CheckFinite(what, {&value, 1}, subject) || value >= 0) return;
    subject.Add(if_negative, " has the negative ", what, " ", NumberText(value),
                "; give it 0 or more.");
  };
  check_term("damping", joint.damping, LintCode::kNegativeFriction);
  check_term("friction", joint.friction, LintCode::kNegativeFriction);
  check_term("armature", joint.armature, LintCode::kNegativeInertia);
  if (!joint.mimic) return;
  subject.place.line = LineOf(joint.mimic->line, joint.line);
  CheckFinite("mimic multiplier or offset",
              std::array{joint.mimic->offset, joint.mimic->multiplier},
              subject);
}

// Every mimic names another movable joint, and following them ends somewhere.
void CheckMimics(std::span<JointDescription> joints, LintReport& report) {
  constexpr int kNoJoint = -1;
  std::unordered_map<std::string_view, int> index;
  for (int i = 0; const JointDescription& joint : joints) {
    index.try_emplace(joint.name, i++);
  }
  std::vector<int> leader(joints.size(), kNoJoint);
  const auto refuse = [&](JointDescription& joint, std::string_view why) {
    Subject subject = About(joint, report);
    subject.place.line = LineOf(joint.mimic->line, joint.line);
    subject.Add(LintCode::kUnknownMimicTarget, " mimics ",
                Quoted(joint.mimic->joint), why);
    joint.incomplete = true;
  };
  for (std::size_t i = 0; i < joints.size(); ++i) {
    JointDescription& joint = joints[i];
    if (!joint.mimic || joint.type == JointDescription::Type::kFixed) continue;
    const auto it = index.find(joint.mimic->joint);
    if (it == index.end()) {
      refuse(joint,
             ", but there is no joint of that name; name the one that leads.");
    } else if (it->second == static_cast<int>(i)) {
      refuse(joint, ", which is the joint itself; name the one that leads.");
    } else if (joints[it->second].type == JointDescription::Type::kFixed) {
      // An incomplete one may only be written as fixed because its real type
      // was refused.
      if (joints[it->second].incomplete) continue;
      refuse(joint, ", which is fixed; name a joint that moves.");
    } else {
      leader[i] = it->second;
    }
  }
  for (const int at : FindCycles(leader)) {
    refuse(joints[at],
           ", but following the mimics from there leads back to it; one of "
           "them must lead.");
  }
}

// Principal moments, smallest first.
Eigen::Vector3d PrincipalMoments(const std::array<double, 6>& I) {
  Eigen::Matrix3d m;
  m << I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5];
  // Scaled, so that neither huge nor tiny entries leave double precision.
  const double scale = m.cwiseAbs().maxCoeff();
  if (!(scale > 0)) return Eigen::Vector3d::Zero();
  m /= scale;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(
      m, Eigen::EigenvaluesOnly);
  return solver.eigenvalues() * scale;
}

// Whether kLenient took what kDefault refuses. `moves`, `hint`: see
// CheckMassProperties.
bool CheckMass(const LinkDescription& link, bool moves, Validation validation,
               std::string_view hint, Subject& subject) {
  const LinkInertial& inertial = *link.inertial;
  const bool strict = validation == Validation::kStrict;
  const bool lenient = validation == Validation::kLenient;
  bool let_pass = false;
  // A mass or moment.
  const auto refuse_negative = [&](LintCode code, const std::string& what,
                                   std::string_view advice) {
    const bool is_warning = lenient || (!strict && !moves);
    if (lenient && moves) let_pass = true;
    std::string_view rest = hint;
    if (is_warning) {
      rest = moves ? "; it is computed with as it is"
                   : "; the link is fixed to the base and enters no quantity";
    } else if (!moves) {
      rest = "; or use validation default, which warns of it";
    }
    subject.AddKind(is_warning ? Severity::kWarning : Severity::kError, code,
                    rest, " has ", what, "; ", advice, rest, ".");
  };
  if (inertial.mass < 0) {
    refuse_negative(LintCode::kNegativeMass,
                    Cat("the negative mass ", NumberText(inertial.mass), " kg"),
                    "give it 0 or more");
  }
  // A moment of an incomplete link may not have been read.
  if (link.incomplete) return let_pass;
  const Eigen::Vector3d moments = PrincipalMoments(inertial.inertia);
  // Divided beforehand: the sum of huge moments would overflow.
  const double largest = moments.cwiseAbs().maxCoeff();
  if (!(largest > 0)) return let_pass;
  const auto& p = inertial.origin.p;
  const double distance = std::hypot(p[0], p[1], p[2]);
  const Eigen::Vector3d scaled = moments / largest;
  const double rounding = std::max(
      kTextRounding * scaled.cwiseAbs().sum(),
      kSumRounding * std::abs(inertial.mass) * distance * distance / largest);
  if (-scaled[0] > rounding) {
    refuse_negative(LintCode::kNegativeInertia,
                    Cat("the principal moment ", RoundedText(moments[0]),
                        " kg m² about its centre of mass, but no moment of a "
                        "body is negative"),
                    "check the signs of ixy, ixz, iyz and the diagonal");
  } else if (scaled[2] - scaled[0] - scaled[1] > rounding) {
    subject.AddKind(strict ? Severity::kError : Severity::kWarning,
                    LintCode::kTriangleInequality, {},
                    " has the principal moments ", RoundedText(moments[0]),
                    ", ", RoundedText(moments[1]), ", ",
                    RoundedText(moments[2]),
                    " kg m²: no distribution of mass has one larger than the "
                    "sum of the others, so the inertia is wrong somewhere",
                    !strict        ? ", though it can still be computed with."
                    : hint.empty() ? "; correct it."
                                   : "; correct it, or use validation default, "
                                     "which warns of it.");
  }
  return let_pass;
}

}  // namespace

Subject About(const LinkDescription& link, LintReport& report) {
  return {report,
          {.link = link.name, .line = link.line},
          Cat("Link ", Quoted(link.name))};
}

Subject About(const JointDescription& joint, LintReport& report) {
  return {report,
          {.joint = joint.name, .line = joint.line},
          Cat("Joint ", Quoted(joint.name))};
}

void CheckName(std::string_view kind, std::string_view name, const Place& place,
               LintReport& report) {
  if (name.empty()) {
    report.Add(LintCode::kInvalidName, place,
               Cat("The name of a ", kind, " is empty; give it one."));
    return;
  }
  const auto refuse = [&](const auto&... why) {
    report.Add(LintCode::kInvalidName, place,
               Cat("The name ", Quoted(name), " of a ", kind, " has ", why...));
  };
  if (name.size() > kMaxNameBytes) {
    refuse(name.size(), " bytes; at most ", kMaxNameBytes, " are allowed.");
  } else if (FindInvalidUtf8(name) != std::string_view::npos) {
    refuse("bytes that are not UTF-8; take them out.");
  } else if (const auto found = FindControlCharacter(name)) {
    refuse("the character ", CodePointText(found->code_point), " at byte ",
           found->offset,
           ", which terminals and logs act on instead of showing it; take it "
           "out.");
  }
}

void CheckPose(std::string_view what, const Pose& pose, Subject& subject) {
  if (!AllFinite(pose.R) || !AllFinite(pose.p)) {
    subject.Add(LintCode::kInvalidNumber,
                " has numbers that are not finite in its ", what,
                "; all must be.");
  } else if (!IsRotation(pose.R)) {
    subject.Add(LintCode::kInvalidPose, " has the matrix ", VectorText(pose.R),
                " in its ", what,
                ", which is not a rotation; its rows must be orthogonal unit "
                "vectors that form a right-handed frame.");
  }
}

void CheckLinks(std::span<LinkDescription> links, LintReport& report) {
  for (LinkDescription& link : links) {
    const int errors_before = report.errors();
    if (!(link.incomplete && link.name.empty())) {
      CheckName("link", link.name, About(link, report).place, report);
    }
    if (link.inertial) {
      Subject subject = AboutInertial(link, report);
      const auto& [origin, mass, inertia, line] = *link.inertial;
      CheckPose("inertial frame", origin, subject);
      if (!std::isfinite(mass)) {
        subject.Add(LintCode::kInvalidNumber, " has the mass ",
                    NumberText(mass), "; it must be a finite number of kg.");
      }
      if (!AllFinite(inertia)) {
        subject.Add(LintCode::kInvalidNumber, " has the inertia ",
                    VectorText(inertia), "; all entries must be finite.");
      }
    }
    if (report.errors() != errors_before) link.incomplete = true;
  }
}

void CheckJoints(std::span<JointDescription> joints, LintReport& report) {
  for (JointDescription& joint : joints) {
    const int errors_before = report.errors();
    Subject subject = About(joint, report);
    if (!(joint.incomplete && joint.name.empty())) {
      CheckName("joint", joint.name, subject.place, report);
    }
    CheckJoint(joint, subject);
    if (report.errors() != errors_before) joint.incomplete = true;
  }
  CheckMimics(joints, report);
}

bool CheckMassProperties(std::span<LinkDescription> links,
                         std::span<const char> moves, Validation validation,
                         std::string_view hint, LintReport& report) {
  bool let_pass = false;
  for (std::size_t i = 0; i < links.size(); ++i) {
    LinkDescription& link = links[i];
    if (!link.inertial || !std::isfinite(link.inertial->mass) ||
        !AllFinite(link.inertial->inertia)) {
      continue;
    }
    const int errors_before = report.errors();
    Subject subject = AboutInertial(link, report);
    let_pass |= CheckMass(link, moves[i] != 0, validation, hint, subject);
    if (report.errors() != errors_before) link.incomplete = true;
  }
  return let_pass;
}

}  // namespace torqued
