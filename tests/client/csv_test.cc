#include "client/cli/formats/csv.h"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <random>
#include <string>

#include "client/cli/errors.h"
#include "client/cli/formats/number_text.h"

namespace torqued::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(ParseCsv, TakesWhatSpreadsheetsAndEditorsWrite) {
  const CsvTable table = ParseCsv(
      "\xEF\xBB\xBF# remark\r\n\"a.q\", b.q \r\n\r\n 1 ,\t2\r\n  \n3,4\r\n",
      "f.csv");
  EXPECT_THAT(table.header, ElementsAre("a.q", "b.q"));
  EXPECT_EQ(table.numbers, (client::Batch(2, 2) << 1, 2, 3, 4).finished());
  EXPECT_THAT(table.lines, ElementsAre(4, 6));
}

TEST(ParseCsv, HasNoNamesWhenTheFirstLineIsNumbers) {
  const CsvTable table = ParseCsv("1,1e400\n3,4", "f.csv");
  EXPECT_THAT(table.header, IsEmpty());
  EXPECT_EQ(table.numbers.rows(), 2);
}

TEST(ParseCsv, NamesTheLineThatIsWrong) {
  for (const auto& [text, place] : {std::pair{"1,2\n3\n", "f.csv:2"},
                                    {"1,2\n3,4,5\n", "f.csv:2"},
                                    {"1,2\n3,4,\n", "f.csv:2"},
                                    {"a,b\nc,d\n", "f.csv:2"},
                                    {"", "f.csv"},
                                    {"\n# nothing\n", "f.csv"}}) {
    try {
      ParseCsv(text, "f.csv");
      ADD_FAILURE() << text;
    } catch (const DataError& error) {
      EXPECT_EQ(error.place(), place);
    }
  }
}

TEST(CsvWriter, WritesWhatTheReaderReadsBackBitForBit) {
  CsvWriter csv({"a", "b"});
  std::mt19937_64 random(1);
  std::vector<double> numbers;
  while (numbers.size() < 20'000) {
    const double number = std::bit_cast<double>(random());
    if (std::isnan(number)) continue;
    numbers.push_back(number);
    csv.Number(number);
    if (numbers.size() % 2 == 0) csv.EndRow();
  }
  const CsvTable table = ParseCsv(csv.text(), "f.csv");
  EXPECT_THAT(table.header, ElementsAre("a", "b"));
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    ASSERT_EQ(std::bit_cast<std::uint64_t>(table.numbers.data()[k]),
              std::bit_cast<std::uint64_t>(numbers[k]));
  }
}

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
  EXPECT_EQ(ParseNumber("1e400"), kInfinity);
  EXPECT_EQ(ParseNumber(" -1e400"), -kInfinity);
  EXPECT_EQ(ParseNumber("1e-310"), 1e-310);
  EXPECT_TRUE(std::signbit(ParseNumber("-1e-400").value_or(1)));
  // A sum of digits that is read as it stands, without an end behind it.
  EXPECT_EQ(ParseNumber(std::string_view("1e-400,5").substr(0, 6)), 0);
}

TEST(ParseNumber, RefusesWhatIsNotExactlyANumber) {
  for (const char* text : {"", " ", "1,5", "1.5x", "x1", "0x10", "1 2", "--1",
                           "+-1", "+", "++1e400", "1e400x", "1e", "1.2.3"}) {
    EXPECT_EQ(ParseNumber(text), std::nullopt) << "'" << text << "'";
  }
}

TEST(ReadableText, LiesOnTheSideThatIsAskedFor) {
  EXPECT_EQ(ReadableText(9.1312290806, Side::kBelow), "9.13122");
  EXPECT_EQ(ReadableText(9.8785826747, Side::kAbove), "9.87859");
  EXPECT_EQ(ReadableText(0.99999999, Side::kBelow), "0.999999");
  EXPECT_EQ(ReadableText(0.99999999, Side::kAbove), "1");
  for (const double same :
       {0.1, 1.25, 1000.0, 3e-7, 7e15, 0.0, -1.2345678, kInfinity}) {
    EXPECT_EQ(ReadableText(same, Side::kBelow), ReadableText(same));
    EXPECT_EQ(ReadableText(same, Side::kAbove), ReadableText(same));
  }
}

}  // namespace
}  // namespace torqued::cli
