#include "client/cli/check/html_asked.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "client/cli/check/html_page.h"

namespace torqued::cli {
namespace {

/// Whoever reads a verdict wants to know these, whatever they are.
constexpr std::array<std::string_view, 4> kEssential = {
    "gravity", "payload", "friction", "velocities and accelerations"};

}  // namespace

std::string AskedFacts(const std::vector<AskedItem>& items) {
  std::string text;
  bool own_limits = false;
  for (const AskedItem& item : items) {
    own_limits = own_limits || item.what.starts_with("limits of ");
    const bool essential = std::find(kEssential.begin(), kEssential.end(),
                                     item.what) != kEssential.end();
    if (item.is_default && !essential) continue;
    std::string name = item.what;
    name.front() = static_cast<char>(
        std::toupper(static_cast<unsigned char>(name.front())));
    text += HtmlFact(name, item.words);
  }
  if (!own_limits) text += HtmlFact("Limits", "those of the model");
  return text;
}

}  // namespace torqued::cli
