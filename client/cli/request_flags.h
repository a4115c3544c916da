// Flags for fields of requests: --tip-frame is tip_frame. A new field of the
// contract is a flag without a line here.
#pragma once

#include <google/protobuf/message.h>

#include <functional>
#include <iosfwd>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "client/cpp/error.h"
#include "client/cpp/states.h"

namespace CLI {
class App;
}  // namespace CLI

namespace torqued::cli {

/// Names of fields.
using Fields = std::set<std::string, std::less<>>;

/// "--tip-frame" of tip_frame.
std::string FlagOf(std::string_view field);

/// The options and tables that a quantity reads.
Fields FieldsOf(v1::Quantity quantity);
/// The fields of a message and of the messages in it, without lists of
/// messages.
Fields FieldsOf(const google::protobuf::Descriptor& message);

/// Flags for those `fields` that the message has, or a message in it. The
/// contract's comments are their help.
void AddFieldFlags(CLI::App* command,
                   const google::protobuf::Descriptor& message,
                   const Fields& fields);
/// Sets what was given. Throws UsageError.
void ReadFieldFlags(const CLI::App& command, const Fields& fields,
                    google::protobuf::Message* message);

/// Flags for those `fields` that are tables of EvaluateChunk.
void AddTableFlags(CLI::App* command, const Fields& fields);
/// The tables that were given. The places of external wrenches go to the
/// options, and so does a gravity of one row. Throws UsageError or DataError.
client::States ReadTableFlags(const CLI::App& command, const Fields& fields,
                              v1::Options* options);

void AddModelFlag(CLI::App* command, std::string* model);

/// Takes the names of --joint-names from the options. Nothing if it was not
/// given; no names for `canonical`.
std::optional<std::vector<std::string>> TakeJointOrder(v1::Options* options);

// Errors for people and for scripts that read stderr, in the words of the
// command line.

/// The flags of a command, with the first value that was given.
using FlagValues = std::map<std::string, std::string, std::less<>>;

/// The flags of the given command of the application, and the global ones.
FlagValues FlagsOf(const CLI::App& app);

/// "options.tip_frame" -> "--tip-frame", "model" -> "--model" or "MODEL",
/// "q" -> "--q" or, of a file, "states.csv: q". A field that the command has no
/// flag for stays as it is.
std::string FlagOfPath(const FlagValues& flags, std::string_view field);

/// "REASON (flag): sentence".
std::string ErrorLine(const client::Error& error, const FlagValues& flags = {});

/// One line "torquectl: REASON (flag): sentence", then indented details.
void PrintError(const client::Error& error, const FlagValues& flags,
                std::ostream& out);

}  // namespace torqued::cli
