// Verdicts as JUnit's XML.
#include "client/cli/check/reports.h"
#include "client/cli/check/results.h"
#include "client/cli/terminal/plain_text.h"

namespace torqued::cli {
namespace {

/// `content` is empty, or one element.
std::string CaseXml(const std::string& of, const std::string& name,
                    const std::string& content) {
  const std::string head = "    <testcase classname=\"" + EscapedXml(of) +
                           "\" name=\"" + EscapedXml(name) + "\"";
  if (content.empty()) return head + "/>\n";
  return head + ">\n      " + content + "\n    </testcase>\n";
}

std::string SuiteXml(const std::string& name, const std::string& counts,
                     const std::string& cases) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + counts +
         ">\n  <testsuite name=\"" + EscapedXml(name) + "\"" + counts + ">\n" +
         cases + "  </testsuite>\n</testsuites>\n";
}

std::string Count(const char* what, std::uint64_t count) {
  return std::string(" ") + what + "=\"" + std::to_string(count) + "\"";
}

/// The messages that are listed for the joint and the kind. The verdict lists
/// the gravest of all joints only; the joint has `count`.
std::string Lines(const auto& listed, const v1::JointDemand& joint, int kind,
                  std::uint64_t count) {
  std::string text;
  std::uint64_t left = count;
  for (const auto& one : listed) {
    if (one.kind() != kind || one.joint() != joint.joint()) continue;
    text += one.message() + "\n";
    --left;
  }
  if (text.empty()) text = joint.message() + "\n";
  if (left > 0) text += std::to_string(left) + " more are not listed\n";
  return text;
}

}  // namespace

std::string VerdictJunit(const CheckedTrajectory& checked) {
  const v1::TrajectoryVerdict& verdict = checked.check.verdict;
  std::uint64_t tests = 0, failures = 0;
  std::string cases;
  for (const v1::JointDemand& joint : verdict.joints()) {
    const auto add = [&](const char* name, bool fails,
                         const std::string& text) {
      ++tests;
      failures += fails ? 1 : 0;
      std::string content;
      if (fails) {
        content = "<failure message=\"" +
                  EscapedXml(text.substr(0, text.find('\n'))) + "\">" +
                  EscapedXml(text) + "</failure>";
      } else if (!text.empty()) {
        content = "<system-out>" + EscapedXml(text) + "</system-out>";
      }
      cases += CaseXml(joint.joint(), name, content);
    };
    const auto add_limit = [&](const char* name, bool limited,
                               v1::LimitKind kind, std::uint64_t count) {
      if (!limited) return;
      add(name, count > 0,
          count > 0 ? Lines(verdict.violations(), joint, kind, count) : "");
    };
    const auto add_remarks = [&](const char* name, v1::RemarkKind kind,
                                 std::uint64_t count) {
      const bool judged = verdict.asked().consistent();
      if (count == 0 && !judged) return;
      add(name, count > 0 && judged,
          count > 0 ? Lines(verdict.remarks(), joint, kind, count) : "");
    };
    add_limit("torque", joint.has_torque_use(), v1::LIMIT_KIND_TORQUE,
              joint.torque_violations());
    add_limit("velocity", joint.has_velocity_limit(), v1::LIMIT_KIND_VELOCITY,
              joint.velocity_violations());
    add_limit("position", joint.has_lower_limit() || joint.has_upper_limit(),
              v1::LIMIT_KIND_POSITION, joint.position_violations());
    add_remarks("velocity against positions", v1::REMARK_KIND_VELOCITY,
                joint.velocity_remarks());
    add_remarks("acceleration against velocities", v1::REMARK_KIND_ACCELERATION,
                joint.acceleration_remarks());
  }
  return SuiteXml(checked.file,
                  Count("tests", tests) + Count("failures", failures), cases);
}

std::string DirectoryJunit(const Json& check) {
  std::string cases;
  for (const Json& result : check["results"]) {
    const bool remarked = result.value("remarks", std::uint64_t{0}) > 0;
    const std::string sentence = EscapedXml(SentenceOf(result));
    std::string content;
    if (!Passes(result)) {
      content =
          (HasVerdict(result) ? "<failure message=\"" : "<error message=\"") +
          sentence + "\"/>";
    } else if (remarked) {
      content = "<system-out>" + sentence + "</system-out>";
    }
    cases += CaseXml("trajectory", result["file"].get<std::string>(), content);
  }
  return SuiteXml(check["directory"].get<std::string>(),
                  Count("tests", check["files"]) +
                      Count("failures", check["failed"]) +
                      Count("errors", check["errors"]),
                  cases);
}

}  // namespace torqued::cli
