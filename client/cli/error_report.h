// Errors for people and for scripts that read stderr, in the words of the
// command line.
#pragma once

#include <functional>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>

#include "client/cpp/error.h"

namespace CLI {
class App;
}  // namespace CLI

namespace torqued::cli {

/// Of the command that was given.
class FlagNames {
 public:
  /// Knows none.
  FlagNames() = default;
  /// The application must be parsed.
  explicit FlagNames(const CLI::App& app);

  /// "options.tip_frame" -> "--tip-frame", "start.options.joint_names[3]" ->
  /// "--joint-names[3]", "model" -> "--model" or "MODEL". States, limits
  /// and sources may stand in a file: "q" -> "states.csv: q". A field that the
  /// command has no flag for stays as it is.
  std::string Of(std::string_view field) const;

 private:
  /// Empty if the command has none for a field of this name.
  std::string Flag(const std::string& name) const;

  /// By name, with the first value that was given.
  std::map<std::string, std::string, std::less<>> flags_;
};

/// "REASON (flag): sentence".
std::string ErrorLine(const client::Error& error, const FlagNames& names = {});

/// One line "torquectl: REASON (flag): sentence", then indented details.
void PrintError(const client::Error& error, const FlagNames& names,
                std::ostream& out);

}  // namespace torqued::cli
