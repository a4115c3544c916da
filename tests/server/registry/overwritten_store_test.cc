// A store that is overwritten while it is open.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <ostream>
#include <string>

#include "server/registry/registry.h"
#include "server/registry/store_check.h"
#include "tests/server/registry/fixtures.h"
#include "tests/server/registry/told.h"

namespace torqued::server {
namespace {

namespace fs = std::filesystem;
using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;
using Code = RegistryError::Code;

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
  const auto next = [&told] {
    pollfd ready{.fd = told[0], .events = POLLIN, .revents = 0};
    char byte = 0;
    const bool there = poll(&ready, 1, /*milliseconds=*/30'000) == 1;
    return there && read(told[0], &byte, 1) == 1 ? byte : '?';
  };
  EXPECT_EQ(next(), '0');
  Overwrite(path, other);
  EXPECT_EQ(next(), '1');
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

}  // namespace
}  // namespace torqued::server
