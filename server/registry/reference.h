// Names, labels and the references that calls use for models.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace torqued::server {

inline constexpr std::size_t kRevisionSize = 64;  // hex digits

/// [A-Za-z0-9._-]{1,128}
bool IsValidModelName(std::string_view name);

/// A valid name that a registration may take: neither "." nor "..", which are
/// folders where a name becomes part of a path. What an older version stored
/// under these is found and deleted all the same.
bool IsNewModelName(std::string_view name);

/// As a name, and not 8 or more hex digits: those are revision prefixes.
bool IsValidLabel(std::string_view label);

/// `name`, `name@prefix`, `name@label` or `@prefix`; what is absent is empty.
struct ModelReference {
  std::string name;
  std::string prefix = {};  // 8 to 64 lower-case hex digits
  std::string label = {};
};

/// Or a sentence saying what is wrong. Hex digits may be upper-case.
std::variant<ModelReference, std::string> ParseModelReference(
    std::string_view text);

/// Where a listing goes on; opaque to callers. Not a position: names that come
/// or go between two pages neither repeat nor hide others.
std::string EncodePageToken(std::string_view last_name);

/// Nothing for a text that EncodePageToken does not write.
std::optional<std::string> DecodePageToken(std::string_view token);

}  // namespace torqued::server
