#include "server/registry/reference.h"

#include "core/base/text.h"
#include "server/registry/registry_error.h"

namespace torqued::server {
namespace {

constexpr std::string_view kNameCharacters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
constexpr std::string_view kHexDigits = "0123456789abcdefABCDEF";

bool LooksLikePrefix(std::string_view text) {
  return text.size() >= 8 && text.find_first_not_of(kHexDigits) == text.npos;
}

}  // namespace

bool IsValidModelName(std::string_view name) {
  return !name.empty() && name.size() <= 128 &&
         name.find_first_not_of(kNameCharacters) == name.npos;
}

bool IsValidLabel(std::string_view label) {
  return IsValidModelName(label) && !LooksLikePrefix(label);
}

ModelReference ParseModelReference(std::string_view text) {
  const auto require = [text](bool good, std::string_view why) {
    Require(good, RegistryError::Code::kInvalidReference,
            Cat("model reference ", Quoted(text), ": ", why), "model");
  };
  require(!text.empty(),
          "it is name, name@revision-prefix, name@label or @revision-prefix");
  const std::size_t at = text.find('@');
  ModelReference reference{.name = std::string(text.substr(0, at))};
  require(at == 0 || IsValidModelName(reference.name),
          "a name is 1 to 128 of A-Z a-z 0-9 . _ -");
  if (at == text.npos) return reference;
  const std::string_view suffix = text.substr(at + 1);
  if (LooksLikePrefix(suffix)) {
    require(suffix.size() <= 64, "a revision has 64 hex digits, this has " +
                                     std::to_string(suffix.size()));
    for (const char digit : suffix) {
      reference.prefix += static_cast<char>(digit | 0x20);  // lower case
    }
    return reference;
  }
  require(at != 0, "after a bare @ come 8 to 64 hex digits of a revision");
  require(IsValidLabel(suffix),
          "after @ comes a label (1 to 128 of A-Z a-z 0-9 . _ -) or 8 to 64 "
          "hex digits of a revision");
  reference.label = suffix;
  return reference;
}

}  // namespace torqued::server
