// One revision in memory.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/model/lint.h"
#include "core/model/model.h"
#include "server/registry/revision.h"

namespace torqued::server {

/// One revision, loaded. Immutable and shared.
struct LoadedRevision {
  std::string revision;
  std::string format;  // "urdf"; whatever is stored
  std::string source;
  /// Nothing where this version cannot read what is stored.
  std::optional<RegistrationOptions> options;
  std::shared_ptr<const Model> model;  // null: broken
  LintReport report;
  std::string problem;  // why it is broken
};

}  // namespace torqued::server
