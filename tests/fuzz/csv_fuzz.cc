// Any bytes as a CSV file.
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "client/cli/formats/container.h"
#include "tests/fuzz/data_error.h"
#include "tests/fuzz/require.h"

namespace {

using namespace torqued::cli;  // NOLINT(google-build-using-namespace)
namespace fuzz = torqued::fuzz;

const std::string kName = "states.csv";

bool Same(double a, double b) {
  return a == b ? std::signbit(a) == std::signbit(b)
                : std::isnan(a) && std::isnan(b);
}

// Written out and read again, the numbers are the same.
void CheckRoundTrip(const CsvTable& table) {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(table.numbers.cols()));
  for (Eigen::Index k = 0; k < table.numbers.cols(); ++k) {
    names.push_back("c" + std::to_string(k));
  }
  CsvWriter writer(names);
  for (Eigen::Index row = 0; row < table.numbers.rows(); ++row) {
    for (const double number : table.numbers.row(row)) writer.Number(number);
    writer.EndRow();
  }
  const CsvTable again = ParseCsv(writer.text(), kName);
  FUZZ_REQUIRE(again.header == names, writer.text());
  FUZZ_REQUIRE(again.numbers.rows() == table.numbers.rows(), writer.text());
  FUZZ_REQUIRE(std::equal(table.numbers.data(),
                          table.numbers.data() + table.numbers.size(),
                          again.numbers.data(), Same),
               writer.text());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view text = fuzz::Text(data, size);
  try {
    const CsvTable table = ParseCsv(text, kName);
    FUZZ_REQUIRE(table.numbers.cols() > 0, text);
    FUZZ_REQUIRE(
        static_cast<std::size_t>(table.numbers.rows()) == table.lines.size(),
        text);
    FUZZ_REQUIRE(table.header.empty() ||
                     static_cast<Eigen::Index>(table.header.size()) ==
                         table.numbers.cols(),
                 text);
    // Every cell has at least a separator or a line end beside it.
    FUZZ_REQUIRE(static_cast<std::size_t>(table.numbers.size()) <= size + 1,
                 text);
    FUZZ_REQUIRE(std::is_sorted(table.lines.begin(), table.lines.end(),
                                std::less_equal<>()),
                 "a line gives two rows");
    FUZZ_REQUIRE(table.lines.empty() ||
                     (table.lines.front() >= 1 &&
                      table.lines.back() <=
                          1 + std::count(text.begin(), text.end(), '\n')),
                 text);
    CheckRoundTrip(table);
  } catch (const DataError& error) {
    fuzz::CheckDataError(error, kName);
  }
  return 0;
}
