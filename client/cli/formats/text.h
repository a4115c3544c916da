// Numbers as text, the same in every locale, lists of them, and whole files in
// and out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/cpp/states.h"

namespace torqued::cli {

/// Without blanks, tabs and carriage returns at the ends.
std::string_view Trim(std::string_view text);

/// A decimal number, "inf" or "nan", in either sign, with blanks around it;
/// nothing if the text is anything else. A number beyond double precision is
/// rounded to it: 1e400 to infinity, 1e-400 to zero.
std::optional<double> ParseNumber(std::string_view text);

/// For people: 6 significant digits.
std::string ReadableText(double number);

/// The side of a positive number on which its text may lie.
enum class Side : std::uint8_t { kBelow, kAbove };

/// For people: 6 significant digits, not more than the number (kBelow) or not
/// less (kAbove). What meets a limit still meets it with the number of the
/// text.
std::string ReadableText(double number, Side side);

/// "19 ms", "0.8 s", "12 s", "3 min 05 s", "2 h 07 min".
std::string DurationText(double seconds);

/// "a,b,c", blanks dropped. Empty for an empty text.
std::vector<std::string> SplitList(std::string_view text, char separator);

/// "a, b, c".
std::string Joined(const std::vector<std::string>& words);

/// As ParseNumber, or throws UsageError naming `option`.
double RequiredNumber(const std::string& option, std::string_view text);
/// "0,0,-9.81". Throws UsageError naming `option`.
std::vector<double> ParseNumbers(const std::string& option,
                                 std::string_view text);

/// Rows separated by ';' or given as several texts; or one text "@file" with
/// the path of an .npy file or of a CSV file without column names. Empty for
/// no texts. Throws UsageError naming `option`, or DataError.
client::Batch ParseBatch(const std::string& option,
                         const std::vector<std::string>& texts);

/// Throws DataError.
std::string ReadFile(const std::filesystem::path& path);

/// Replaces the file at once: readers see the old or the new content, never a
/// part. Throws DataError.
void WriteFile(const std::filesystem::path& path, std::string_view content);

struct FlaggedPath {
  std::string flag;  // "--html"
  std::string path;  // empty: not given
};

/// Throws UsageError if two outputs are one file, or an output is a file that
/// is read, by whatever names and links. Devices and pipes take several.
void RequireSeparateFiles(const std::vector<FlaggedPath>& outputs,
                          const std::vector<FlaggedPath>& inputs);

}  // namespace torqued::cli
