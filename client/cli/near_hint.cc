#include "client/cli/near_hint.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "client/cli/terminal/plain_text.h"
#include "server/flags/near_names.h"

namespace torqued::cli {

std::string NearHint(std::string_view name, std::span<const std::string> there,
                     const std::set<std::string>& right) {
  std::vector<std::string> others;
  std::copy_if(
      there.begin(), there.end(), std::back_inserter(others),
      [&right](const std::string& other) { return !right.contains(other); });
  const std::vector<std::string> near = flags::NearNames(name, others);
  if (near.empty()) return {};
  return "; did you mean " + PlainText(near.front(), 128) + "?";
}

}  // namespace torqued::cli
