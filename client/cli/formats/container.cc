#include "client/cli/formats/container.h"

#include <algorithm>
#include <cctype>

namespace torqued::cli {

std::optional<Container> ContainerOfName(const std::filesystem::path& path) {
  static const std::map<std::string_view, Container> kEndings = {
      {".csv", Container::kCsv},  {".npy", Container::kNpy},
      {".npz", Container::kNpz},  {".yaml", Container::kYaml},
      {".yml", Container::kYaml}, {".json", Container::kJson}};
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), ::tolower);
  const auto known = kEndings.find(ending);
  if (known == kEndings.end()) return std::nullopt;
  return known->second;
}

Container ContainerOfContent(std::string_view content,
                             const std::filesystem::path& path) {
  if (LooksLikeNpy(content)) return Container::kNpy;
  if (content.starts_with("PK\x03\x04") || content.starts_with("PK\x05\x06")) {
    return Container::kNpz;
  }
  const auto named = ContainerOfName(path);
  if (named == Container::kYaml || named == Container::kJson) return *named;
  const std::size_t begin = content.find_first_not_of(" \t\r\n");
  if (begin != std::string_view::npos && content[begin] == '{') {
    return Container::kJson;
  }
  // No CSV has a line that begins so.
  constexpr std::string_view kField = "joint_names:";
  for (std::size_t at = content.find(kField); at != std::string_view::npos;
       at = content.find(kField, at + 1)) {
    const std::size_t before = content.substr(0, at).find_last_not_of(' ');
    if (before == std::string_view::npos || content[before] == '\n') {
      return Container::kYaml;
    }
  }
  return Container::kCsv;
}

CsvTable ParseTable(std::string_view content, const std::string& name) {
  if (!LooksLikeNpy(content)) return ParseCsv(content, name);
  CsvTable table;
  table.numbers = ParseNpy(content, name);
  RequireData(table.numbers.cols() > 0, name, "the array has no columns");
  return table;
}

}  // namespace torqued::cli
