// What fields of requests are called on the command line.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

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

  /// "options.tip_frame" -> "--tip", "start.options.joint_names[3]" ->
  /// "--joints[3]", "q" -> "--q", or the file that has it: "states.csv: q". A
  /// field that the command has no flag for stays as it is.
  std::string Of(std::string_view field) const;

 private:
  /// By name; of a file that is given its path, else empty.
  std::map<std::string, std::string, std::less<>> flags_;
};

}  // namespace torqued::cli
