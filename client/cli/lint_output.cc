#include "client/cli/lint_output.h"

#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <ostream>
#include <vector>

#include "client/cli/enum_text.h"
#include "client/cli/formats/number_text.h"
#include "client/cli/terminal/plain_text.h"
#include "client/cli/terminal/table.h"

namespace torqued::cli {
namespace {

std::string Counted(std::uint32_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string LimitText(bool has, double value) {
  return has ? ReadableText(value) : "-";
}

std::string PlaceText(const v1::FindingPlace& place) {
  std::string text;
  if (!place.joint().empty()) text += "joint " + place.joint();
  if (!place.link().empty()) {
    text += (text.empty() ? "link " : " link ") + place.link();
  }
  if (place.line() > 0) text += ":" + std::to_string(place.line());
  return text;
}

}  // namespace

std::uint32_t CountOf(const v1::Finding& finding) {
  return std::max<std::uint32_t>(finding.count(), 1);
}

std::string MorePlacesText(const v1::Finding& finding) {
  std::string text;
  for (const v1::FindingPlace& place : finding.more_places()) {
    if (!text.empty()) text += ", ";
    text += PlaceText(place);
  }
  const auto listed =
      static_cast<std::uint32_t>(finding.more_places_size()) + 1;
  if (CountOf(finding) > listed) text += text.empty() ? "..." : ", ...";
  return text;
}

std::string ValidationText(v1::Validation validation) {
  switch (validation) {
    case v1::VALIDATION_STRICT:
      return "strict";
    case v1::VALIDATION_LENIENT:
      return "lenient";
    default:
      return "default";
  }
}

void PrintReport(const v1::LintReport& report, const std::string& source_name,
                 std::ostream& out) {
  std::uint32_t listed = 0;
  for (const v1::Finding& finding : report.findings()) {
    out << PlainText(source_name);
    if (finding.line() > 0) out << ":" << finding.line();
    out << ": " << EnumText(finding.severity()) << ": " << finding.code()
        << ": " << PlainText(finding.message());
    if (CountOf(finding) > 1) {
      out << " [" << CountOf(finding) << " in all; also "
          << PlainText(MorePlacesText(finding)) << "]";
    }
    out << "\n";
    listed += CountOf(finding);
  }
  const std::uint32_t all =
      report.errors() + report.warnings() + report.infos();
  if (all > listed) out << "... and " << all - listed << " more findings\n";
  out << Counted(report.errors(), "error") << ", "
      << Counted(report.warnings(), "warning") << ", "
      << Counted(report.infos(), "info") << "\n";
}

void PrintModel(const v1::ModelInfo& model, std::ostream& out) {
  const v1::RegistrationOptions& options = model.options();
  if (!model.name().empty()) out << "name       " << model.name() << "\n";
  out << "revision   " << model.revision() << "\n";
  if (model.state() == v1::MODEL_STATE_BROKEN) {
    out << "BROKEN     " << model.problem() << "\n";
    return;
  }
  out << "robot      " << model.robot_name() << "\n";
  for (const std::string& label : model.labels()) {
    out << "label      " << label << "\n";
  }
  out << "tip        " << (model.tip_frame().empty() ? "-" : model.tip_frame())
      << "\n";
  out << "format     "
      << (model.format() == v1::MODEL_FORMAT_URDF ? "urdf" : "unknown") << "\n"
      << "validation " << ValidationText(options.validation()) << "\n";
  out << "mass       " << ReadableText(model.moving_mass()) << " kg moved\n";
  out << "gravity   ";
  for (const double g : model.gravity()) out << " " << ReadableText(g);
  out << "\n";
  if (model.has_registered_at()) {
    out << "since      "
        << google::protobuf::util::TimeUtil::ToString(model.registered_at())
        << "\n";
  }

  Table joints({{"joint", Align::kLeft},
                {"type", Align::kLeft},
                {"child link", Align::kLeft},
                {"lower", Align::kRight},
                {"upper", Align::kRight},
                {"velocity", Align::kRight},
                {"effort", Align::kRight},
                {"damping", Align::kRight},
                {"friction", Align::kRight},
                {"armature", Align::kRight}});
  for (const v1::JointInfo& joint : model.joints()) {
    joints.Add({joint.name(), EnumText(joint.type()), joint.child_link(),
                LimitText(joint.has_lower(), joint.lower()),
                LimitText(joint.has_upper(), joint.upper()),
                LimitText(joint.has_velocity(), joint.velocity()),
                LimitText(joint.has_effort(), joint.effort()),
                ReadableText(joint.damping()), ReadableText(joint.friction()),
                ReadableText(joint.armature())});
  }
  out << "\n";
  joints.Print(out);
  out << "\nframes    ";
  for (const std::string& frame : model.frames()) out << " " << frame;
  out << "\n";
}

}  // namespace torqued::cli
