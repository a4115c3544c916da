#include "client/cli/formats/container.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

#include "client/cli/formats/npy_header.h"
#include "client/cli/formats/zip_archive.h"

namespace torqued::cli {
namespace {

/// No CSV has a line that begins so.
bool HasLineOfMessage(std::string_view content) {
  constexpr std::string_view kField = "joint_names:";
  for (std::size_t at = content.find(kField); at != std::string_view::npos;
       at = content.find(kField, at + 1)) {
    const std::size_t before = content.substr(0, at).find_last_not_of(' ');
    if (before == std::string_view::npos || content[before] == '\n') {
      return true;
    }
  }
  return false;
}

}  // namespace

std::optional<Container> ContainerOfName(const std::filesystem::path& path) {
  static const std::array<std::pair<std::string_view, Container>, 6> kEndings{
      {{".csv", Container::kCsv},
       {".npy", Container::kNpy},
       {".npz", Container::kNpz},
       {".yaml", Container::kYaml},
       {".yml", Container::kYaml},
       {".json", Container::kJson}}};
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  for (const auto& [known, container] : kEndings) {
    if (ending == known) return container;
  }
  return std::nullopt;
}

Container ContainerOfContent(std::string_view content,
                             const std::filesystem::path& path) {
  if (LooksLikeNpy(content)) return Container::kNpy;
  if (LooksLikeZip(content)) return Container::kNpz;
  const auto named = ContainerOfName(path);
  if (named == Container::kYaml || named == Container::kJson) return *named;
  const std::size_t begin = content.find_first_not_of(" \t\r\n");
  if (begin != std::string_view::npos && content[begin] == '{') {
    return Container::kJson;
  }
  return HasLineOfMessage(content) ? Container::kYaml : Container::kCsv;
}

}  // namespace torqued::cli
