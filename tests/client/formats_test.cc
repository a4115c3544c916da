#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <string>

#include "client/cli/errors.h"
#include "client/cli/formats/container.h"
#include "client/cli/formats/text.h"

// What files hold is in tests/conformance/trajectory_files.json.
namespace torqued::cli {
namespace {

using client::Batch;
namespace fs = std::filesystem;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(CsvWriter, QuotesOnlyWhereItMust) {
  CsvWriter csv({"plain", "with,comma"});
  csv.Text("say \"hi\"");
  csv.Text("");
  csv.EndRow();
  EXPECT_EQ(csv.text(), "plain,\"with,comma\"\n\"say \"\"hi\"\"\",\n");
}

TEST(ParseNumber, RoundsToDoublePrecision) {
  EXPECT_EQ(ParseNumber(" \t+1.5e-3\r"), 1.5e-3);
  EXPECT_EQ(ParseNumber("-inf"), -kInfinity);
  EXPECT_TRUE(std::isnan(ParseNumber("nan").value_or(0)));
  EXPECT_EQ(ParseNumber(" -1e400"), -kInfinity);
  EXPECT_EQ(ParseNumber("1e-310"), 1e-310);
  EXPECT_TRUE(std::signbit(ParseNumber("-1e-400").value_or(1)));
  // A sum of digits that is read as it stands, without an end behind it.
  EXPECT_EQ(ParseNumber(std::string_view("1e-400,5").substr(0, 6)), 0);
  for (const char* text : {"", " ", "1,5", "1.5x", "x1", "0x10", "1 2", "--1",
                           "+-1", "+", "++1e400", "1e400x", "1e", "1.2.3"}) {
    EXPECT_EQ(ParseNumber(text), std::nullopt) << "'" << text << "'";
  }
}

TEST(DurationText, ChoosesItsUnit) {
  for (const auto& [seconds, text] : {std::pair{0.019, "19 ms"},
                                      {0.0996, "0.1 s"},
                                      {9.94, "9.9 s"},
                                      {9.96, "10 s"},
                                      {59.6, "1 min 0 s"},
                                      {185., "3 min 5 s"},
                                      {7620., "2 h 7 min"}}) {
    EXPECT_EQ(DurationText(seconds), text);
  }
}

std::string File(const std::string& descr, const std::string& order,
                 const std::string& shape, int bytes = 48, int version = 1) {
  const std::string header = "{'descr': '" + descr +
                             "', 'fortran_order': " + order +
                             ", 'shape': " + shape + ", }   \n";
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  for (int k = 0; k < (version == 1 ? 2 : 4); ++k) {
    file += static_cast<char>(header.size() >> (8 * k) & 0xFF);
  }
  return file + header + std::string(static_cast<std::size_t>(bytes), 'a');
}

TEST(ParseNpy, ReadsEveryVersion) {
  for (const int version : {1, 2, 3}) {
    EXPECT_EQ(ParseNpy(File("<f8", "False", "(2, 3)", 48, version), "f").cols(),
              3);
  }
}

TEST(ParseNpy, RefusesWhatIsNoTable) {
  for (const std::string& file :
       {std::string("\x93NUMPY\x01\0", 8),
        // Sizes that do not fit the file.
        File("<f8", "False", "(2, 4)"), File("<f8", "False", "(2, 2)"),
        File("<f4", "False", "(2, 3)"),
        // Sizes beyond any memory, and some whose product wraps to 48 bytes.
        File("<f8", "False", "(1000000000000, 1000)"),
        File("<f8", "False", "(2305843009213693958, 1)"),
        File("<f8", "False", "(4294967296, 4294967296)", 0),
        File("<f8", "False", "(-1, 6)"),
        // Headers longer than the file, or than sense.
        std::string("\x93NUMPY\x01\0\xFF\xFF{", 11),
        std::string("\x93NUMPY\x02\0\xFF\xFF\xFF\xFF{", 13),
        // Other contents.
        File("|O", "False", "(2, 3)"), File("<f8", "Maybe", "(2, 3)"),
        File("<f8", "False", "(2, 3)", 48, 4)}) {
    EXPECT_THROW(ParseNpy(file, "f.npy"), DataError) << file.substr(0, 80);
  }
  for (const auto& [descr, shape] : {std::pair{"|S16", "(4,)"},
                                     {"<U4", "(3,)"},  // beyond Unicode
                                     {"|S9223372036854775807", "(2,)"},
                                     {"<U4611686018427387904", "(2,)"}}) {
    EXPECT_THROW(ParseNpyNames(File(descr, "False", shape), "f.npy"), DataError)
        << descr << shape;
  }
}

TEST(WriteFile, KeepsTheOldContentIfItCannotWrite) {
  const fs::path directory = fs::path(::testing::TempDir()) / "write_file_test";
  fs::create_directory(directory);
  EXPECT_THROW(WriteFile(directory / "absent" / "f", "x"), DataError);
  EXPECT_THROW(WriteFile("/dev/full", "x"), DataError);
  WriteFile(directory / "f", "old");
  WriteFile(directory / "f", "new");
  EXPECT_EQ(ReadFile((directory / "f").string()), "new");
  // A file beside it that cannot be replaced: no other one stays.
  EXPECT_THROW(WriteFile(directory, "x"), DataError);
  EXPECT_EQ(std::distance(fs::directory_iterator(directory), {}), 1);
  fs::remove_all(directory);
}

}  // namespace
}  // namespace torqued::cli
