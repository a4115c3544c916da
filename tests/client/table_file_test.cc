#include "client/cli/table_file.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "client/cli/errors.h"
#include "client/cli/formats/file_text.h"
#include "client/cli/formats/npy.h"

namespace torqued::cli {
namespace {

using client::Batch;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Order = std::optional<std::vector<std::string>>;

const TableRules kTrajectory{{"q", "v", "a"}, {"q", "v", "a"}, true};
const TableRules kStates{{"q", "v"}, {"q"}, false};

v1::ModelInfo Arm() {
  v1::ModelInfo model;
  for (const char* name : {"hip", "knee"}) {
    v1::JointInfo* joint = model.add_joints();
    joint->set_name(name);
    joint->set_nq(1);
    joint->set_nv(1);
  }
  return model;
}

class TableFile : public ::testing::Test {
 protected:
  ~TableFile() override { std::filesystem::remove(path_); }

  StateTable Read(const std::string& content, const TableRules& rules,
                  const Order& order = {}) {
    WriteFile(path_, content);
    return ReadStateTable(path_, Arm(), order, rules);
  }
  std::string ErrorOf(const std::string& content, const TableRules& rules,
                      const Order& order = {}) {
    try {
      Read(content, rules, order);
    } catch (const DataError& error) {
      return error.what();
    }
    return "";
  }

  // Unique, since tests of one binary may run at the same time.
  const std::filesystem::path path_ =
      std::filesystem::path(::testing::TempDir()) /
      (std::string("table_file_") +
       ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(TableFile, FindsColumnsByJointNameWhereverTheyStand) {
  const StateTable table =
      Read("knee.v,time,hip.q,knee.q,hip.v\n4,0,1,2,3\n8,1,5,6,7\n", kStates);
  EXPECT_EQ(table.states.q, (Batch(2, 2) << 1, 2, 5, 6).finished());
  EXPECT_EQ(table.states.v, (Batch(2, 2) << 3, 4, 7, 8).finished());
  EXPECT_THAT(table.joints, ElementsAre("hip", "knee"));
  EXPECT_THAT(table.unused, ElementsAre("time"));
  EXPECT_THAT(table.Place(1), HasSubstr(":3"));
}

TEST_F(TableFile, PutsNamedColumnsInTheOrderAskedFor) {
  const StateTable table =
      Read("hip.q,knee.q\n1,2\n", kStates, Order({"knee", "hip"}));
  EXPECT_EQ(table.states.q, (Batch(1, 2) << 2, 1).finished());
  EXPECT_EQ(table.states.v.size(), 0);
}

TEST_F(TableFile, ReadsPlainColumnsBlockByBlockInTheStatedOrder) {
  const StateTable canonical =
      Read("1,2,3,4\n", kStates, Order(std::vector<std::string>()));
  EXPECT_EQ(canonical.states.q, (Batch(1, 2) << 1, 2).finished());
  EXPECT_EQ(canonical.states.v, (Batch(1, 2) << 3, 4).finished());
  EXPECT_THAT(canonical.joints, ElementsAre("hip", "knee"));

  const StateTable stated = Read("1,2,3,4\n", kStates, Order({"knee", "hip"}));
  EXPECT_EQ(stated.states.q, canonical.states.q);
  EXPECT_THAT(stated.joints, ElementsAre("knee", "hip"));
}

TEST_F(TableFile, TakesAnExtraFirstColumnAsTimeOnlyWhereThereIsTime) {
  const Order canonical = std::vector<std::string>();
  Batch rows(2, 7);
  rows << 0.5, 1, 2, 3, 4, 5, 6, 0.6, 7, 8, 9, 10, 11, 12;
  const StateTable table = Read(NpyBytes(rows), kTrajectory, canonical);
  EXPECT_THAT(table.time, ElementsAre(0.5, 0.6));
  EXPECT_EQ(table.states.a, (Batch(2, 2) << 5, 6, 11, 12).finished());
  EXPECT_THAT(table.Place(1), HasSubstr("row 1"));

  const StateTable no_time =
      Read(NpyBytes(rows.rightCols(6)), kTrajectory, canonical);
  EXPECT_THAT(no_time.time, IsEmpty());
  EXPECT_EQ(no_time.states.q, table.states.q);

  EXPECT_THAT(ErrorOf("0,1,2,3,4\n", kStates, canonical),
              HasSubstr("5 columns"));
}

}  // namespace
}  // namespace torqued::cli
