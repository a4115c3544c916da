#include "server/registry/page_token.h"

#include "server/registry/reference.h"

namespace torqued::server {
namespace {

// Version of the token's layout.
constexpr char kVersion = '1';
constexpr std::string_view kHex = "0123456789abcdef";

}  // namespace

std::string EncodePageToken(std::string_view last_name) {
  std::string token(1, kVersion);
  for (const char c : last_name) {
    const auto byte = static_cast<unsigned char>(c);
    token += kHex[byte >> 4];
    token += kHex[byte & 15];
  }
  return token;
}

std::optional<std::string> DecodePageToken(std::string_view token) {
  if (token.size() % 2 != 1 || token.front() != kVersion) return std::nullopt;
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
