// States as the files keep them that name their parts.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/cpp/states.h"

namespace torqued::cli {

/// One number per state and joint: "q", "v", "a", "tau".
using Suffixes = std::vector<std::string_view>;

struct StateBlocks {
  /// Joints of the columns; absent: the file does not say.
  std::optional<std::vector<std::string>> joints;
  std::vector<double> time;  // empty: none
  /// One row a state, by what they hold: "q", "v", "a", "tau".
  std::map<std::string, client::Batch, std::less<>> tables;
  std::optional<client::Batch> tip_wrench;  // 6 columns
  /// What else the file holds.
  std::vector<std::string> unused;
};

}  // namespace torqued::cli
