#include "client/cli/lint_output.h"

#include <algorithm>
#include <ostream>

#include "client/cli/enum_text.h"
#include "client/cli/terminal/plain_text.h"

namespace torqued::cli {

std::string MorePlacesText(const v1::Finding& finding) {
  std::string text;
  for (const v1::FindingPlace& place : finding.more_places()) {
    text += text.empty() ? "" : ", ";
    if (!place.joint().empty()) text += "joint " + place.joint();
    if (!place.link().empty()) text += "link " + place.link();
    if (place.line() > 0) text += ":" + std::to_string(place.line());
  }
  return text;
}

void PrintReport(const v1::LintReport& report, const std::string& source_name,
                 std::ostream& out) {
  std::uint32_t listed = 0;
  for (const v1::Finding& finding : report.findings()) {
    out << PlainText(source_name);
    if (finding.line() > 0) out << ":" << finding.line();
    out << ": " << EnumText(finding.severity()) << ": " << finding.code()
        << ": " << PlainText(finding.message());
    if (finding.count() > 1) {
      out << " [" << finding.count() << " in all; also "
          << PlainText(MorePlacesText(finding)) << "]";
    }
    out << "\n";
    listed += std::max<std::uint32_t>(finding.count(), 1);
  }
  const std::uint32_t all =
      report.errors() + report.warnings() + report.infos();
  if (all > listed) out << "... and " << all - listed << " more findings\n";
  const auto counted = [](std::uint32_t count, const char* noun) {
    return std::to_string(count) + noun + (count == 1 ? "" : "s");
  };
  out << counted(report.errors(), " error") << ", "
      << counted(report.warnings(), " warning") << ", "
      << counted(report.infos(), " info") << "\n";
}

}  // namespace torqued::cli
