// Values of the contract's enums. A newer server may send numbers that this
// version does not know: "unknown (77)" in words, "77" as a name.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/generated_enum_reflection.h>

#include <string>
#include <string_view>
#include <vector>

namespace torqued::cli {

/// "singular task space", for people.
std::string EnumText(const google::protobuf::EnumDescriptor& type, int number);
/// "ROW_CODE_SINGULAR_TASK_SPACE", for programs (JSON, CSV).
std::string EnumName(const google::protobuf::EnumDescriptor& type, int number);

template <class Enum>
std::string EnumText(Enum value) {
  return EnumText(*google::protobuf::GetEnumDescriptor<Enum>(), value);
}
template <class Enum>
std::string EnumName(Enum value) {
  return EnumName(*google::protobuf::GetEnumDescriptor<Enum>(), value);
}

/// "local_world_aligned" and so on, as flags take them; without UNSPECIFIED.
std::vector<std::string> EnumFlags(
    const google::protobuf::EnumDescriptor& type);
/// Null if no value has this name.
const google::protobuf::EnumValueDescriptor* FindEnumFlag(
    const google::protobuf::EnumDescriptor& type, std::string_view name);

}  // namespace torqued::cli
