#include "server/registry/reference.h"

#include "core/model/text.h"

namespace torqued::server {
namespace {

constexpr std::size_t kMaxNameSize = 128;
constexpr std::size_t kMinPrefixSize = 8;
constexpr std::string_view kNameCharacters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
constexpr std::string_view kHexDigits = "0123456789abcdefABCDEF";
// Before the name in a page token. Version 1 had the name in hex digits.
constexpr char kTokenVersion = '2';

bool LooksLikePrefix(std::string_view text) {
  return text.size() >= kMinPrefixSize &&
         text.find_first_not_of(kHexDigits) == text.npos;
}

}  // namespace

bool IsValidModelName(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNameSize &&
         name.find_first_not_of(kNameCharacters) == name.npos;
}

bool IsNewModelName(std::string_view name) {
  return IsValidModelName(name) && name != "." && name != "..";
}

bool IsValidLabel(std::string_view label) {
  return IsValidModelName(label) && !LooksLikePrefix(label);
}

std::variant<ModelReference, std::string> ParseModelReference(
    std::string_view text) {
  if (text.empty()) {
    return "a model reference is empty; it is name, name@revision-prefix, "
           "name@label or @revision-prefix";
  }
  const auto wrong = [text](const std::string& why) {
    return "model reference " + Quoted(text) + ": " + why;
  };
  const std::size_t at = text.find('@');
  ModelReference reference{.name = std::string(text.substr(0, at))};
  if (at != 0 && !IsValidModelName(reference.name)) {
    return wrong("a name is 1 to 128 of A-Z a-z 0-9 . _ -");
  }
  if (at == text.npos) return reference;
  const std::string_view suffix = text.substr(at + 1);
  if (LooksLikePrefix(suffix)) {
    if (suffix.size() > kRevisionSize) {
      return wrong("a revision has 64 hex digits, this has " +
                   std::to_string(suffix.size()));
    }
    for (const char digit : suffix) {
      reference.prefix += static_cast<char>(digit | 0x20);  // lower case
    }
    return reference;
  }
  if (at == 0) {
    return wrong("after a bare @ come 8 to 64 hex digits of a revision");
  }
  if (!IsValidLabel(suffix)) {
    return wrong(
        "after @ comes a label (1 to 128 of A-Z a-z 0-9 . _ -) or 8 to 64 hex "
        "digits of a revision");
  }
  reference.label = suffix;
  return reference;
}

std::string EncodePageToken(std::string_view last_name) {
  return kTokenVersion + std::string(last_name);
}

std::optional<std::string> DecodePageToken(std::string_view token) {
  if (!token.starts_with(kTokenVersion)) return std::nullopt;
  token.remove_prefix(1);
  if (!IsValidModelName(token)) return std::nullopt;
  return std::string(token);
}

}  // namespace torqued::server
