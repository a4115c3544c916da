// What the registry answers where something does not go.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "server/registry/model_store.h"
#include "server/registry/reference.h"
#include "server/registry/registry.h"

namespace torqued::server {

RegistryError MakeError(RegistryError::Code code, std::string message,
                        std::string field = "");

RegistryError FromStore(const StoreError& error);

/// `expected` and `current` are empty where there is to be, or is, no model.
RegistryError Conflict(std::string_view name, const std::string& expected,
                       const std::string& current);

RegistryError Full(const QuotaReached& quota);

/// Of a reference that is a prefix, or of a name that is known.
RegistryError NotFound(const ModelReference& reference);

/// Lists so many of the candidates, and says where there are more.
inline constexpr std::size_t kMostCandidates = 10;
RegistryError Ambiguous(std::string_view prefix,
                        std::vector<std::string> candidates);

RegistryError NotAdmitted();

}  // namespace torqued::server
