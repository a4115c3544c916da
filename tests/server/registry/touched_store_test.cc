// What others do to the files of an open store without a change of its content,
// and what SQLite does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <ostream>
#include <random>
#include <set>
#include <string>
#include <thread>

#include "server/registry/registry.h"
#include "server/registry/store_check.h"
#include "tests/server/registry/fixtures.h"
#include "tests/server/registry/told.h"

namespace torqued::server {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// What others do to a store without a change of its content.
struct Touching {
  const char* what;
  void (*touch)(const std::string& path);
};

void PrintTo(const Touching& touching, std::ostream* out) {
  *out << touching.what;
}

class TouchedStoreTest : public testing::TestWithParam<Touching> {};

TEST_P(TouchedStoreTest, KeepsWhatWasAcknowledgedAndTakesMore) {
  const TemporaryDirectory directory;
  const std::string path = directory / "models.db";
  constexpr int kModels = 6;
  const auto name = [](int k) { return "arm" + std::to_string(k); };
  Told told;
  {
    StoreOptions options = told.Options();
    options.quiet = std::chrono::hours(1);
    Registry registry(OpenStore(path, options));
    for (int k = 0; k < kModels; ++k) {
      // With pages that come and go.
      RegisterRequest request = Request(name(k), k + 1);
      request.source.append(20'000, ' ');
      Value(registry.Register(std::move(request)));
      GetParam().touch(path);
      if (k > 0) {
        EXPECT_FALSE(registry.Delete(name(k - 1), std::nullopt));
        GetParam().touch(path);
      }
      Value(registry.Register(Request(name(k), k + 1)));
      Value(registry.Register(Request("last", k + 1)));
    }
  }
  EXPECT_EQ(told.problem(), "");
  EXPECT_FALSE(fs::exists(path + "-wal.left"));
  EXPECT_TRUE(std::get<StoreCheck>(CheckStore(path)).good());
  Registry registry(OpenStore(path));
  EXPECT_EQ(Where(registry, name(kModels - 1)), RevisionOf(kModels));
  EXPECT_EQ(Where(registry, "last"), RevisionOf(kModels));
  EXPECT_EQ(Value(registry.List(0, "")).models.size(), 2u);
}

void WriteAnew(const std::string& path) {
  const std::string content = ReadFile(path);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
}

INSTANTIATE_TEST_SUITE_P(
    By, TouchedStoreTest,
    testing::Values(
        Touching{"ANewTime",
                 [](const std::string& path) {
                   fs::last_write_time(path, fs::file_time_type::clock::now() +
                                                 std::chrono::hours(1));
                 }},
        Touching{"AnOldTime",
                 [](const std::string& path) {
                   fs::last_write_time(path, fs::file_time_type::clock::now() -
                                                 std::chrono::hours(1));
                 }},
        Touching{"ItsOwnContent", WriteAnew},
        Touching{"ACheckpoint",
                 [](const std::string& path) {
                   EXPECT_EQ(RunSql(path, "PRAGMA wal_checkpoint"), "0");
                 }},
        Touching{"ACheckpointThatRestartsTheLog",
                 [](const std::string& path) {
                   EXPECT_EQ(RunSql(path, "PRAGMA wal_checkpoint(RESTART)"),
                             "0");
                 }},
        Touching{"ACheckpointThatEmptiesTheLog",
                 [](const std::string& path) {
                   EXPECT_EQ(RunSql(path, "PRAGMA wal_checkpoint(TRUNCATE)"),
                             "0");
                 }},
        Touching{"ACheckpointOfAChange",
                 [](const std::string& path) {
                   EXPECT_EQ(RunSql(path,
                                    "UPDATE revisions SET created_at ="
                                    " created_at + 1;"
                                    "PRAGMA wal_checkpoint"),
                             "0");
                 }},
        Touching{"AVacuum",
                 [](const std::string& path) {
                   EXPECT_EQ(RunSql(path, "VACUUM; PRAGMA wal_checkpoint"),
                             "0");
                 }},
        Touching{"AVacuumThatEmptiesTheLog",
                 [](const std::string& path) {
                   EXPECT_EQ(
                       RunSql(path, "VACUUM; PRAGMA wal_checkpoint(TRUNCATE)"),
                       "0");
                 }}),
    [](const auto& test) { return test.param.what; });

class StoreOfSizeTest : public testing::TestWithParam<std::int64_t> {};

// Copying the log, as far as readers let it, at any time; whoever does it.
TEST_P(StoreOfSizeTest, NothingThatSqliteDoesToItIsTakenForOtherContent) {
  const TemporaryDirectory directory;
  const std::string path = directory / "models.db";
  Told told;
  std::set<std::string> models;
  {
    StoreOptions options = told.Options();
    options.quiet = std::chrono::milliseconds(1);
    options.looked_through = GetParam();
    Registry registry(OpenStore(path, options));
    std::mt19937 random(17);
    const auto below = [&random](int count) {
      return static_cast<int>(random() % static_cast<unsigned>(count));
    };
    sqlite3* reader = nullptr;
    for (int step = 0; step < 120; ++step) {
      const std::string name = "arm" + std::to_string(below(5));
      switch (below(9)) {
        case 0:
          sqlite3_close(reader);
          ASSERT_EQ(sqlite3_open(path.c_str(), &reader), SQLITE_OK);
          ASSERT_EQ(sqlite3_exec(reader, "BEGIN; SELECT count(*) FROM names",
                                 nullptr, nullptr, nullptr),
                    SQLITE_OK);
          break;
        case 1:
          sqlite3_close(reader);
          reader = nullptr;
          break;
        case 2: {
          static constexpr std::array kKinds = {"PASSIVE", "FULL", "RESTART",
                                                "TRUNCATE"};
          RunSql(path, std::string("PRAGMA wal_checkpoint(") +
                           kKinds[static_cast<std::size_t>(below(4))] + ")");
          break;
        }
        case 3:
          fs::last_write_time(path, fs::file_time_type::clock::now() -
                                        std::chrono::seconds(below(100)));
          break;
        case 4:
          EXPECT_EQ(models.erase(name) == 0,
                    registry.Delete(name, std::nullopt).has_value());
          break;
        default: {
          RegisterRequest request = Request(name, 1 + step);
          request.source.append(static_cast<std::size_t>(below(100'000)), ' ');
          Value(registry.Register(std::move(request)));
          models.insert(name);
          break;
        }
      }
    }
    sqlite3_close(reader);
  }
  EXPECT_EQ(told.problem(), "");
  Registry registry(OpenStore(path));
  EXPECT_EQ(Value(registry.List(0, "")).models.size(), models.size());
  EXPECT_TRUE(std::get<StoreCheck>(CheckStore(path)).good());
}

// Beside registrations, without a pause.
TEST_P(StoreOfSizeTest, NothingThatSqliteDoesToItMeanwhileIsTakenSoEither) {
  const TemporaryDirectory directory;
  const std::string path = directory / "models.db";
  constexpr int kModels = 30;
  Told told;
  {
    StoreOptions options = told.Options();
    options.quiet = std::chrono::milliseconds(1);
    options.looked_through = GetParam();
    options.patience = std::chrono::minutes(10);
    Registry registry(OpenStore(path, options));
    std::jthread other([&path](const std::stop_token& stop) {
      static constexpr std::array kActs = {
          "PRAGMA wal_checkpoint",
          "UPDATE revisions SET created_at = created_at + 1",
          "PRAGMA wal_checkpoint(TRUNCATE)",
          "VACUUM",
          "UPDATE revisions SET created_at = created_at + 1;"
          "PRAGMA wal_checkpoint(TRUNCATE)",
          "PRAGMA wal_checkpoint(RESTART)",
          "PRAGMA quick_check",
      };
      for (std::size_t k = 0; !stop.stop_requested(); ++k) {
        RunSql(path, kActs[k * k % kActs.size()]);
      }
    });
    for (int k = 0; k < kModels; ++k) {
      RegisterRequest request = Request("arm" + std::to_string(k), k + 1);
      request.source.append(static_cast<std::size_t>(k) * 3000, ' ');
      while (true) {
        const auto result = registry.Register(request);
        const auto* error = std::get_if<RegistryError>(&result);
        if (error == nullptr) break;
        // The other may hold the right to write for long.
        ASSERT_THAT(error->message, HasSubstr("locked"));
      }
    }
  }
  EXPECT_EQ(told.problem(), "");
  EXPECT_FALSE(fs::exists(path + "-wal.left"));
  Registry registry(OpenStore(path));
  EXPECT_EQ(Value(registry.List(0, "")).models.size(), std::size_t{kModels});
  EXPECT_TRUE(std::get<StoreCheck>(CheckStore(path)).good());
}

INSTANTIATE_TEST_SUITE_P(LookedThrough, StoreOfSizeTest,
                         testing::Values(std::int64_t{64} << 20, 0));

class LogTest : public testing::TestWithParam<std::chrono::milliseconds> {};

// By which the store is written in its place as well.
TEST_P(LogTest, IsCopiedIntoTheStoreByTheServerAndDoesNotGrow) {
  const TemporaryDirectory directory;
  const std::string path = directory / "models.db";
  constexpr int kModels = 40;
  {
    Registry registry(OpenStore(path, {.quiet = GetParam()}));
    for (int k = 0; k < kModels; ++k) {
      RegisterRequest request = Request("arm", k + 1);
      request.source.append(400'000, ' ');
      Value(registry.Register(std::move(request)));
      EXPECT_LT(fs::file_size(path + "-wal"), 6'000'000u);
    }
  }
  EXPECT_FALSE(fs::exists(path + "-wal"));
  const auto check = std::get<StoreCheck>(CheckStore(path));
  EXPECT_TRUE(check.good());
  EXPECT_EQ(check.revisions, kModels);
}

INSTANTIATE_TEST_SUITE_P(After, LogTest,
                         testing::Values(std::chrono::milliseconds(1),
                                         std::chrono::hours(1)));

}  // namespace
}  // namespace torqued::server
