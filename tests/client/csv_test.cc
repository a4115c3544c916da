#include <gmock/gmock.h>

#include <string>

#include "client/cli/errors.h"
#include "client/cli/formats/csv.h"

namespace torqued::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The place and the sentence of the DataError that a text causes.
std::pair<std::string, std::string> ErrorOf(std::string_view text) {
  try {
    ParseCsv(text, "f.csv");
  } catch (const DataError& error) {
    return {error.place(), error.what()};
  }
  return {};
}

TEST(ParseCsv, ReadsNamesAndRowsWithTheirLines) {
  const CsvTable table = ParseCsv("time,a.q\n0,1.5\n0.1,-2e3\n", "f.csv");
  EXPECT_THAT(table.header, ElementsAre("time", "a.q"));
  EXPECT_EQ(table.numbers,
            (client::Batch(2, 2) << 0, 1.5, 0.1, -2e3).finished());
  EXPECT_THAT(table.lines, ElementsAre(2, 3));
}

TEST(ParseCsv, HasNoNamesWhenTheFirstLineIsNumbers) {
  const CsvTable table = ParseCsv("1,2\n3,4", "f.csv");
  EXPECT_THAT(table.header, IsEmpty());
  EXPECT_EQ(table.numbers.rows(), 2);
}

TEST(ParseCsv, TakesWhatSpreadsheetsAndEditorsWrite) {
  const CsvTable table = ParseCsv(
      "\xEF\xBB\xBF# remark\r\n\"a.q\", b.q \r\n\r\n 1 ,\t2\r\n  \n3,4\r\n",
      "f.csv");
  EXPECT_THAT(table.header, ElementsAre("a.q", "b.q"));
  EXPECT_EQ(table.numbers, (client::Batch(2, 2) << 1, 2, 3, 4).finished());
  EXPECT_THAT(table.lines, ElementsAre(4, 6));
}

TEST(ParseCsv, TellsANumberOutOfRangeFromAName) {
  const auto [place, message] = ErrorOf("1,1e400\n");
  EXPECT_EQ(place, "f.csv:1");
  EXPECT_THAT(message, HasSubstr("column 2: '1e400' is out of the range of"));
}

TEST(ParseCsv, SaysWhereARowIsShortOrLong) {
  EXPECT_EQ(ErrorOf("1,2\n3\n").first, "f.csv:2");
  EXPECT_EQ(ErrorOf("1,2\n3,4,5\n").first, "f.csv:2");
  EXPECT_EQ(ErrorOf("1,2\n3,4,\n").first, "f.csv:2");
}

TEST(ParseCsv, RefusesASecondHeaderAndAnEmptyFile) {
  EXPECT_EQ(ErrorOf("a,b\nc,d\n").first, "f.csv:2");
  EXPECT_EQ(ErrorOf("").first, "f.csv");
  EXPECT_EQ(ErrorOf("\n# nothing\n").first, "f.csv");
}

TEST(CsvWriter, WritesWhatTheReaderReadsBackBitForBit) {
  CsvWriter csv({"a", "b"});
  for (const double number : {0.1, -1e-300, 1.0 / 3, 5e300}) {
    csv.Number(number);
    csv.Number(-number);
    csv.EndRow();
  }
  const CsvTable table = ParseCsv(csv.text(), "f.csv");
  EXPECT_THAT(table.header, ElementsAre("a", "b"));
  EXPECT_EQ(table.numbers(2, 0), 1.0 / 3);
  EXPECT_EQ(table.numbers(1, 1), 1e-300);
  EXPECT_EQ(table.numbers(3, 0), 5e300);
}

TEST(CsvWriter, QuotesOnlyWhereItMust) {
  CsvWriter csv({"plain", "with,comma"});
  csv.Text("say \"hi\"");
  csv.Text("");
  csv.EndRow();
  EXPECT_EQ(csv.text(), "plain,\"with,comma\"\n\"say \"\"hi\"\"\",\n");
}

}  // namespace
}  // namespace torqued::cli
