// Any bytes as a model reference, a name or a label.
#include <algorithm>
#include <string>
#include <string_view>
#include <variant>

#include "core/base/text.h"
#include "server/registry/reference.h"
#include "server/registry/registry_error.h"
#include "tests/fuzz/require.h"

namespace {

using namespace torqued;          // NOLINT(google-build-using-namespace)
using namespace torqued::server;  // NOLINT(google-build-using-namespace)

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

void CheckReference(std::string_view text) {
  const auto parsed = Answer([&] { return ParseModelReference(text); });
  if (const auto* error = std::get_if<RegistryError>(&parsed)) {
    const std::string& problem = error->message;
    FUZZ_REQUIRE(!problem.empty() && problem.size() < 300, problem);
    FUZZ_REQUIRE(FindInvalidUtf8(problem) == std::string_view::npos, problem);
    FUZZ_REQUIRE(!IsValidModelName(text), text);
    return;
  }
  // Its parts make the text again, but for the case of hex digits.
  const auto& reference = std::get<ModelReference>(parsed);
  const bool has_prefix = !reference.prefix.empty();
  FUZZ_REQUIRE(!has_prefix || reference.label.empty(), text);
  FUZZ_REQUIRE(has_prefix || !reference.name.empty(), text);
  FUZZ_REQUIRE(reference.name.empty() || IsValidModelName(reference.name),
               text);
  FUZZ_REQUIRE(reference.label.empty() || IsValidLabel(reference.label), text);
  std::string again = reference.name;
  if (has_prefix || !reference.label.empty()) {
    again += "@" + reference.prefix + reference.label;
  }
  const std::size_t suffix = reference.name.size();
  FUZZ_REQUIRE(again.substr(0, suffix) == text.substr(0, suffix), text);
  FUZZ_REQUIRE(has_prefix
                   ? again.substr(suffix) == LowerCase(text.substr(suffix))
                   : again == text,
               text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view text = fuzz::Text(data, size);
  CheckReference(text);
  FUZZ_REQUIRE(!IsValidLabel(text) || IsValidModelName(text), text);
  return 0;
}
