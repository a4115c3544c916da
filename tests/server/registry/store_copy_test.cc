#include "server/registry/store_copy.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "server/registry/registry.h"
#include "tests/server/registry/fixtures.h"

namespace torqued::server {
namespace {

namespace fs = std::filesystem;

TEST(StoreBackup, LeavesAStoreThatNobodyHasOpenAsItIs) {
  const TemporaryDirectory directory;
  const std::string path = directory / "models.db";
  {
    Value(Registry(OpenStore(path)).Register(Request("arm", 1)));
  }
  const std::string before = ReadFile(path);
  BackUpStore(path, directory / "copy");
  EXPECT_TRUE(CheckStore(path).damage.empty());
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
  BackUpStore(left, directory / "copy");
  EXPECT_EQ(CheckStore(left).names, 1);
  EXPECT_EQ(CheckStore(directory / "copy").names, 1);
  EXPECT_EQ(ReadFile(left), before);
  EXPECT_EQ(ReadFile(left + "-wal"), log);
}

// In a container every process has the same number.
TEST(StoreBackup, WhatAKilledBackupHasLeftIsNotInTheWay) {
  const TemporaryDirectory directory;
  const std::string path = directory / "models.db", copy = directory / "copy";
  Value(Registry(OpenStore(path)).Register(Request("arm", 1)));
  const std::string left =
      directory / (".copy." + std::to_string(getpid()) + ".tmp");
  WriteFile(left, "half");
  BackUpStore(path, copy);
  EXPECT_EQ(CheckStore(copy).names, 1);
  EXPECT_EQ(ReadFile(left), "half");
}

}  // namespace
}  // namespace torqued::server
