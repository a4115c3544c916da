// Rows that are not OK, in words.
#pragma once

#include <string>

#include "core/engine/evaluation_plan.h"

namespace torqued {

/// Name of the joint concerned; empty where none is.
std::string JointOf(const EvaluationPlan& plan, const RowIssue& issue);

/// Name of the input or output concerned.
std::string FieldOf(const RowIssue& issue);

/// One sentence for a person, with field, joint and value.
std::string Describe(const EvaluationPlan& plan, const RowIssue& issue);

}  // namespace torqued
