// Revisions from their sources, and from what is stored.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "server/registry/loaded_revision.h"
#include "server/registry/model_store.h"

namespace torqued::server {

using LoadedPointer = std::shared_ptr<const LoadedRevision>;

/// Parses and validates; see Registry::Load.
LoadedPointer LoadRevision(std::string_view format, std::string source,
                           const RegistrationOptions& options,
                           const std::function<bool()>& cancelled);

/// The same of what is stored, which may be damaged: that is a broken one.
LoadedPointer LoadFromStore(StoredRevision stored);

/// One without a model, and why.
LoadedPointer Broken(std::string_view revision, std::string problem);

/// The sentence for what is damaged, a clause.
std::string Damaged(std::string_view what);

RevisionSummary SummaryOf(const LoadedRevision& loaded);

}  // namespace torqued::server
