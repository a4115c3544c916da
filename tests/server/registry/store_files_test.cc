// A store whose files are deleted, replaced, linked or unlocked while it is
// open.
#include "server/registry/store_files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <condition_variable>
#include <csignal>
#include <fstream>
#include <memory>
#include <mutex>
#include <ostream>
#include <random>
#include <set>
#include <thread>

#include "server/registry/file_lock.h"
#include "server/registry/registry.h"
#include "server/registry/store_backup.h"
#include "server/registry/store_check.h"
#include "tests/server/registry/fixtures.h"

namespace torqued::server {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;
using Code = RegistryError::Code;

/// What a store told last.
class Told {
 public:
  StoreOptions Options() {
    return {.look = std::chrono::milliseconds(1),
            .tell = [this](const std::string& problem) {
              const std::lock_guard lock(mutex_);
              problem_ = problem;
              changed_.notify_all();
            }};
  }
  /// Whether it is told that there is a problem, or none any more.
  bool Becomes(bool problem) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(30),
                             [&] { return problem_.empty() != problem; });
  }
  std::string problem() {
    const std::lock_guard lock(mutex_);
    return problem_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string problem_;
};

class StoreFilesTest : public testing::TestWithParam<const char*> {
 protected:
  StoreFilesTest() { Value(registry_.Register(Request("arm", 1))); }

  void ExpectRefused(const std::string& what) {
    const auto error = Error(registry_.Register(Request("leg", 2)));
    EXPECT_EQ(error.code, Code::kStoreUnavailable);
    EXPECT_THAT(error.message,
                AllOf(HasSubstr(file_ + what), HasSubstr("nothing is stored")));
    const auto kept = registry_.Delete("arm", std::nullopt);
    ASSERT_TRUE(kept);
    EXPECT_THAT(kept->message, HasSubstr(what));
    // What it has it serves.
    EXPECT_EQ(Where(registry_, "arm"), RevisionOf(1));
    EXPECT_EQ(Value(registry_.List(0, "")).models.size(), 1u);
  }

  const TemporaryDirectory directory_;
  const std::string path_ = directory_ / "models.db";
  const std::string file_ = path_ + GetParam();
  Told told_;
  Registry registry_{OpenStore(path_, told_.Options())};
};

TEST_P(StoreFilesTest, ADeletedOneIsNoticedBeforeARegistrationIsAcknowledged) {
  fs::remove(file_);
  ExpectRefused(" was deleted");
  EXPECT_TRUE(told_.Becomes(true));
  EXPECT_THAT(told_.problem(), HasSubstr(file_ + " was deleted"));
}

TEST_P(StoreFilesTest, AReplacedOneIsNoticedAndOneThatIsBackIsGood) {
  const std::string aside = directory_ / "aside";
  fs::rename(file_, aside);
  WriteFile(file_, "");
  ExpectRefused(" was replaced");
  EXPECT_TRUE(told_.Becomes(true));
  fs::rename(aside, file_);
  EXPECT_TRUE(told_.Becomes(false));
  Value(registry_.Register(Request("leg", 2)));
  EXPECT_EQ(Where(registry_, "leg"), RevisionOf(2));
}

TEST_P(StoreFilesTest, NobodyHasToRegisterForItToBeTold) {
  fs::remove(file_);
  EXPECT_TRUE(told_.Becomes(true));
}

INSTANTIATE_TEST_SUITE_P(OfTheStore, StoreFilesTest,
                         testing::Values("", "-wal", "-shm"));

/// A way to write a store in its place; `other` is another store.
struct Overwriting {
  const char* what;
  void (*overwrite)(const std::string& path, const std::string& other);
};

void PrintTo(const Overwriting& overwriting, std::ostream* out) {
  *out << overwriting.what;
}

class OverwrittenStoreTest : public testing::TestWithParam<Overwriting> {};

TEST_P(OverwrittenStoreTest, IsNoticedAndStaysAsItWasWritten) {
  const TemporaryDirectory directory;
  const std::string path = directory / "models.db";
  const std::string other = directory / "other.db";
  Value(Registry(OpenStore(other)).Register(Request("other", 3)));
  Told told;
  std::string written;
  {
    StoreOptions options = told.Options();
    options.quiet = std::chrono::hours(1);
    Registry registry(OpenStore(path, options));
    Value(registry.Register(Request("arm", 1)));
    GetParam().overwrite(path, other);
    written = ReadFile(path);
    const auto error = Error(registry.Register(Request("leg", 2)));
    EXPECT_EQ(error.code, Code::kStoreUnavailable);
    EXPECT_THAT(error.message,
                HasSubstr(path + " was written by another program"));
    EXPECT_TRUE(registry.Delete("arm", std::nullopt));
    EXPECT_TRUE(told.Becomes(true));
    EXPECT_THAT(told.problem(), ContainsRegex("its log, of [1-9][0-9]* pages, "
                                              "is now .*models.db-wal.left"));
    // Else it would be taken for the log of what is there now, also after a
    // crash.
    EXPECT_FALSE(fs::exists(path + "-wal"));
    EXPECT_TRUE(fs::exists(path + "-wal.left"));
    // What it has it serves.
    EXPECT_EQ(Where(registry, "arm"), RevisionOf(1));
  }
  EXPECT_TRUE(ReadFile(path) == written);
  EXPECT_FALSE(fs::exists(path + "-wal"));
  if (written == ReadFile(other)) {
    Registry registry(OpenStore(path));
    EXPECT_EQ(Where(registry, "other"), RevisionOf(3));
    EXPECT_THAT(Where(registry, "arm"), HasSubstr("no model is named"));
  }
}

INSTANTIATE_TEST_SUITE_P(
    By, OverwrittenStoreTest,
    testing::Values(
        Overwriting{"ACopy",
                    [](const std::string& path, const std::string& other) {
                      fs::copy_file(other, path,
                                    fs::copy_options::overwrite_existing);
                    }},
        Overwriting{"Nothing",
                    [](const std::string& path, const std::string&) {
                      fs::resize_file(path, 0);
                    }},
        Overwriting{"APartOfIt",
                    [](const std::string& path, const std::string&) {
                      fs::resize_file(path, fs::file_size(path) / 2);
                    }},
        Overwriting{"OneByte",
                    [](const std::string& path, const std::string&) {
                      const auto before = fs::last_write_time(path);
                      // The clock of files ticks now and then.
                      while (fs::last_write_time(path) == before) {
                        std::fstream file(path, std::ios::in | std::ios::out |
                                                    std::ios::binary);
                        file.seekp(5000);
                        file.put('x');
                      }
                    }}),
    [](const auto& test) { return test.param.what; });

/// The store of another server, in the place of one that is in use.
void Overwrite(const std::string& path, const std::string& other) {
  fs::copy_file(other, path, fs::copy_options::overwrite_existing);
}

TEST(StoreFiles, ALogThatIsPutAsideStays) {
  const TemporaryDirectory directory;
  const std::string path = directory / "models.db";
  const std::string other = directory / "other.db";
  for (const int k : {1, 2, 3}) {
    Value(Registry(OpenStore(other)).Register(Request("other", k)));
    Told told;
    StoreOptions options = told.Options();
    options.quiet = std::chrono::hours(1);
    Registry registry(OpenStore(path, options));
    Value(registry.Register(Request("arm", 4)));
    const std::string log = ReadFile(path + "-wal");
    Overwrite(path, other);
    EXPECT_TRUE(told.Becomes(true));
    const std::string left =
        path + "-wal.left" + (k == 1 ? "" : std::to_string(k));
    EXPECT_THAT(told.problem(), EndsWith(left));
    EXPECT_TRUE(ReadFile(left) == log);
  }
}

TEST(StoreFiles, OneThatIsOverwrittenJustBeforeTheEndIsToldOf) {
  const TemporaryDirectory directory;
  const std::string path = directory / "models.db";
  const std::string other = directory / "other.db";
  Value(Registry(OpenStore(other)).Register(Request("other", 3)));
  Told told;
  {
    StoreOptions options = told.Options();
    options.quiet = options.look = std::chrono::hours(1);
    Registry registry(OpenStore(path, options));
    Value(registry.Register(Request("arm", 1)));
    Overwrite(path, other);
  }
  EXPECT_THAT(told.problem(), HasSubstr(path + "-wal.left"));
  EXPECT_TRUE(ReadFile(path) == ReadFile(other));
  Registry registry(OpenStore(path));
  EXPECT_EQ(Where(registry, "other"), RevisionOf(3));
}

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
  constexpr int kModels = 60;
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

TEST(StoreFiles, AStoreIsLockedAsAFileThatIsWritten) {
  const TemporaryDirectory directory;
  const std::string path = directory / "models.db";
  WriteFile(path, "");
  const auto lock = FileLock::AcquireItself(path);
  const auto* held = std::get_if<std::unique_ptr<FileLock>>(&lock);
  ASSERT_NE(held, nullptr);
  EXPECT_EQ(fcntl((*held)->descriptor(), F_GETFL) & O_ACCMODE, O_RDWR);
  EXPECT_EQ(ReadFile(path), "");
}

/// Replaces the store of a test when its third connection is opened.
struct Replacement {
  static inline std::string path;
  static inline int opened = 0;
  static int Run(sqlite3*, const char**, const sqlite3_api_routines*) {
    if (++opened == 3) {
      fs::copy_file(path, path + ".copy");
      fs::rename(path + ".copy", path);
    }
    return SQLITE_OK;
  }
};

TEST(StoreFiles, OneThatIsReplacedWhileItIsOpenedIsNamed) {
  const TemporaryDirectory directory;
  Replacement::path = directory / "models.db";
  {
    OpenStore(Replacement::path);
  }
  const auto run = reinterpret_cast<void (*)()>(Replacement::Run);
  sqlite3_auto_extension(run);
  EXPECT_THAT(WhyItDoesNotOpen(Replacement::path),
              AllOf(HasSubstr(Replacement::path + " was replaced"),
                    testing::Not(HasSubstr("tables"))));
  sqlite3_cancel_auto_extension(run);
}

// A function for SQL that deletes the store, whose path is the argument.
int AddRemove(sqlite3* connection, const char** /*error*/,
              const sqlite3_api_routines* /*api*/) {
  return sqlite3_create_function(
      connection, "remove_file", 1, SQLITE_UTF8 | SQLITE_INNOCUOUS, nullptr,
      [](sqlite3_context*, int, sqlite3_value** path) {
        unlink(reinterpret_cast<const char*>(sqlite3_value_text(path[0])));
      },
      nullptr, nullptr);
}

TEST(StoreFiles, OneThatGoesInTheMiddleOfARegistrationIsNoticed) {
  const TemporaryDirectory directory;
  const std::string path = directory / "models.db";
  const auto add = reinterpret_cast<void (*)()>(AddRemove);
  sqlite3_auto_extension(add);
  Registry registry(OpenStore(path));
  sqlite3_cancel_auto_extension(add);
  Value(registry.Register(Request("arm", 1)));
  ASSERT_EQ(RunSql(path,
                   "CREATE TRIGGER harm AFTER INSERT ON names BEGIN"
                   " SELECT remove_file('" +
                       path + "'); END"),
            "");
  const auto error = Error(registry.Register(Request("leg", 2)));
  EXPECT_EQ(error.code, Code::kStoreUnavailable);
  EXPECT_THAT(error.message, HasSubstr("was deleted"));
}

// By a backup that is put in its place, say.
TEST(StoreFiles, OneThatIsReplacedKeepsWhatReplacedIt) {
  const TemporaryDirectory directory;
  const std::string path = directory / "models.db";
  const std::string other = directory / "other.db";
  Value(Registry(OpenStore(other)).Register(Request("other", 3)));
  {
    Registry registry(OpenStore(path));
    Value(registry.Register(Request("arm", 1)));
    fs::rename(other, path);
    EXPECT_EQ(Error(registry.Register(Request("leg", 2))).code,
              Code::kStoreUnavailable);
  }
  Registry registry(OpenStore(path));
  EXPECT_EQ(Where(registry, "other"), RevisionOf(3));
  EXPECT_THAT(Where(registry, "arm"), HasSubstr("no model is named"));
  EXPECT_TRUE(std::get<StoreCheck>(CheckStore(path)).good());
}

// What was overwritten is gone; what is there now must not be mixed with it.
TEST(StoreFiles, OneThatIsOverwrittenStaysAsItIsWhenTheServerIsKilled) {
  const TemporaryDirectory directory;
  const std::string path = directory / "models.db";
  const std::string other = directory / "other.db";
  Value(Registry(OpenStore(other)).Register(Request("other", 3)));
  int told[2];
  ASSERT_EQ(pipe(told), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(told[0]);
    const auto tell = [&](const std::string& problem) {
      const char byte = problem.empty() ? '0' : '1';
      if (write(told[1], &byte, 1) != 1) _exit(1);
    };
    Registry registry(OpenStore(path, {.quiet = std::chrono::hours(1),
                                       .look = std::chrono::milliseconds(1),
                                       .tell = tell}));
    for (int k = 0; k < 20; ++k) {
      Value(registry.Register(Request("arm" + std::to_string(k), k + 4)));
    }
    tell("");
    while (true) pause();
  }
  close(told[1]);
  char byte = 0;
  EXPECT_EQ(read(told[0], &byte, 1), 1);
  EXPECT_EQ(byte, '0');
  Overwrite(path, other);
  EXPECT_EQ(read(told[0], &byte, 1), 1);
  EXPECT_EQ(byte, '1');
  kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  close(told[0]);
  EXPECT_TRUE(ReadFile(path) == ReadFile(other));
  Registry registry(OpenStore(path));
  EXPECT_EQ(Value(registry.List(0, "")).models.size(), 1u);
  EXPECT_EQ(Where(registry, "other"), RevisionOf(3));
  EXPECT_TRUE(std::get<StoreCheck>(CheckStore(path)).good());
}

/// A server in a process of its own, until it is stopped.
class OtherServer {
 public:
  explicit OtherServer(const std::string& path) {
    int ready[2], end[2];
    if (pipe(ready) != 0 || pipe(end) != 0) std::abort();
    child_ = fork();
    if (child_ == 0) {
      close(ready[0]);
      close(end[1]);
      {
        Registry registry(OpenStore(path));
        Value(registry.Register(Request("arm", 1)));
        char byte = 1;
        // Ends when the other end is closed.
        if (write(ready[1], &byte, 1) != 1 || read(end[0], &byte, 1) != 0) {
          _exit(1);
        }
      }
      _exit(testing::Test::HasFailure() ? 1 : 0);
    }
    close(ready[1]);
    close(end[0]);
    end_ = end[1];
    char byte = 0;
    EXPECT_EQ(read(ready[0], &byte, 1), 1);
    close(ready[0]);
  }
  ~OtherServer() {
    close(end_);
    int status = 0;
    EXPECT_EQ(waitpid(child_, &status, 0), child_);
    EXPECT_EQ(status, 0);
  }
  OtherServer(const OtherServer&) = delete;
  OtherServer& operator=(const OtherServer&) = delete;

 private:
  pid_t child_ = -1;
  int end_ = -1;
};

TEST(StoreFiles, AHardLinkDoesNotLetASecondServerIn) {
  const TemporaryDirectory directory;
  const std::string path = directory / "models.db";
  const std::string link = directory / "link.db";
  {
    const OtherServer other(path);
    fs::create_hard_link(path, link);
    EXPECT_THAT(WhyItDoesNotOpen(link), HasSubstr("in use by another torqued"));
  }
  Registry registry(OpenStore(link));
  EXPECT_EQ(Where(registry, "arm"), RevisionOf(1));
  // Nor does it in one process.
  EXPECT_THAT(WhyItDoesNotOpen(path), HasSubstr("in use by another torqued"));
}

TEST(StoreFiles, ARemovedLockFileDoesNotLetASecondServerIn) {
  const TemporaryDirectory directory;
  const std::string path = directory / "models.db";
  {
    const OtherServer other(path);
    for (int round = 0; round < 2; ++round) {
      fs::remove(path + ".lock");
      EXPECT_THAT(WhyItDoesNotOpen(path),
                  HasSubstr("in use by another torqued"));
    }
    // Nor is it a place for a backup, by any name.
    const std::string copy = directory / "copy.db";
    const std::string link = directory / "link.db";
    Value(Registry(OpenStore(copy)).Register(Request("leg", 2)));
    fs::create_hard_link(path, link);
    const auto failure = BackUpStore(copy, link, {.overwrite = true});
    ASSERT_TRUE(failure);
    EXPECT_THAT(failure->message, HasSubstr("of a running server"));
  }
  EXPECT_EQ(WhyItDoesNotOpen(path), "");
}

// Closing any descriptor of a file would end the locks by which SQLite knows
// that the log is in use.
TEST(StoreFiles, ARefusedServerOfTheSameProcessLeavesTheLocksOfSqlite) {
  const TemporaryDirectory directory;
  const std::string path = directory / "models.db";
  int go[2];
  ASSERT_EQ(pipe(go), 0);
  // Before the store is open: SQLite is not for both sides of a fork.
  const pid_t child = fork();
  if (child == 0) {
    char byte = 0;
    close(go[1]);
    const bool told = read(go[0], &byte, 1) == 1;
    // The last to close a store takes its log away.
    _exit(told && RunSql(path, "SELECT count(*) FROM names") == "0" ? 0 : 1);
  }
  close(go[0]);
  Registry registry(OpenStore(path));
  fs::remove(path + ".lock");
  EXPECT_THAT(WhyItDoesNotOpen(path), HasSubstr("in use by another torqued"));
  ASSERT_EQ(write(go[1], "1", 1), 1);
  close(go[1]);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(fs::exists(path + "-wal"));
  Value(registry.Register(Request("arm", 1)));
}

}  // namespace
}  // namespace torqued::server
