#include "client/cli/terminal/plain_text.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace torqued::cli {
namespace {

TEST(PlainLines, KeepsLinesAndTheMeaningOfJson) {
  EXPECT_EQ(PlainLines("{\n\t\"gr\u00FC\u00DFe \x7F\u202E\"}\n"),
            "{\n\t\"gr\u00FC\u00DFe \\u007f\\u202e\"}\n");
  EXPECT_EQ(PlainLines("a\x1B[2J\nb \x9B"), "a\\x1b[2J\nb \\x9b");
}

TEST(PlainBuffer, PassesOnPlainTextWhenItIsFlushedOrEnds) {
  std::ostringstream out;
  {
    PlainBuffer buffer(out.rdbuf());
    std::ostream plain(&buffer);
    plain << "gr\u00FC\u00DFe\n" << std::flush;
    EXPECT_EQ(out.str(), "gr\u00FC\u00DFe\n");
    plain << "\x1B[2J";
  }
  EXPECT_EQ(out.str(), "gr\u00FC\u00DFe\n\\u001b[2J");
}

TEST(PlainBuffer, TellsThatItsSinkFails) {
  std::ofstream full("/dev/full");
  PlainBuffer buffer(full.rdbuf());
  std::ostream plain(&buffer);
  plain << std::string(100'000, 'a') << std::flush;
  EXPECT_FALSE(plain);
}

}  // namespace
}  // namespace torqued::cli
