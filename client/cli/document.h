// JSON: messages of the wire with their enums, what files hold, and answers as
// text, as rows and as lines.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/generated_enum_reflection.h>
#include <google/protobuf/message.h>

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <optional>
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
/// Null if no value has this name.
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

/// Names of fields as in the proto files, enums by name, 64-bit integers as
/// numbers, fields at their defaults included (absent optional fields and
/// messages are not).
Json ToJson(const google::protobuf::Message& message,
            EnumNames names = EnumNames::kFull);

/// A list for each row.
Json MatrixJson(const Eigen::Ref<const client::Batch>& matrix);

/// A number or, as protobuf writes them, "Infinity", "-Infinity", "NaN".
Json NumberJson(double number);
/// Nothing for any other value.
std::optional<double> NumberFromJson(const Json& json);
/// The same; what is no number throws what nlohmann's get throws.
double RequiredNumberFromJson(const Json& json);

/// At most `depth` levels; a member that stands twice in its object, of which
/// parsers keep the last in silence, is an error. Throws DataError naming
/// `name`.
Json ParseJsonText(std::string_view text, int depth, const std::string& name);

/// The one document of the text: an empty one behind it ("---") does not count,
/// a second one is an error. Plain scalars that are numbers become numbers,
/// "~", "null" and nothing become null, all others are strings. Anchors may
/// stand there, aliases are refused: they make little text large. Otherwise as
/// ParseJsonText.
Json ParseYaml(std::string_view text, int depth, const std::string& name);

/// Members of objects, in the order of columns.
using Members = std::vector<std::string>;

/// Indented, with lists of scalars on one line. Numbers at full precision; what
/// is not finite is as NumberJson has it.
std::string ToText(const Json& json);

/// Cells of members that are absent or null are empty.
std::string CsvOf(const Members& members, const Json& rows);

/// A line for each row of cells, in columns as wide as their widest cell, with
/// numbers on the right. Numbers have 6 digits, null is "-". What could steer a
/// terminal is escaped. Width counts code points of UTF-8.
void PrintTable(const Members& titles, const Json& rows, std::ostream& out);
/// The same of objects. A member that is absent is null.
void PrintRows(const Members& members, const Json& rows, std::ostream& out);
/// A line for each member but lists of objects: "options.base  fixed". What is
/// empty has none.
void PrintFields(const Json& object, std::ostream& out);

/// Where it was found besides its first place: "joint elbow:12, link hand:20,
/// :31"; names and line of the source.
std::string MorePlacesText(const v1::Finding& finding);
/// One finding a line, as compilers write them:
///   panda.urdf:12: warning: missing-limit: Joint 'elbow' ... [3 in all; also
///   joint wrist:20, joint hand:28]
/// and a line with the totals.
void PrintReport(const v1::LintReport& report, const std::string& source_name,
                 std::ostream& out);

/// "panda@1a2b3c4d5e6f"
std::string ModelText(const std::string& name, const std::string& revision);

}  // namespace torqued::cli
