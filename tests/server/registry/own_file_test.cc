// What is taken for foreign in a store's file, and what is not.
#include "server/registry/own_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <utility>

#include "server/registry/registry.h"
#include "tests/server/registry/fixtures.h"
#include "tests/support/failing_allocations.h"

namespace torqued::server {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using Code = RegistryError::Code;

constexpr std::uintmax_t kPageBytes = 4096;  // SQLite's default

/// A connection that never copies the log of its own accord.
class Database {
 public:
  explicit Database(const std::string& path) {
    EXPECT_EQ(sqlite3_open(path.c_str(), &connection_), SQLITE_OK);
    Run("PRAGMA wal_autocheckpoint = 0");
  }
  ~Database() { sqlite3_close(connection_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void Run(const std::string& sql) const {
    EXPECT_EQ(sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr),
              SQLITE_OK)
        << sql << ": " << sqlite3_errmsg(connection_);
  }

 private:
  sqlite3* connection_ = nullptr;
};

/// With a table of rows.
void MakeDatabase(const std::string& path) {
  EXPECT_EQ(RunSql(path,
                   "PRAGMA journal_mode = WAL;"
                   "CREATE TABLE rows (content BLOB)"),
            "wal");
}

/// One of so many pages, of which almost all are holes that nothing leads to.
void MakeSparseDatabase(const std::string& path, std::uint32_t pages) {
  MakeDatabase(path);
  fs::resize_file(path, pages * kPageBytes);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(28);  // of the header: how many pages there are
  for (const int shift : {24, 16, 8, 0}) {
    file.put(static_cast<char>(pages >> shift & 0xFF));
  }
}

/// A file that SQLite has open.
struct Opened {
  explicit Opened(const std::string& path)
      : database(path),
        descriptor((database.Run("CREATE TABLE more (content BLOB)"),
                    open(path.c_str(), O_RDWR | O_CLOEXEC))) {}
  ~Opened() { close(descriptor); }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  const Database database;
  const int descriptor;
};

void Touch(const std::string& path) {
  fs::last_write_time(path,
                      fs::file_time_type::clock::now() - std::chrono::hours(1));
}

class OwnFileTest : public testing::Test {
 protected:
  const TemporaryDirectory directory_;
  const std::string path_ = directory_ / "models.db";
};

// The page that holds it SQLite neither writes nor reads: it is a hole.
TEST_F(OwnFileTest, GrowsBeyondTheByteThatSqliteLocks) {
  constexpr std::uintmax_t kLockedByte = 1 << 30;
  MakeSparseDatabase(path_, kLockedByte / kPageBytes - 8);
  const Opened opened(path_);
  OwnFile file(path_, opened.descriptor);
  opened.database.Run("INSERT INTO rows VALUES (randomblob(100000))");
  EXPECT_TRUE(
      file.Change([&] { opened.database.Run("PRAGMA wal_checkpoint"); }));
  EXPECT_GT(fs::file_size(path_), kLockedByte + kPageBytes);
  EXPECT_EQ(file.Problem(), "");
  Touch(path_);
  EXPECT_EQ(file.Problem(), "");
}

// It shrinks while it is read, to what an earlier commit has left.
TEST_F(OwnFileTest, MayBeVacuumedAndCopiedWhileItIsLookedThrough) {
  MakeSparseDatabase(path_, 100'000);
  const Opened opened(path_);
  OwnFile file(path_, opened.descriptor);
  opened.database.Run("VACUUM");
  file.NoteLog();
  Touch(path_);
  std::string problem;
  std::thread looking([&] { problem = file.Problem(); });
  // Some time within the look, or the test says less.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  opened.database.Run("PRAGMA wal_checkpoint");
  looking.join();
  EXPECT_LT(fs::file_size(path_), 10 * kPageBytes);
  EXPECT_EQ(problem, "");
  EXPECT_EQ(file.Problem(), "");
}

TEST_F(OwnFileTest, MayHaveAsManyPagesAsAnyCommitOfTheLogHasLeft) {
  MakeDatabase(path_);
  const Opened opened(path_);
  opened.database.Run(
      "INSERT INTO rows VALUES (randomblob(1000000));"
      "PRAGMA wal_checkpoint(TRUNCATE)");
  OwnFile file(path_, opened.descriptor);
  opened.database.Run("DELETE FROM rows; VACUUM");
  // So the log does not begin anew.
  const Database reader(path_);
  reader.Run("BEGIN; SELECT count(*) FROM rows");
  opened.database.Run(
      "PRAGMA wal_checkpoint;"
      "INSERT INTO rows VALUES (randomblob(10000))");
  EXPECT_LT(fs::file_size(path_), 10 * kPageBytes);
  EXPECT_EQ(file.Problem(), "");
}

// As in a file that is too large for more.
TEST_F(OwnFileTest, IsLookedAtWhereTheLogWasCopied) {
  MakeDatabase(path_);
  const Opened opened(path_);
  OwnFile file(path_, opened.descriptor, /*looked_through=*/0);
  const auto copy = [&] { opened.database.Run("PRAGMA wal_checkpoint"); };
  EXPECT_TRUE(file.Change(copy));
  opened.database.Run("INSERT INTO rows VALUES (randomblob(100000))");
  EXPECT_TRUE(file.Change(copy));
  EXPECT_EQ(file.Problem(), "");
  opened.database.Run("INSERT INTO rows VALUES (randomblob(100000))");
  EXPECT_TRUE(file.Change([&] {
    copy();
    const auto end = static_cast<off_t>(fs::file_size(path_));
    EXPECT_EQ(pwrite(opened.descriptor, "xyz", 3, end - 2000), 3);
  }));
  EXPECT_THAT(file.Problem(), HasSubstr("was written by another program"));
}

// Where memory runs out while it is noticed, nothing says that all is well.
TEST_F(OwnFileTest, IsNotTakenForItsOwnAgainAfterAnAllocationThatFailed) {
  MakeDatabase(path_);
  bool failed = true;
  for (int after = 0; failed; ++after) {
    ASSERT_LT(after, 1000);
    const std::string path = directory_ / ("models" + std::to_string(after));
    fs::copy_file(path_, path);
    const Opened opened(path);
    OwnFile file(path, opened.descriptor);
    ASSERT_EQ(pwrite(opened.descriptor, "xyz", 3, 6000), 3);
    Touch(path);
    {
      std::string problem = "memory ran out";
      const testing_support::FailingAllocation failing(after);
      try {
        problem = file.Problem();
      } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch)
      }
      failed = failing.failed();
      if (problem.empty()) ADD_FAILURE() << "after " << after;
    }
    EXPECT_THAT(file.Problem(), HasSubstr("was written by another program"))
        << "after " << after;
    EXPECT_FALSE(file.Change([] { ADD_FAILURE(); }));
    EXPECT_FALSE(fs::exists(path + "-wal")) << "after " << after;
    EXPECT_TRUE(fs::exists(path + "-wal.left")) << "after " << after;
  }
}

/// While it lives, a function is called with whether it is a log that SQLite
/// writes through to the disk; false fails that. Of files that are opened
/// meanwhile. One at a time.
class Syncs {
 public:
  explicit Syncs(std::function<bool(bool log)> asked) {
    asked_ = std::move(asked);
    system_ = sqlite3_vfs_find(nullptr);
    own_ = *system_;
    own_.zName = "syncs";
    own_.xOpen = Open;
    sqlite3_vfs_register(&own_, 1);
  }
  ~Syncs() {
    sqlite3_vfs_register(system_, 1);
    sqlite3_vfs_unregister(&own_);
  }
  Syncs(const Syncs&) = delete;
  Syncs& operator=(const Syncs&) = delete;

 private:
  static int Open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags,
                  int* opened) {
    const int result = system_->xOpen(system_, name, file, flags, opened);
    const bool log = (flags & SQLITE_OPEN_WAL) != 0;
    if (file->pMethods != nullptr &&
        (log || (flags & SQLITE_OPEN_MAIN_DB) != 0)) {
      const std::lock_guard lock(mutex_);
      sqlite3_io_methods& methods = log ? of_log_ : of_store_;
      if (methods.xSync == nullptr) {
        methods = *file->pMethods;
        sync_ = methods.xSync;
        methods.xSync = log ? Sync<true> : Sync<false>;
      }
      file->pMethods = &methods;
    }
    return result;
  }
  template <bool log>
  static int Sync(sqlite3_file* file, int flags) {
    return asked_(log) ? sync_(file, flags) : SQLITE_IOERR_FSYNC;
  }

  static inline std::mutex mutex_;
  static inline std::function<bool(bool)> asked_;
  static inline sqlite3_vfs* system_ = nullptr;
  static inline sqlite3_vfs own_{};
  static inline sqlite3_io_methods of_log_{}, of_store_{};
  static inline int (*sync_)(sqlite3_file*, int) = nullptr;
};

StoreOptions LeftAlone(std::string& problem) {
  return {.quiet = std::chrono::hours(1),
          .look = std::chrono::hours(1),
          .tell = [&problem](const std::string& told) { problem = told; }};
}

// Before it is acknowledged: it is in the log that was put aside.
TEST_F(OwnFileTest, OfARegistrationThatIsCopiedIntoAForeignOneIsNoneStored) {
  const std::string other = directory_ / "other.db";
  Value(Registry(OpenStore(other)).Register(Request("other", 3)));
  bool overwrites = false;
  const Syncs syncs([&](bool log) {
    if (!log && std::exchange(overwrites, false)) {
      fs::copy_file(other, path_, fs::copy_options::overwrite_existing);
    }
    return true;
  });
  std::string told;
  Registry registry(OpenStore(path_, LeftAlone(told)));
  Value(registry.Register(Request("arm", 1)));
  overwrites = true;
  RegisterRequest request = Request("leg", 2);
  request.source.append(5'000'000, ' ');
  const auto error = Error(registry.Register(std::move(request)));
  EXPECT_FALSE(overwrites);
  EXPECT_EQ(error.code, Code::kStoreUnavailable);
  EXPECT_THAT(error.message, HasSubstr("models.db-wal.left"));
}

// What SQLite then writes in its place was never new in the log.
TEST_F(OwnFileTest, IsItsOwnAfterALogThatTheDiskDidNotTakeOnce) {
  bool fails = false;
  const Syncs syncs(
      [&](bool log) { return !log || !std::exchange(fails, false); });
  std::string told;
  {
    Registry registry(OpenStore(path_, LeftAlone(told)));
    Value(registry.Register(Request("arm", 1)));
    fails = true;
    EXPECT_EQ(Error(registry.Register(Request("leg", 2))).code,
              Code::kStoreUnavailable);
    EXPECT_FALSE(fails);
    Value(registry.Register(Request("hand", 3)));
  }
  EXPECT_EQ(told, "");
  EXPECT_FALSE(fs::exists(path_ + "-wal.left"));
  Registry registry(OpenStore(path_));
  EXPECT_EQ(Where(registry, "hand"), RevisionOf(3));
}

}  // namespace
}  // namespace torqued::server
