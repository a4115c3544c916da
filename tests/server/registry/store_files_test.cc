// A store whose files are deleted, replaced, linked or unlocked while it is
// open.
#include "server/registry/store_files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>

#include "server/registry/file_lock.h"
#include "server/registry/registry.h"
#include "server/registry/store_backup.h"
#include "server/registry/store_check.h"
#include "tests/server/registry/fixtures.h"
#include "tests/server/registry/told.h"

namespace torqued::server {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using Code = RegistryError::Code;

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
