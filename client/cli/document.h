// Answers as documents of JSON, and as rows and lines of these.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "client/cli/message_json.h"

namespace torqued::cli {

/// Members of objects, in the order of columns.
using Members = std::vector<std::string>;

/// As ToJson, but 64-bit integers are numbers.
Json Document(const google::protobuf::Message& message);

/// Cells of members that are absent or null are empty.
std::string CsvOf(const Members& members, const Json& rows);
/// Numbers have 6 digits. A member that is absent or null is "-".
void PrintRows(const Members& members, const Json& rows, std::ostream& out);
/// A line for each member but lists of objects: "options.base  fixed". What is
/// empty has none.
void PrintFields(const Json& object, std::ostream& out);

}  // namespace torqued::cli
