// JSON: messages of the wire with their enums, what files hold, and answers as
// text, as rows and as lines.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/generated_enum_reflection.h>
#include <google/protobuf/message.h>

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "client/cpp/states.h"
#include "torqued/v1/model_registry.pb.h"

namespace torqued::cli {

using Json = nlohmann::ordered_json;

/// "local_world_aligned" and so on, as flags take them; without UNSPECIFIED.
std::vector<std::string> EnumFlags(
    const google::protobuf::EnumDescriptor& type);
const google::protobuf::EnumValueDescriptor* FindEnumFlag(
    const google::protobuf::EnumDescriptor& type, std::string_view name);

/// "singular task space", for people. A newer server may send numbers that this
/// version does not know: "unknown (77)".
std::string EnumText(const google::protobuf::EnumDescriptor& type, int number);
template <class Enum>
std::string EnumText(Enum value) {
  return EnumText(*google::protobuf::GetEnumDescriptor<Enum>(), value);
}

enum class EnumNames : bool { kFull, kFlags };

/// As protobuf writes it, with the names of the proto files and fields at their
/// defaults, but 64-bit integers are numbers.
Json ToJson(const google::protobuf::Message& message,
            EnumNames names = EnumNames::kFull);

Json MatrixJson(const Eigen::Ref<const client::Batch>& matrix);

/// A number or, as protobuf writes them, "Infinity", "-Infinity", "NaN".
Json NumberJson(double number);
/// Another value than a number throws what nlohmann's get throws.
double NumberFromJson(const Json& json);

/// At most 16 levels, no member twice. Throws DataError naming `name`.
Json ParseJsonText(std::string_view text, const std::string& name);

/// The one document of the text; an empty one may follow ("---"). Plain scalars
/// that are numbers become numbers, "~", "null" and nothing become null, all
/// others are strings. Aliases are refused: they make little text large.
/// Otherwise as ParseJsonText.
Json ParseYaml(std::string_view text, const std::string& name);

/// Members of objects, in the order of columns.
using Members = std::vector<std::string>;

/// Indented, with lists of scalars on one line. Numbers are as NumberJson has
/// them.
std::string ToText(const Json& json);

/// Cells of members that are absent or null are empty.
std::string CsvOf(const Members& members, const Json& rows);

/// Columns as wide as their widest cell, numbers on the right. Null is "-".
void PrintTable(const Members& titles, const Json& rows, std::ostream& out);
/// The same of objects. A member that is absent is null.
void PrintRows(const Members& members, const Json& rows, std::ostream& out);
/// A line for each member but lists of objects: "options.base fixed". An empty
/// value has none.
void PrintFields(const Json& object, std::ostream& out);

/// "joint elbow:12, link hand:20, :31": names and line of the other places.
std::string MorePlacesText(const v1::Finding& finding);
/// One finding a line, as compilers write them, and the totals:
///   panda.urdf:12: warning: missing-limit: Joint 'elbow' ... [3 in all; also
///   joint wrist:20, joint hand:28]
void PrintReport(const v1::LintReport& report, const std::string& source_name,
                 std::ostream& out);

/// "panda@1a2b3c4d5e6f"
std::string ModelText(const std::string& name, const std::string& revision);

}  // namespace torqued::cli
