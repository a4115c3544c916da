#include "client/cli/formats/text.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_replace.h>
#include <absl/strings/str_split.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <system_error>

#include "client/cli/formats/container.h"

namespace torqued::cli {
namespace {

namespace fs = std::filesystem;

/// The file that is written: that to which a link leads. Empty for devices and
/// pipes (/dev/stdout), which are written as they are.
fs::path Resolved(const fs::path& path) {
  std::error_code ignored;
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) {
    return {};
  }
  return fs::weakly_canonical(fs::absolute(path), ignored);
}

}  // namespace

std::string_view Trim(std::string_view text) {
  const auto is_blank = [](char c) {
    return c == ' ' || c == '\t' || c == '\r';
  };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<double> ParseNumber(std::string_view text) {
  text = Trim(text);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double number = 0;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [stop, error] = std::from_chars(begin, end, number);
  if (stop != end || error == std::errc::invalid_argument) return std::nullopt;
  // std::from_chars leaves the number as it is, std::strtod rounds.
  if (error != std::errc()) {
    number = std::strtod(std::string(text).c_str(), nullptr);
  }
  return number;
}

std::string ReadableText(double number) {
  return std::isnan(number) ? "nan" : RoundedText(number);
}

std::string DurationText(double seconds) {
  if (seconds < 0.0995) return Cat(std::lround(seconds * 1e3), " ms");
  if (seconds < 9.95) return RoundedText(std::round(seconds * 10) / 10) + " s";
  const long whole = std::lround(seconds);
  if (whole < 60) return Cat(whole, " s");
  if (whole < 3600) return Cat(whole / 60, " min ", whole % 60, " s");
  return Cat(whole / 3600, " h ", whole % 3600 / 60, " min");
}

std::vector<std::string> SplitList(std::string_view text, char separator) {
  if (Trim(text).empty()) return {};
  std::vector<std::string> pieces =
      absl::StrSplit(std::string(text), separator);
  for (std::string& piece : pieces) absl::StripAsciiWhitespace(&piece);
  return pieces;
}

std::string Joined(const std::vector<std::string>& words) {
  return absl::StrJoin(words, ", ");
}

double RequiredNumber(const std::string& option, std::string_view text) {
  const auto number = ParseNumber(text);
  if (number) return *number;
  throw UsageError(option, "'", Printable(text, 40), "' is not a number");
}

std::vector<double> ParseNumbers(const std::string& option,
                                 std::string_view text) {
  std::vector<double> numbers;
  for (const std::string& piece : SplitList(text, ',')) {
    numbers.push_back(RequiredNumber(option, piece));
  }
  return numbers;
}

client::Batch ParseBatch(const std::string& option,
                         const std::vector<std::string>& texts) {
  if (texts.size() == 1 && texts.front().starts_with('@')) {
    const std::string path = texts.front().substr(1);
    CsvTable table = ParseTable(ReadFile(path), path);
    RequireData(table.header.empty(), path,
                "the file has column names; give it as --states");
    return std::move(table.numbers);
  }
  client::Batch batch;
  for (const std::string& text : texts) {
    for (const std::string& piece : SplitList(text, ';')) {
      const std::vector<double> row = ParseNumbers(option, piece);
      const auto columns = static_cast<Eigen::Index>(row.size());
      if (row.empty()) throw UsageError(option, "a row is empty");
      if (batch.rows() > 0 && columns != batch.cols()) {
        throw UsageError(option, "row ", batch.rows(), " has ", columns,
                         " numbers, row 0 has ", batch.cols());
      }
      batch.conservativeResize(batch.rows() + 1, columns);
      batch.bottomRows<1>() =
          Eigen::Map<const Eigen::RowVectorXd>(row.data(), columns);
    }
  }
  return batch;
}

std::string PlainLines(std::string_view text) {
  const bool is_utf8 = FindInvalidUtf8(text) == std::string_view::npos;
  std::string plain;
  while (true) {
    const std::size_t end = text.find_first_of("\n\t");
    const std::string_view piece = text.substr(0, end);
    plain += is_utf8 ? EscapedAsInJson(piece) : PlainText(piece);
    if (end == std::string_view::npos) return plain;
    plain += text[end];
    text.remove_prefix(end + 1);
  }
}

std::string EscapedXml(std::string_view text) {
  // U+FFFE and U+FFFF, which XML does not have, become blanks.
  return absl::StrReplaceAll(PlainLines(text), {{"&", "&amp;"},
                                                {"<", "&lt;"},
                                                {">", "&gt;"},
                                                {"\"", "&quot;"},
                                                {"\uFFFE", " "},
                                                {"\uFFFF", " "}});
}

std::string ProgressText(std::int64_t done, std::int64_t total,
                         const std::string& unit,
                         std::chrono::duration<double> time) {
  const double speed = static_cast<double>(done) / time.count();
  const double left = static_cast<double>(total - done) / speed;
  return Cat(100 * done / std::max<std::int64_t>(total, 1), " %  ", done,
             " of ", total, " ", unit, "  ", std::llround(speed), "/s",
             done > 0 ? "  " + DurationText(left) + " left" : "");
}

std::string ReadFile(const fs::path& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string content, piece(1 << 16, '\0');
  std::error_code error;  // of a pipe, which has no size
  const std::uintmax_t size = fs::file_size(path, error);
  if (!error) content.reserve(size);
  while (file.read(piece.data(), 1 << 16), file.gcount() > 0) {
    content.append(piece, 0, static_cast<std::size_t>(file.gcount()));
  }
  RequireData(file.eof() && !file.bad(), path.string(),
              "cannot be read: ", [] { return std::strerror(errno); });
  return content;
}

void WriteFile(const fs::path& path, std::string_view content) {
  const fs::path place = Resolved(path);
  const bool replaces = !place.empty();
  fs::path target = path;
  if (replaces) target = place.string() + ".tmp" + std::to_string(getpid());

  errno = 0;
  std::ofstream file(target, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  std::error_code error;
  if (!file) {
    error.assign(errno != 0 ? errno : EIO, std::generic_category());
  } else if (replaces) {
    fs::rename(target, place, error);
  }
  if (!error) return;
  std::error_code ignored;
  if (replaces) fs::remove(target, ignored);
  throw DataError(path.string(), "cannot be written: ", error.message());
}

void RequireSeparateFiles(const std::vector<FlaggedPath>& outputs,
                          const std::vector<FlaggedPath>& inputs) {
  std::map<fs::path, FlaggedPath> places;
  for (const FlaggedPath& input : inputs) {
    if (!input.path.empty()) places.emplace(Resolved(input.path), input);
  }
  for (const FlaggedPath& output : outputs) {
    const fs::path place = output.path.empty() ? "" : Resolved(output.path);
    if (place.empty()) continue;
    const auto [other, is_new] = places.emplace(place, output);
    if (is_new) continue;
    throw UsageError(output.flag, output.path, " is also the file of ",
                     other->second.flag, " (", other->second.path, ")");
  }
}

}  // namespace torqued::cli
