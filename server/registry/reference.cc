#include "server/registry/reference.h"

#include <algorithm>

#include "core/model/text.h"

namespace torqued::server {
namespace {

constexpr std::size_t kMaxNameSize = 128;
constexpr std::size_t kMinPrefixSize = 8;
constexpr std::size_t kRevisionSize = 64;
// Version of the layout of a page token.
constexpr char kTokenVersion = '1';
constexpr std::string_view kHex = "0123456789abcdef";

// Plain ASCII whatever the locale.
bool IsNameCharacter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

bool IsHexDigit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ||
         (c >= 'A' && c <= 'F');
}

bool IsHex(std::string_view text) {
  return std::all_of(text.begin(), text.end(), IsHexDigit);
}

bool LooksLikePrefix(std::string_view text) {
  return text.size() >= kMinPrefixSize && IsHex(text);
}

std::string LowerCase(std::string_view hex) {
  std::string lower(hex);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

}  // namespace

bool IsValidModelName(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNameSize &&
         std::all_of(name.begin(), name.end(), IsNameCharacter);
}

bool IsNewModelName(std::string_view name) {
  return IsValidModelName(name) && name != "." && name != "..";
}

bool IsValidLabel(std::string_view label) {
  return IsValidModelName(label) && !LooksLikePrefix(label);
}

std::variant<ModelReference, std::string> ParseModelReference(
    std::string_view text) {
  using Kind = ModelReference::Kind;
  if (text.empty()) {
    return "a model reference is empty; it is name, name@revision-prefix, "
           "name@label or @revision-prefix";
  }
  const std::size_t at = text.find('@');
  const std::string_view name = text.substr(0, at);
  if (at != 0 && !IsValidModelName(name)) {
    return "model reference " + Quoted(text) +
           ": a name is 1 to 128 of A-Z a-z 0-9 . _ -";
  }
  if (at == std::string_view::npos) {
    return ModelReference{Kind::kCurrent, std::string(name), "", ""};
  }
  const std::string_view suffix = text.substr(at + 1);
  if (LooksLikePrefix(suffix)) {
    if (suffix.size() > kRevisionSize) {
      return "model reference " + Quoted(text) +
             ": a revision has 64 hex digits, this has " +
             std::to_string(suffix.size());
    }
    return ModelReference{name.empty() ? Kind::kPrefix : Kind::kNamePrefix,
                          std::string(name), LowerCase(suffix), ""};
  }
  if (name.empty()) {
    return "model reference " + Quoted(text) +
           ": after a bare @ come 8 to 64 hex digits of a revision";
  }
  if (!IsValidLabel(suffix)) {
    return "model reference " + Quoted(text) +
           ": after @ comes a label (1 to 128 of A-Z a-z 0-9 . _ -) or 8 to 64 "
           "hex digits of a revision";
  }
  return ModelReference{Kind::kNameLabel, std::string(name), "",
                        std::string(suffix)};
}

std::string EncodePageToken(std::string_view last_name) {
  std::string token(1, kTokenVersion);
  for (const char c : last_name) {
    const auto byte = static_cast<unsigned char>(c);
    token += kHex[byte >> 4];
    token += kHex[byte & 15];
  }
  return token;
}

std::optional<std::string> DecodePageToken(std::string_view token) {
  if (token.size() % 2 != 1 || token.front() != kTokenVersion)
    return std::nullopt;
  std::string name;
  for (std::size_t i = 1; i < token.size(); i += 2) {
    const std::size_t high = kHex.find(token[i]);
    const std::size_t low = kHex.find(token[i + 1]);
    if (high == kHex.npos || low == kHex.npos) return std::nullopt;
    name += static_cast<char>(high << 4 | low);
  }
  if (!IsValidModelName(name)) return std::nullopt;
  return name;
}

}  // namespace torqued::server
