#include "client/cli/table_file.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "client/cli/errors.h"
#include "client/cli/formats/container.h"
#include "client/cli/formats/file_text.h"
#include "client/cli/formats/number_text.h"

namespace torqued::cli {
namespace {

using client::Batch;
namespace fs = std::filesystem;
using Order = std::optional<std::vector<std::string>>;

class Files : public ::testing::Test {
 protected:
  Files() { fs::create_directory(directory_); }
  ~Files() override { fs::remove_all(directory_); }

  std::string Written(const std::string& content) const {
    WriteFile(directory_ / "f", content);
    return (directory_ / "f").string();
  }
  StateTable Read(const std::string& content, const Order& order = {}) const {
    v1::ModelInfo model;
    for (const char* name : {"hip", "knee"}) {
      v1::JointInfo* joint = model.add_joints();
      joint->set_name(name);
      joint->set_nq(1);
      joint->set_nv(1);
    }
    const TableRules rules{{"q", "v"}, {"q"}, false};
    return ReadStateTable(Written(content), model, order, rules);
  }

  // Unique, since tests of one binary may run at the same time.
  const fs::path directory_ =
      fs::path(::testing::TempDir()) /
      (std::string("table_file_") +
       ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

// Trajectories are in tests/conformance/trajectory_files.json.
TEST_F(Files, PutNamedColumnsInTheOrderAskedFor) {
  const StateTable table = Read("hip.q,knee.q\n1,2\n", Order({"knee", "hip"}));
  EXPECT_EQ(table.states.q, (Batch(1, 2) << 2, 1).finished());
  EXPECT_EQ(table.states.v.size(), 0);
  EXPECT_EQ(table.Place(0), table.name + ":2");
}

TEST_F(Files, HaveNoTimeIfItMeansNothing) {
  const Order canonical = std::vector<std::string>();
  EXPECT_EQ(Read("1,2,3,4\n", canonical).states.v,
            (Batch(1, 2) << 3, 4).finished());
  EXPECT_THROW(Read("0,1,2,3,4\n", canonical), DataError);
}

TEST_F(Files, OfNumbersAreGivenOnTheCommandLine) {
  const Batch batch = (Batch(2, 2) << 1, 2, 3, 4).finished();
  EXPECT_EQ(ParseBatch("--q", {"@" + Written(NpyBytes(batch))}), batch);
  EXPECT_EQ(ParseBatch("--q", {"@" + Written("1,2\n3,4\n")}), batch);
  EXPECT_THROW(ParseBatch("--q", {"@" + Written("a.q\n3\n")}), DataError);
  EXPECT_THROW(ParseBatch("--q", {"@" + directory_.string()}), DataError);
}

TEST(ParseBatch, TakesRowsBySemicolonAndByRepetition) {
  const Batch expected = (Batch(3, 2) << 0, 1, -2, 3, 4, 5e-1).finished();
  EXPECT_EQ(ParseBatch("--q", {"0,1; -2 , 3", "4,5e-1"}), expected);
  for (const char* const rows : {"1,2;3", "1,x", "1,,2", "1,2;"}) {
    EXPECT_THROW(ParseBatch("--q", {rows}), UsageError) << rows;
  }
}

TEST_F(Files, KeepTheOldContentIfTheyCannotBeWritten) {
  EXPECT_THROW(WriteFile(directory_ / "absent" / "f", "x"), DataError);
  EXPECT_THROW(WriteFile("/dev/full", "x"), DataError);
  Written("old");
  EXPECT_EQ(ReadFile(Written("new")), "new");
  // A file beside it that cannot be replaced: no other one stays.
  EXPECT_THROW(WriteFile(directory_, "x"), DataError);
  EXPECT_EQ(std::distance(fs::directory_iterator(directory_), {}), 1);
}

}  // namespace
}  // namespace torqued::cli
