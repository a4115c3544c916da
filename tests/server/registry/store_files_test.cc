// A store that is reached by other names, or loses its lock file, while it is
// open.
#include "server/registry/store_files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "server/registry/file_lock.h"
#include "server/registry/registry.h"
#include "server/registry/store_backup.h"
#include "tests/server/registry/fixtures.h"

namespace torqued::server {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

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
