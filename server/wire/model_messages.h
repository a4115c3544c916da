// Models and lint reports as messages.
#pragma once

#include "server/registry/registry.h"
#include "torqued/v1/lint.pb.h"
#include "torqued/v1/model_registry.pb.h"

namespace torqued::server {

struct JointUnits {
  const char* position;
  const char* effort;
};
JointUnits UnitsOf(const Joint& joint);

void FillReport(const LintReport& report, v1::LintReport* message);
void FillSummary(const ListedModel& model, v1::ModelSummary* message);
void FillModelInfo(const ModelEntry& entry, v1::ModelInfo* message);

}  // namespace torqued::server
