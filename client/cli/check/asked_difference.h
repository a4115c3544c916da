// How two questions differ, by member and in words.
#pragma once

#include <string>
#include <vector>

#include "client/cli/message_json.h"

namespace torqued::cli {

/// Members of two objects whose values differ, those of "asked" one by one:
/// "revision", "asked.options".
std::vector<std::string> DifferentMembers(const Json& before,
                                          const Json& after);

struct AskedDifference {
  std::string what;  // "payload"
  std::string before;
  std::string after;  // "2 kg at the tip"
};

/// The same for people, never empty where members differ.
std::vector<AskedDifference> DifferencesInWords(const Json& before,
                                                const Json& after);

}  // namespace torqued::cli
