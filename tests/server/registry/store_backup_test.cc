#include "server/registry/store_backup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "server/registry/registry.h"
#include "server/registry/store_check.h"
#include "tests/server/registry/fixtures.h"

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
    while (acknowledged < 3 * turn) std::this_thread::yield();
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
  const auto failure =
      BackUpStore(path, directory / "copy", {.stop = [] { return true; }});
  ASSERT_TRUE(failure);
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

TEST(StoreBackup, AfterAQuietWhileTheFileAloneIsComplete) {
  const TemporaryDirectory directory;
  const std::string path = directory / "models.db";
  auto opened = OpenSqliteStore(path, std::chrono::milliseconds(1));
  Registry registry(std::get<std::unique_ptr<ModelStore>>(std::move(opened)));
  for (int k = 1; k <= 3; ++k) {
    Value(registry.Register(Request("arm" + std::to_string(k), k)));
    const auto give_up =
        std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (fs::file_size(path + "-wal") > 0 &&
           std::chrono::steady_clock::now() < give_up) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    const std::string plain = directory / ("plain" + std::to_string(k));
    fs::copy_file(path, plain);
    EXPECT_EQ(Checked(plain).names, k);
  }
}

TEST(StoreBackup, NoWriteWaitsForAReaderOfTheLog) {
  const TemporaryDirectory directory;
  const std::string path = directory / "models.db";
  auto opened = OpenSqliteStore(path, std::chrono::milliseconds(1));
  Registry registry(std::get<std::unique_ptr<ModelStore>>(std::move(opened)));
  Value(registry.Register(Request("arm", 1)));
  sqlite3* reader = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &reader), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(reader, "BEGIN; SELECT count(*) FROM names", nullptr,
                         nullptr, nullptr),
            SQLITE_OK);
  for (int k = 2; k < 20; ++k) {
    Value(registry.Register(Request("arm", k)));
    EXPECT_EQ(Where(registry, "arm"), RevisionOf(k));
  }
  sqlite3_close(reader);
}

}  // namespace
}  // namespace torqued::server
