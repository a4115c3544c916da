// Values of the contract's enums in words, for people. What programs read
// (JSON, CSV) has the names of the contract.
#pragma once

#include <string>

#include "torqued/v1/dynamics.pb.h"

namespace torqued::cli {

/// "singular task space"; the number of a code that this version does not know.
std::string RowCodeText(v1::RowCode code);
/// "range restricted"; the number of an unknown rule.
std::string TaskRuleText(v1::TaskRule rule);

}  // namespace torqued::cli
