#include <array>
#include <sstream>

#include "client/cli/check/verdict_report.h"
#include "client/cli/check/verdict_text.h"
#include "client/cli/formats/xml_text.h"

namespace torqued::cli {
namespace {

constexpr std::array<v1::LimitKind, 3> kKinds = {
    v1::LIMIT_KIND_TORQUE, v1::LIMIT_KIND_VELOCITY, v1::LIMIT_KIND_POSITION};

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
        if (first.empty()) first = ViolationText(violation);
        text += ViolationText(violation) + "\n";
        ++listed;
      }
      // The verdict lists the gravest of all joints only.
      if (listed < count) {
        const std::string more = std::to_string(count - listed);
        if (first.empty()) {
          first = UnlistedText(joint, kind);
          text = first + "\n" + std::to_string(count) + " violations\n";
        } else {
          text += "and " + more + " more\n";
        }
      }
      cases += "    <testcase classname=\"" + EscapedXml(joint.joint()) +
               "\" name=\"" + NameOf(kind) + "\"";
      if (count == 0) {
        cases += "/>\n";
        continue;
      }
      ++failures;
      cases += ">\n      <failure message=\"" + EscapedXml(first) + "\">";
      // Lines stay lines.
      std::istringstream lines(text);
      for (std::string line; std::getline(lines, line);) {
        cases += EscapedXml(line) + "\n";
      }
      cases += "</failure>\n    </testcase>\n";
    }
  }
  const std::string counts = "tests=\"" + std::to_string(tests) +
                             "\" failures=\"" + std::to_string(failures) + "\"";
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites " + counts +
         ">\n  <testsuite name=\"" + EscapedXml(checked.file) + "\" " + counts +
         ">\n" + cases + "  </testsuite>\n</testsuites>\n";
}

}  // namespace torqued::cli
