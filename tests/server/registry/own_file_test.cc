// What is taken for foreign in a store's file, and what is not.
#include "server/registry/own_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "server/registry/registry.h"
#include "tests/server/registry/database.h"
#include "tests/server/registry/fixtures.h"
#include "tests/support/failing_allocations.h"

namespace torqued::server {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using Code = RegistryError::Code;

constexpr std::uintmax_t kPageBytes = 4096;  // SQLite's default

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
  static constexpr const char* kForeign = "was written by another program";

  /// Where the file's content begins that is here.
  static void WriteAt(const Opened& opened, off_t at,
                      const std::string& content) {
    EXPECT_EQ(pwrite(opened.descriptor, content.data(), content.size(), at),
              static_cast<ssize_t>(content.size()));
  }

  const TemporaryDirectory directory_;
  const std::string path_ = directory_ / "models.db";
};

// While the server itself copies its log.
TEST_F(OwnFileTest, IsForeignOnceItIsOverwrittenWhileItIsWrittenHere) {
  MakeDatabase(path_);
  const Opened opened(path_);
  opened.database.Run("PRAGMA wal_checkpoint");
  OwnFile file(path_, opened.descriptor);
  const std::string content = ReadFile(path_);
  EXPECT_TRUE(file.Change([] {}));
  EXPECT_TRUE(file.Change([&] { WriteAt(opened, 0, content); }));
  EXPECT_EQ(file.Problem(), "");
  EXPECT_TRUE(file.Change([&] { WriteAt(opened, 5000, "xyz"); }));
  EXPECT_THAT(file.Problem(), HasSubstr(kForeign));
  // Once and for all: the log is aside.
  WriteAt(opened, 0, content);
  EXPECT_THAT(file.Problem(), HasSubstr(kForeign));
  EXPECT_FALSE(file.Change([] { ADD_FAILURE(); }));
}

// Of which nothing can be known.
TEST_F(OwnFileTest, HasAProblemWithoutALogAndItsIndex) {
  for (const char* end : {"-wal", "-shm"}) {
    const std::string path = path_ + end + ".db";
    MakeDatabase(path);
    const Opened opened(path);
    fs::remove(path + end);
    OwnFile file(path, opened.descriptor);
    EXPECT_THAT(file.Problem(), HasSubstr(path + end + " cannot be opened"));
    EXPECT_FALSE(file.Change([] { ADD_FAILURE(); }));
  }
}

// By a program that has it open as the server does.
TEST_F(OwnFileTest, MayBeChangedByCommitsWhoseLogIsEmptiedBeforeItIsRead) {
  MakeDatabase(path_);
  const Opened opened(path_);
  for (const std::int64_t looked_through : {1 << 30, 0}) {
    OwnFile file(path_, opened.descriptor, looked_through);
    const auto change = [&] {
      opened.database.Run(
          "INSERT INTO rows VALUES (randomblob(100000));"
          "PRAGMA wal_checkpoint(TRUNCATE)");
    };
    change();
    EXPECT_EQ(file.Problem(), "");
    // While the server writes.
    EXPECT_TRUE(file.Change(change));
    EXPECT_EQ(file.Problem(), "");
    opened.database.Run("DELETE FROM rows; VACUUM");
    change();
    EXPECT_EQ(file.Problem(), "");
  }
  OwnFile file(path_, opened.descriptor);
  opened.database.Run("INSERT INTO rows VALUES (randomblob(100000))");
  file.NoteLog();
  opened.database.Run("PRAGMA wal_checkpoint(TRUNCATE)");
  WriteAt(opened, 5000, "xyz");
  EXPECT_THAT(file.Problem(), HasSubstr(kForeign));
}

// What it was before is no content that the log may still bring.
TEST_F(OwnFileTest, IsForeignWithAnOlderContentOnceTheLogIsCopied) {
  MakeDatabase(path_);
  const Opened opened(path_);
  OwnFile file(path_, opened.descriptor);
  std::string older;
  for (int k = 0; k < 2; ++k) {
    older = ReadFile(path_);
    opened.database.Run("INSERT INTO rows VALUES (randomblob(10000))");
    EXPECT_TRUE(
        file.Change([&] { opened.database.Run("PRAGMA wal_checkpoint"); }));
  }
  EXPECT_EQ(file.Problem(), "");
  // The end stays, as of a copy in the place of it.
  WriteAt(opened, 0, older);
  EXPECT_THAT(file.Problem(), HasSubstr(kForeign));
}

// As the formula of what the server may hold has it.
TEST_F(OwnFileTest, KeepsEightBytesForEachPage) {
  constexpr int kPages = 50'000;
  constexpr int kBytesOfBlock = 512;  // of a std::deque
  MakeSparseDatabase(path_, kPages);
  const Opened opened(path_);
  const testing_support::LargeAllocations blocks(kBytesOfBlock);
  OwnFile file(path_, opened.descriptor);
  EXPECT_LE(blocks.left(), kPages * 8 / kBytesOfBlock + 20);
  const int made = blocks.made();
  Touch(path_);
  EXPECT_EQ(file.Problem(), "");
  EXPECT_LE(blocks.made(), made + 20);
}

/// Bytes that this process has read, ever, by calls of the system.
std::int64_t BytesRead() {
  std::ifstream counts("/proc/self/io");
  std::string name;
  std::int64_t bytes = -1;
  counts >> name >> bytes;
  EXPECT_EQ(name, "rchar:");
  return bytes;
}

// As while a backup is under way, and each registration tries.
TEST_F(OwnFileTest, IsNotReadWhereNothingOfTheLogCanBeCopied) {
  MakeDatabase(path_);
  const Opened opened(path_);
  opened.database.Run("INSERT INTO rows VALUES (randomblob(5000000))");
  OwnFile file(path_, opened.descriptor);
  const auto copy = [&] { opened.database.Run("PRAGMA wal_checkpoint"); };
  EXPECT_TRUE(file.Change(copy));
  opened.database.Run("INSERT INTO rows VALUES (randomblob(5000000))");
  file.NoteLog();
  const Database reader(path_);
  reader.Run("BEGIN; SELECT count(*) FROM rows");
  EXPECT_TRUE(file.Change(copy));
  for (int k = 0; k < 3; ++k) {
    opened.database.Run("INSERT INTO rows VALUES (randomblob(10))");
    file.NoteLog();
    const std::int64_t before = BytesRead();
    EXPECT_TRUE(file.Change(copy));
    EXPECT_EQ(file.Problem(), "");
    EXPECT_LT(BytesRead() - before, 500'000);
  }
}

// Whoever writes does not read it, and waits for nobody who does.
TEST_F(OwnFileTest, IsLookedThroughBesideWritesWhereThatTakesLong) {
  MakeSparseDatabase(path_, 50'000);
  const Opened opened(path_);
  OwnFile file(path_, opened.descriptor, /*looked_through=*/1 << 20);
  EXPECT_EQ(file.KnownProblem(), "");
  Touch(path_);
  const std::int64_t before = BytesRead();
  EXPECT_EQ(file.KnownProblem(), std::nullopt);
  EXPECT_FALSE(file.Change([] { ADD_FAILURE(); }));
  EXPECT_LT(BytesRead() - before, 1 << 20);
  // There may be no turn for this thread meanwhile.
  int notes = 0;
  for (int round = 0; round < 100 && notes < 10; ++round) {
    Touch(path_);
    notes = 0;
    const std::int64_t none = BytesRead();
    std::atomic<bool> looked = false;
    std::thread looking([&] {
      EXPECT_EQ(file.Problem(), "");
      looked = true;
    });
    while (!looked) {
      file.NoteLog();
      // It has begun, and is far from its end.
      if (BytesRead() - none > 10'000'000 && !looked) ++notes;
    }
    looking.join();
  }
  EXPECT_GE(notes, 10);
  EXPECT_EQ(file.KnownProblem(), "");
  EXPECT_TRUE(file.Change([] {}));
}

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

// Of those who wait for it, some do that for long.
TEST_F(OwnFileTest, OfARegistrationThatWaitsForALookInVain) {
  Registry registry(OpenStore(path_, {.looked_through = 0, .patience = {}}));
  Value(registry.Register(Request("arm", 1)));
  std::string refused;
  for (int k = 0; refused.empty(); ++k) {
    // It may be looked through by then.
    ASSERT_LT(k, 1000);
    Touch(path_);
    const auto result = registry.Register(Request("leg", 2));
    if (const auto* error = std::get_if<RegistryError>(&result)) {
      EXPECT_EQ(error->code, Code::kStoreUnavailable);
      refused = error->message;
    }
  }
  EXPECT_THAT(refused, HasSubstr(path_ + " looks changed and is looked through;"
                                         " until that is done, nothing more"));
}

TEST_F(OwnFileTest, OfARegistrationThatWaitsUntilItIsLookedThrough) {
  Registry registry(OpenStore(path_, {.look = std::chrono::hours(1),
                                      .looked_through = 0,
                                      .patience = std::chrono::minutes(10)}));
  for (int k = 0; k < 20; ++k) {
    Touch(path_);
    Value(registry.Register(Request("arm", k + 1)));
  }
}

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

// It is then left to the next start to copy the log.
TEST_F(OwnFileTest, IsLeftAsItIsWhereMemoryRunsOutAtTheEnd) {
  const std::string other = directory_ / "other.db";
  Value(Registry(OpenStore(other)).Register(Request("other", 3)));
  bool failed = true;
  for (int after = 0; failed; ++after) {
    ASSERT_LT(after, 1000);
    const std::string path = directory_ / ("models" + std::to_string(after));
    std::string told;
    auto registry =
        std::make_unique<Registry>(OpenStore(path, LeftAlone(told)));
    Value(registry->Register(Request("arm", 1)));
    fs::copy_file(other, path, fs::copy_options::overwrite_existing);
    {
      const testing_support::FailingAllocation failing(after);
      registry.reset();
      failed = failing.failed();
    }
    EXPECT_TRUE(ReadFile(path) == ReadFile(other)) << "after " << after;
    fs::remove(path);
  }
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
