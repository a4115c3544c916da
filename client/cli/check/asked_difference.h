// How two questions differ.
#pragma once

#include <string>
#include <vector>

#include "client/cli/message_json.h"

namespace torqued::cli {

struct AskedDifference {
  std::string what;    // "asked.options.payload.mass"
  std::string before;  // "none" if it is absent
  std::string after;
};

/// By the names of the members, in their order.
std::vector<AskedDifference> AskedDifferences(const Json& before,
                                              const Json& after);

/// Members of the questions in which they are, those of "asked" one by one:
/// "revision", "asked.options".
std::vector<std::string> DifferentMembers(
    const std::vector<AskedDifference>& differences);

}  // namespace torqued::cli
