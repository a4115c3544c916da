// Values of the contract's enums in words, for people. What programs read
// (JSON, CSV) has the names of the contract. A newer server may send numbers
// that this version does not know: "unknown (77)" in words, "77" as a name.
#pragma once

#include <string>
#include <string_view>

#include "torqued/v1/dynamics.pb.h"
#include "torqued/v1/lint.pb.h"
#include "torqued/v1/model_registry.pb.h"

namespace torqued::cli {

/// "singular task space".
std::string RowCodeText(v1::RowCode code);
/// "range restricted".
std::string TaskRuleText(v1::TaskRule rule);
/// "revolute".
std::string JointTypeText(v1::JointType type);
/// "warning".
std::string SeverityText(v1::Severity severity);

/// `name`, the contract's name of `number`; the digits of `number` where the
/// contract has no name for it and `name` is empty.
std::string NameOrNumber(std::string_view name, int number);

}  // namespace torqued::cli
