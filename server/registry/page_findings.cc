#include "server/registry/page_findings.h"

namespace torqued::server {

std::vector<std::string> PageFindings(std::string_view row) {
  std::vector<std::string> findings;
  if (row == "ok") return findings;
  std::string_view rest = row;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    // "*** in database main ***" is above the findings and none.
    if (!line.empty() && !line.starts_with("***")) findings.emplace_back(line);
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  if (findings.empty()) findings.emplace_back(row);
  return findings;
}

}  // namespace torqued::server
