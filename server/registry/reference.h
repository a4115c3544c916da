// Names, labels and the references that calls use for models.
#pragma once

#include <string>
#include <string_view>

namespace torqued::server {

/// [A-Za-z0-9._-]{1,128}
bool IsValidModelName(std::string_view name);

/// As a name, and not 8 or more hex digits: those are revision prefixes.
bool IsValidLabel(std::string_view label);

/// `name`, `name@prefix`, `name@label` or `@prefix`; what is absent is empty.
struct ModelReference {
  std::string name;
  std::string prefix = {};  // 8 to 64 lower-case hex digits
  std::string label = {};
};

/// Hex digits may be upper-case. Throws RegistryError.
ModelReference ParseModelReference(std::string_view text);

}  // namespace torqued::server
