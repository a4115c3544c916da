#include "server/registry/store_copy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string_view>

#include "server/registry/registry.h"
#include "tests/server/registry/fixtures.h"

namespace torqued::server {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

std::string Why(const std::optional<StoreError>& failure) {
  return failure ? failure->message : "";
}

StoreCheck Checked(const std::string& path) {
  const auto checked = CheckStore(path);
  if (const auto* why = std::get_if<std::string>(&checked)) {
    ADD_FAILURE() << *why;
    return {};
  }
  return std::get<StoreCheck>(checked);
}

TEST(StoreBackup, LeavesAStoreThatNobodyHasOpenAsItIs) {
  const TemporaryDirectory directory;
  const std::string path = directory / "models.db";
  {
    Value(Registry(OpenStore(path)).Register(Request("arm", 1)));
  }
  const std::string before = ReadFile(path);
  EXPECT_EQ(Why(BackUpStore(path, directory / "copy")), "");
  EXPECT_TRUE(Checked(path).damage.empty());
  EXPECT_EQ(ReadFile(path), before);
  EXPECT_EQ(WhyItDoesNotOpen(path), "");
}

TEST(StoreBackup, LeavesTheLogOfAKilledServerAsItIs) {
  const TemporaryDirectory directory;
  const std::string path = directory / "models.db";
  const std::string left = directory / "left.db";
  {
    Registry registry(OpenStore(path));
    Value(registry.Register(Request("arm", 1)));
    fs::copy_file(path, left);
    fs::copy_file(path + "-wal", left + "-wal");
  }
  const std::string before = ReadFile(left), log = ReadFile(left + "-wal");
  ASSERT_FALSE(log.empty());
  EXPECT_EQ(Why(BackUpStore(left, directory / "copy")), "");
  EXPECT_EQ(Checked(left).names, 1);
  EXPECT_EQ(Checked(directory / "copy").names, 1);
  EXPECT_EQ(ReadFile(left), before);
  EXPECT_EQ(ReadFile(left + "-wal"), log);
}

class StoreBackupTo : public testing::Test {
 protected:
  StoreBackupTo() {
    Value(Registry(OpenStore(path_)).Register(Request("arm", 1)));
  }
  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(directory_ / "copies")) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }

  const TemporaryDirectory directory_;
  const std::string path_ = directory_ / "models.db";
  const bool made_ = fs::create_directory(directory_ / "copies");
  const std::string copy_ = directory_ / "copies/copy";
};

// In a container every process has the same number.
TEST_F(StoreBackupTo, WhatAKilledBackupHasLeftIsNotInTheWay) {
  const std::string left =
      directory_ / ("copies/.copy." + std::to_string(getpid()) + ".tmp");
  std::ofstream(left) << "half";
  EXPECT_EQ(Why(BackUpStore(path_, copy_)), "");
  EXPECT_EQ(Checked(copy_).names, 1);
  EXPECT_EQ(ReadFile(left), "half");
}

}  // namespace
}  // namespace torqued::server
