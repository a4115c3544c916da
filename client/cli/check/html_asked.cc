#include "client/cli/check/html_asked.h"

#include <cctype>

#include "client/cli/check/html_page.h"

namespace torqued::cli {
std::string AskedFacts(const std::vector<AskedItem>& items) {
  std::string text;
  bool own_limits = false;
  for (const AskedItem& item : items) {
    own_limits = own_limits || item.kind == AskedKind::kLimits;
    if (item.is_default && item.kind != AskedKind::kEssential) continue;
    std::string name = item.what;
    name.front() = static_cast<char>(
        std::toupper(static_cast<unsigned char>(name.front())));
    text += HtmlFact(name, item.words);
  }
  if (!own_limits) text += HtmlFact("Limits", "those of the model");
  return text;
}

}  // namespace torqued::cli
