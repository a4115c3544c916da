#include "client/cli/terminal/table.h"

#include <gmock/gmock.h>

#include <sstream>

namespace torqued::cli {
namespace {

std::string Printed(const Table& table) {
  std::ostringstream out;
  table.Print(out);
  return out.str();
}

TEST(Table, AlignsColumnsAndLeavesNoBlanksAtLineEnds) {
  Table table(
      {{"joint", Align::kLeft}, {"tau", Align::kRight}, {"", Align::kLeft}});
  table.Add({"a", "1.5"});
  table.Add({"elbow_joint", "-12.25", "OVER"});
  EXPECT_EQ(Printed(table),
            "joint           tau\n"
            "a               1.5\n"
            "elbow_joint  -12.25  OVER\n");
}

TEST(Table, CountsCharactersAndNotBytes) {
  Table table({{"\u03c4", Align::kRight}, {"x", Align::kLeft}});
  table.Add({"\u00e4\u00e4", "y"});
  EXPECT_EQ(Printed(table), " \u03c4  x\n\u00e4\u00e4  y\n");
}

}  // namespace
}  // namespace torqued::cli
