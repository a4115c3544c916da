#include "client/cli/enum_text.h"

#include <cctype>
#include <string_view>

namespace torqued::cli {
namespace {

std::string Words(std::string_view name, std::string_view prefix, int number) {
  if (name.empty()) return "unknown (" + std::to_string(number) + ")";
  name.remove_prefix(prefix.size());
  std::string words(name);
  for (char& c : words) {
    c = c == '_'
            ? ' '
            : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return words;
}

}  // namespace

std::string RowCodeText(v1::RowCode code) {
  return Words(v1::RowCode_Name(code), "ROW_CODE_", code);
}

std::string TaskRuleText(v1::TaskRule rule) {
  return Words(v1::TaskRule_Name(rule), "TASK_RULE_", rule);
}

std::string JointTypeText(v1::JointType type) {
  return Words(v1::JointType_Name(type), "JOINT_TYPE_", type);
}

std::string SeverityText(v1::Severity severity) {
  return Words(v1::Severity_Name(severity), "SEVERITY_", severity);
}

std::string NameOrNumber(std::string_view name, int number) {
  return name.empty() ? std::to_string(number) : std::string(name);
}

}  // namespace torqued::cli
