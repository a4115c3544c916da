#include <array>

#include "client/cli/check/verdict_report.h"
#include "client/cli/enum_text.h"
#include "client/cli/formats/xml_text.h"

namespace torqued::cli {
namespace {

constexpr std::array<v1::LimitKind, 3> kKinds = {
    v1::LIMIT_KIND_TORQUE, v1::LIMIT_KIND_VELOCITY, v1::LIMIT_KIND_POSITION};
constexpr std::array<v1::RemarkKind, 2> kRemarkKinds = {
    v1::REMARK_KIND_VELOCITY, v1::REMARK_KIND_ACCELERATION};

std::uint64_t CountOf(const v1::JointDemand& joint, v1::LimitKind kind) {
  if (kind == v1::LIMIT_KIND_TORQUE) return joint.torque_violations();
  return kind == v1::LIMIT_KIND_VELOCITY ? joint.velocity_violations()
                                         : joint.position_violations();
}

bool IsLimited(const v1::JointDemand& joint, v1::LimitKind kind) {
  if (kind == v1::LIMIT_KIND_TORQUE) return joint.has_torque_use();
  return kind == v1::LIMIT_KIND_VELOCITY
             ? joint.has_velocity_limit()
             : joint.has_lower_limit() || joint.has_upper_limit();
}

/// A case of a joint; lines stay lines.
std::string CaseXml(const std::string& joint, std::string_view name,
                    const std::string& content) {
  const std::string head = "    <testcase classname=\"" + EscapedXml(joint) +
                           "\" name=\"" + std::string(name) + "\"";
  if (content.empty()) return head + "/>\n";
  return head + ">\n      " + content + "\n    </testcase>\n";
}

std::string FailureXml(const std::string& message, const std::string& text) {
  return "<failure message=\"" + EscapedXml(message) + "\">" + LinesXml(text) +
         "</failure>";
}

/// Remarks of a kind on a joint that has so many; the verdict lists the gravest
/// of all joints only.
std::string RemarksText(const v1::TrajectoryVerdict& verdict,
                        const std::string& joint, v1::RemarkKind kind,
                        std::uint64_t count) {
  std::string text;
  for (const v1::Remark& remark : verdict.remarks()) {
    if (remark.kind() != kind || remark.joint() != joint) continue;
    text += remark.message() + "\n";
    --count;
  }
  if (count > 0) text += "and " + std::to_string(count) + " more\n";
  return text;
}

}  // namespace

std::string VerdictJunit(const CheckedTrajectory& checked) {
  const v1::TrajectoryVerdict& verdict = checked.check.verdict;
  int tests = 0, failures = 0;
  std::string cases;
  for (const v1::JointDemand& joint : verdict.joints()) {
    for (const v1::LimitKind kind : kKinds) {
      if (!IsLimited(joint, kind)) continue;
      ++tests;
      const std::uint64_t count = CountOf(joint, kind);
      std::uint64_t listed = 0;
      std::string text, first;
      for (const v1::LimitViolation& violation : verdict.violations()) {
        if (violation.kind() != kind || violation.joint() != joint.joint()) {
          continue;
        }
        if (first.empty()) first = violation.message();
        text += violation.message() + "\n";
        ++listed;
      }
      // The verdict lists the gravest of all joints only.
      if (listed < count) {
        const std::string more = std::to_string(count - listed);
        if (first.empty()) {
          first = joint.message();
          text = first + "\n" + std::to_string(count) + " violations\n";
        } else {
          text += "and " + more + " more\n";
        }
      }
      failures += count > 0 ? 1 : 0;
      cases += CaseXml(joint.joint(), EnumText(kind),
                       count > 0 ? FailureXml(first, text) : "");
    }
    for (const v1::RemarkKind kind : kRemarkKinds) {
      const std::uint64_t count = kind == v1::REMARK_KIND_VELOCITY
                                      ? joint.velocity_remarks()
                                      : joint.acceleration_remarks();
      const bool fails = count > 0 && verdict.asked().consistent();
      if (count == 0 && !verdict.asked().consistent()) continue;
      ++tests;
      failures += fails ? 1 : 0;
      const std::string text = RemarksText(verdict, joint.joint(), kind, count);
      std::string content;
      if (fails) {
        content = FailureXml(text.substr(0, text.find('\n')), text);
      } else if (count > 0) {
        content = "<system-out>" + LinesXml(text) + "</system-out>";
      }
      cases += CaseXml(joint.joint(),
                       kind == v1::REMARK_KIND_VELOCITY
                           ? "velocity against positions"
                           : "acceleration against velocities",
                       content);
    }
  }
  const std::string counts = "tests=\"" + std::to_string(tests) +
                             "\" failures=\"" + std::to_string(failures) + "\"";
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites " + counts +
         ">\n  <testsuite name=\"" + EscapedXml(checked.file) + "\" " + counts +
         ">\n" + cases + "  </testsuite>\n</testsuites>\n";
}

}  // namespace torqued::cli
