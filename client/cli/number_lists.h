// Numbers given on the command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/cpp/states.h"

namespace torqued::cli {

/// "a,b,c", blanks dropped. Empty for an empty text.
std::vector<std::string> SplitList(std::string_view text, char separator);

/// "a, b, c".
std::string Joined(const std::vector<std::string>& words);

/// "0,0,-9.81". Throws UsageError naming `option`.
std::vector<double> ParseNumbers(const std::string& option,
                                 std::string_view text);

/// Rows separated by ';' or given as several texts; or one text "@file" with
/// the path of an .npy file or of a CSV file without column names. Empty for
/// no texts. Throws UsageError naming `option`, or DataError.
client::Batch ParseBatch(const std::string& option,
                         const std::vector<std::string>& texts);

}  // namespace torqued::cli
