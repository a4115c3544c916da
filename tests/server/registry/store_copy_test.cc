#include "server/registry/store_copy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <string_view>
#include <thread>

#include "server/registry/registry.h"
#include "tests/server/registry/fixtures.h"
#include "tests/support/await.h"

namespace torqued::server {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

std::string Why(const std::optional<BackupFailure>& failure) {
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

TEST(StoreBackup, OfAStoreInUseIsAStoreWithAllThatWasAcknowledged) {
  const TemporaryDirectory directory;
  const std::string path = directory / "models.db";
  Registry registry(OpenStore(path));
  std::atomic<int> acknowledged = 0;
  std::jthread writer([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      RegisterRequest request =
          Request("arm" + std::to_string(acknowledged), 1 + acknowledged);
      request.source.append(20'000, ' ');
      ASSERT_TRUE(std::holds_alternative<RegisterResult>(
          registry.Register(std::move(request))));
      ++acknowledged;
    }
  });
  for (int turn = 1; turn <= 10; ++turn) {
    Await([&] { return acknowledged >= 3 * turn; });
    const int before = acknowledged;
    const std::string copy = directory / std::to_string(turn);
    ASSERT_EQ(Why(BackUpStore(path, copy, {})), "");
    const StoreCheck check = Checked(copy);
    EXPECT_THAT(check.damage, IsEmpty());
    EXPECT_GE(check.names, before);
    EXPECT_EQ(check.names, check.revisions);
    // One after the other: what is there is all up to the last.
    Registry restored(OpenStore(copy));
    for (int k = 0; k < check.names; ++k) {
      EXPECT_EQ(Where(restored, "arm" + std::to_string(k)),
                Where(registry, "arm" + std::to_string(k)));
    }
  }
}

TEST(StoreBackup, NeitherReadsNorLeavesAnythingOnceItIsToStop) {
  const TemporaryDirectory directory;
  const std::string path = directory / "models.db";
  {
    Registry registry(OpenStore(path));
    for (int k = 0; k < 200; ++k) {
      Value(registry.Register(Request("arm" + std::to_string(k), 1 + k)));
    }
  }
  const auto files = [&] {
    return std::distance(fs::directory_iterator(fs::path(path).parent_path()),
                         fs::directory_iterator());
  };
  const auto before = files();
  // Asked while it reads, not when all is copied.
  std::uintmax_t copied = 0;
  const auto failure =
      BackUpStore(path, directory / "copy", {.stop = [&] {
                    for (const auto& entry :
                         fs::directory_iterator(fs::path(path).parent_path())) {
                      const std::string name = entry.path().filename();
                      if (name.starts_with(".copy.")) {
                        copied = std::max(copied, entry.file_size());
                      }
                    }
                    return true;
                  }});
  ASSERT_TRUE(failure);
  EXPECT_LT(copied, fs::file_size(path) / 2);
  EXPECT_FALSE(failure->damaged);
  EXPECT_THAT(failure->message, HasSubstr("interrupted"));
  // Reading makes the shared memory of a log.
  EXPECT_LE(files(), before + 2);
  EXPECT_FALSE(fs::exists(directory / "copy"));
  const auto checked = CheckStore(path, [] { return true; });
  EXPECT_TRUE(std::holds_alternative<std::string>(checked));
}

TEST(StoreBackup, LeavesAStoreThatNobodyHasOpenAsItIs) {
  const TemporaryDirectory directory;
  const std::string path = directory / "models.db";
  {
    Value(Registry(OpenStore(path)).Register(Request("arm", 1)));
  }
  const std::string before = ReadFile(path);
  EXPECT_EQ(Why(BackUpStore(path, directory / "copy", {})), "");
  EXPECT_TRUE(Checked(path).good());
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
  EXPECT_EQ(Why(BackUpStore(left, directory / "copy", {})), "");
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
  EXPECT_EQ(Why(BackUpStore(path_, copy_, {})), "");
  EXPECT_EQ(Checked(copy_).names, 1);
  EXPECT_EQ(ReadFile(left), "half");
}

TEST_F(StoreBackupTo, WhatIsNotWhatWasRegisteredIsNotCopied) {
  for (const char* const member : {"source", "options", "format"}) {
    const std::string odd = directory_ / "odd.db";
    ASSERT_EQ(Why(BackUpStore(path_, odd, {})), "");
    ASSERT_EQ(RunSql(odd, std::string("UPDATE revisions SET ") + member +
                              " = CAST(" + member + " || ' ' AS " +
                              (member == std::string_view("source") ? "BLOB"
                                                                    : "TEXT") +
                              ")"),
              "");
    EXPECT_THAT(Checked(odd).damage, testing::ElementsAre(testing::AllOf(
                                         HasSubstr(RevisionOf(1) + " of arm"),
                                         HasSubstr("SHA-256"))));
    const auto failure = BackUpStore(odd, copy_, {});
    ASSERT_TRUE(failure) << member;
    EXPECT_TRUE(failure->damaged);
    EXPECT_THAT(Files(), IsEmpty());
    fs::remove(odd);
  }
}

}  // namespace
}  // namespace torqued::server
