// Text of numbers, the same in every locale, lists of them, what terminals
// show, and whole files in and out.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/cpp/states.h"
#include "core/base/text.h"

namespace torqued::cli {

/// Without blanks, tabs and carriage returns at the ends.
std::string_view Trim(std::string_view text);

/// A decimal number, "inf" or "nan", in either sign, with blanks around it. A
/// number beyond double precision is rounded: 1e400 to infinity, 1e-400 to 0.
std::optional<double> ParseNumber(std::string_view text);

/// For people: 6 significant digits.
std::string ReadableText(double number);

/// "19 ms", "0.8 s", "12 s", "3 min 5 s", "2 h 7 min".
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
/// the path of an .npy file or of a CSV file without column names. Throws
/// UsageError naming `option`, or DataError.
client::Batch ParseBatch(const std::string& option,
                         const std::vector<std::string>& texts);

/// Printable: nothing in it steers a terminal.
inline std::string PlainText(std::string_view text,
                             std::size_t max_bytes = std::string_view::npos) {
  return Printable(text, max_bytes);
}

/// The same, but ends of lines and tabulators stay, and in strings of JSON
/// nothing changes its meaning: UTF-8 has the escapes that JSON has.
std::string PlainLines(std::string_view text);

/// PlainLines for elements and for attributes in double quotes, of XML and of
/// HTML.
std::string EscapedXml(std::string_view text);

/// "50 %  500 of 1000 states  500/s  1 s left", at the average speed so far.
std::string ProgressText(std::int64_t done, std::int64_t total,
                         const std::string& unit,
                         std::chrono::duration<double> time);

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
/// is read. Devices and pipes take several.
void RequireSeparateFiles(const std::vector<FlaggedPath>& outputs,
                          const std::vector<FlaggedPath>& inputs);

}  // namespace torqued::cli
