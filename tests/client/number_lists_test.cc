#include "client/cli/number_lists.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "client/cli/errors.h"
#include "client/cli/formats/file_text.h"
#include "client/cli/formats/npy.h"

namespace torqued::cli {
namespace {

using client::Batch;
namespace fs = std::filesystem;

TEST(ParseBatch, TakesRowsBySemicolonAndByRepetition) {
  const Batch expected = (Batch(3, 2) << 0, 1, -2, 3, 4, 5e-1).finished();
  EXPECT_EQ(ParseBatch("--q", {"0,1; -2 , 3", "4,5e-1"}), expected);
  EXPECT_EQ(ParseBatch("--q", {"0,1", "-2,3", "4,0.5"}), expected);
}

TEST(ParseBatch, RefusesRowsThatAreNoRows) {
  EXPECT_THROW(ParseBatch("--q", {"1,2;3"}), UsageError);
  EXPECT_THROW(ParseBatch("--q", {"1,x"}), UsageError);
  EXPECT_THROW(ParseBatch("--q", {"1,,2"}), UsageError);
  EXPECT_THROW(ParseBatch("--q", {"1,2;"}), UsageError);
}

TEST(ParseBatch, ReadsFiles) {
  const Batch batch = (Batch(2, 2) << 1, 2, 3, 4).finished();
  const fs::path directory = fs::path(::testing::TempDir());
  const fs::path npy = directory / "batch_of_number_lists_test.npy";
  const fs::path csv = directory / "batch_of_number_lists_test.csv";
  WriteFile(npy, NpyBytes(batch));
  WriteFile(csv, "1,2\n3,4\n");
  EXPECT_EQ(ParseBatch("--q", {"@" + npy.string()}), batch);
  EXPECT_EQ(ParseBatch("--q", {"@" + csv.string()}), batch);

  WriteFile(csv, "a.q,b.q\n3,4\n");
  EXPECT_THROW(ParseBatch("--q", {"@" + csv.string()}), DataError);
  fs::remove(npy);
  fs::remove(csv);
  EXPECT_THROW(ParseBatch("--q", {"@" + csv.string()}), DataError);
}

TEST(WriteFile, LeavesTheOldContentWhenItFails) {
  const fs::path directory =
      fs::path(::testing::TempDir()) / "number_lists_test.d";
  fs::create_directory(directory);
  EXPECT_THROW(WriteFile(directory / "absent" / "f", "x"), DataError);
  EXPECT_THROW(WriteFile("/dev/full", "x"), DataError);
  WriteFile(directory / "f", "old");
  WriteFile(directory / "f", "new");
  EXPECT_EQ(ReadFile(directory / "f"), "new");
  int files = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(directory)) {
    ++files;
  }
  EXPECT_EQ(files, 1) << "a temporary file stayed";
  fs::remove_all(directory);
}

}  // namespace
}  // namespace torqued::cli
