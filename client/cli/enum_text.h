// Values of the contract's enums.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/generated_enum_reflection.h>

#include <string>
#include <string_view>
#include <vector>

namespace torqued::cli {

/// "singular task space", for people. A newer server may send numbers that this
/// version does not know: "unknown (77)".
std::string EnumText(const google::protobuf::EnumDescriptor& type, int number);
template <class Enum>
std::string EnumText(Enum value) {
  return EnumText(*google::protobuf::GetEnumDescriptor<Enum>(), value);
}

/// "local_world_aligned" and so on, as flags take them; without UNSPECIFIED.
std::vector<std::string> EnumFlags(
    const google::protobuf::EnumDescriptor& type);
/// Null if no value has this name.
const google::protobuf::EnumValueDescriptor* FindEnumFlag(
    const google::protobuf::EnumDescriptor& type, std::string_view name);

}  // namespace torqued::cli
