// One revision in memory.
#pragma once

#include <memory>
#include <string>

#include "core/model/lint.h"
#include "core/model/model.h"
#include "server/registry/revision.h"

namespace torqued::server {

/// One revision, loaded. Immutable and shared.
struct LoadedRevision {
  std::string revision;
  std::string format;  // "urdf"
  std::string source;
  RegistrationOptions options;
  std::shared_ptr<const Model> model;  // null: broken
  LintReport report;
  std::string problem;  // why it is broken
};

}  // namespace torqued::server
