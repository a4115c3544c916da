#include "client/cli/formats/text.h"

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <system_error>

#include "client/cli/formats/container.h"

namespace torqued::cli {
namespace {

namespace fs = std::filesystem;

bool AreOneFile(const fs::path& a, const fs::path& b) {
  std::error_code error;
  if (a.empty() || b.empty()) return false;
  if (fs::exists(a, error)) {
    return fs::is_regular_file(a, error) && fs::equivalent(a, b, error);
  }
  const auto resolved = [&error](const fs::path& path) {
    const fs::path absolute = fs::absolute(path);
    const fs::path canonical = fs::weakly_canonical(absolute, error);
    return error ? absolute : canonical;
  };
  return resolved(a) == resolved(b);
}

}  // namespace

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
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

std::string ReadableText(double number, Side side) {
  if (!(number > 0) || std::isinf(number)) return ReadableText(number);
  const double unit = std::pow(10, std::floor(std::log10(number)) - 5);
  const double digits = number / unit;
  double rounded = std::round(digits);
  if (std::abs(digits - rounded) >= 1e-9) {
    rounded = side == Side::kAbove ? std::ceil(digits) : std::floor(digits);
  }
  return ReadableText(rounded * unit);
}

std::string DurationText(double seconds) {
  if (seconds < 0.0995) return Cat(std::lround(seconds * 1e3), " ms");
  if (seconds < 9.95) {
    const long tenths = std::lround(seconds * 10);
    return Cat(tenths / 10, ".", tenths % 10, " s");
  }
  const long whole = std::lround(seconds);
  if (whole < 60) return Cat(whole, " s");
  const bool is_long = whole >= 3600;
  const long count = is_long ? std::lround(seconds / 60) : whole;
  const std::string rest = std::to_string(100 + count % 60).substr(1);
  return Cat(count / 60, is_long ? " h " : " min ", rest,
             is_long ? " min" : " s");
}

std::vector<std::string> SplitList(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  if (Trim(text).empty()) return pieces;
  while (true) {
    const std::size_t end = text.find(separator);
    pieces.emplace_back(Trim(text.substr(0, end)));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : ", ") + word;
  }
  return text;
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
  std::error_code error;
  // Devices and pipes (/dev/stdout) are written as they are.
  const bool exists = fs::exists(path, error);
  const bool special = exists && !fs::is_regular_file(path, error);
  // A link stays; what it leads to is replaced.
  const fs::path place = exists && !special ? fs::canonical(path, error) : path;
  fs::path target = place;
  if (!special) target += ".tmp" + std::to_string(getpid());

  error.clear();
  errno = 0;
  std::ofstream file(target, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  if (!file) {
    error.assign(errno != 0 ? errno : EIO, std::generic_category());
  } else if (!special) {
    fs::rename(target, place, error);
  }
  if (!error) return;
  const std::string reason = error.message();
  if (!special) fs::remove(target, error);
  throw DataError(path.string(), "cannot be written: " + reason);
}

void RequireSeparateFiles(const std::vector<FlaggedPath>& outputs,
                          const std::vector<FlaggedPath>& inputs) {
  std::vector<FlaggedPath> others = inputs;
  for (const FlaggedPath& output : outputs) {
    for (const FlaggedPath& other : others) {
      if (!AreOneFile(output.path, other.path)) continue;
      throw UsageError(output.flag, output.path, " is also the file of ",
                       other.flag, " (", other.path, ")");
    }
    others.push_back(output);
  }
}

}  // namespace torqued::cli
