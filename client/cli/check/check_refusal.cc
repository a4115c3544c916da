#include "client/cli/check/check_refusal.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "client/cli/terminal/plain_text.h"

namespace torqued::cli {
namespace {

using Details = client::Error::Details;

std::optional<std::int64_t> RowOf(const Details& details) {
  const auto row = details.metadata.find("row");
  if (row == details.metadata.end()) return std::nullopt;
  const std::string& text = row->second;
  std::int64_t number = 0;
  const auto [end, problem] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size() || number < 0)
    return std::nullopt;
  return number;
}

}  // namespace

void ThrowOfFile(const client::Error& error, const StateTable& table,
                 const std::filesystem::path& limits) {
  const Details& details = error.details();
  if (details.field_violations.empty()) return;
  const auto& [field, description] = details.field_violations.front();
  const std::string sentence = PlainText(description);

  if (details.reason == v1::Reason_Name(v1::INVALID_SAMPLE)) {
    const auto row = RowOf(details);
    if (!row) return;
    // "q[4][2]": the row stands in the place, the joint in the sentence.
    const std::string array = PlainText(field.substr(0, field.find('[')));
    throw DataError(table.Place(*row),
                    (array == "samples" ? "" : array + ": ") + sentence);
  }
  const bool of_limits = field.starts_with("start.drives[") ||
                         field.starts_with("start.position_limits[");
  const auto joint = details.metadata.find("joint");
  if (of_limits && !limits.empty() && joint != details.metadata.end()) {
    throw LimitsError(limits.string(),
                      "joint '" + PlainText(joint->second, 128) +
                          "': " + PlainText(field.substr(field.find('.') + 1)) +
                          ": " + sentence);
  }
}

}  // namespace torqued::cli
