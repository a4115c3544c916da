// Revisions in memory: from their sources, and from what is stored.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/model/lint.h"
#include "core/model/model.h"
#include "server/registry/model_store.h"
#include "server/registry/revision.h"

namespace torqued::server {

/// One revision, loaded. Immutable and shared.
struct LoadedRevision {
  std::string revision;
  std::string format;  // "urdf"; whatever is stored
  std::string source;
  /// Nothing if this version cannot read what is stored.
  std::optional<RegistrationOptions> options;
  std::shared_ptr<const Model> model;  // null: broken
  LintReport report;
  std::string problem;  // why it is broken
};

using LoadedPointer = std::shared_ptr<const LoadedRevision>;

/// Parses and validates. Ends early, with a broken model, once `cancelled`, if
/// given, returns true.
LoadedPointer LoadRevision(std::string_view format, std::string source,
                           const RegistrationOptions& options,
                           const std::function<bool()>& cancelled = {});

/// Broken if the content is not what the revision is a hash of.
LoadedPointer LoadFromStore(StoredRevision stored);

/// One without a model, and why.
LoadedPointer Broken(std::string_view revision, std::string problem);

RevisionSummary SummaryOf(const LoadedRevision& loaded);

}  // namespace torqued::server
