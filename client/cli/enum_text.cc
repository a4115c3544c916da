#include "client/cli/enum_text.h"

#include <algorithm>
#include <cctype>

namespace torqued::cli {
namespace {

using google::protobuf::EnumDescriptor;
using google::protobuf::EnumValueDescriptor;

/// "local_world_aligned" of REFERENCE_FRAME_LOCAL_WORLD_ALIGNED. Value 0 ends
/// in one word.
std::string ShortName(const EnumValueDescriptor& value) {
  const std::string& first = value.type()->value(0)->name();
  std::string name = value.name().substr(first.rfind('_') + 1);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return name;
}

}  // namespace

std::string EnumText(const EnumDescriptor& type, int number) {
  const EnumValueDescriptor* value = type.FindValueByNumber(number);
  if (value == nullptr) return "unknown (" + std::to_string(number) + ")";
  std::string text = ShortName(*value);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::vector<std::string> EnumFlags(const EnumDescriptor& type) {
  std::vector<std::string> names;
  for (int k = 0; k < type.value_count(); ++k) {
    std::string name = ShortName(*type.value(k));
    if (name != "unspecified") names.push_back(std::move(name));
  }
  return names;
}

const EnumValueDescriptor* FindEnumFlag(const EnumDescriptor& type,
                                        std::string_view name) {
  for (int k = 0; k < type.value_count(); ++k) {
    if (ShortName(*type.value(k)) == name) return type.value(k);
  }
  return nullptr;
}

}  // namespace torqued::cli
