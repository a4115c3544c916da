#include "client/cpp/local_server.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "client/cpp/client.h"

namespace torqued::client {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

// A directory of this test, also for the temporary files of what it starts.
class LocalServerTest : public ::testing::Test {
 protected:
  LocalServerTest() {
    std::string name =
        (fs::path(::testing::TempDir()) / "local_server_test.XXXXXX").string();
    directory_ = mkdtemp(name.data());
    setenv("TMPDIR", directory_.c_str(), 1);
  }
  ~LocalServerTest() override {
    unsetenv("TMPDIR");
    fs::remove_all(directory_);
  }

  std::string Script(const std::string& text) {
    const fs::path path = directory_ / "script";
    std::ofstream(path) << "#!/bin/sh\n" << text;
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }
  bool HasTemporaryFiles() const {
    for (const auto& entry : fs::directory_iterator(directory_)) {
      if (entry.path().filename().string().starts_with("torqued-")) return true;
    }
    return false;
  }
  static std::string FailureOf(const LocalServerOptions& options) {
    try {
      const LocalServer server(options);
    } catch (const LocalServerError& error) {
      return error.what();
    }
    return "it started";
  }

  fs::path directory_;
};

bool IsAlive(int pid) { return kill(pid, 0) == 0; }
bool HasChildren() { return waitpid(-1, nullptr, WNOHANG) >= 0; }

TEST_F(LocalServerTest, ServesAndLeavesNothingBehind) {
  int pid = 0;
  {
    LocalServer server({.binary = TORQUED_SERVER_BINARY});
    pid = server.pid();
    // In a directory that only this user may enter.
    EXPECT_THAT(server.address(), ::testing::StartsWith("unix:"));
    const auto directory = fs::path(server.address().substr(5)).parent_path();
    EXPECT_EQ(fs::status(directory).permissions(), fs::perms::owner_all);
    EXPECT_TRUE(Client::Connect(server.address()).ListModels().empty());
    EXPECT_TRUE(HasTemporaryFiles());
    EXPECT_TRUE(IsAlive(pid));
    EXPECT_TRUE(HasChildren());
  }
  EXPECT_FALSE(IsAlive(pid));
  EXPECT_FALSE(HasTemporaryFiles());
}

TEST_F(LocalServerTest, ListensOnALoopbackPortIfTheSocketsPathIsTooLong) {
  const auto deep = directory_ / std::string(100, 'd');
  fs::create_directory(deep);
  setenv("TMPDIR", deep.c_str(), 1);
  const LocalServer server({.binary = TORQUED_SERVER_BINARY});
  EXPECT_THAT(server.address(), ::testing::StartsWith("127.0.0.1:"));
  EXPECT_TRUE(Client::Connect(server.address()).ListModels().empty());
}

TEST_F(LocalServerTest, OutlivesTheThreadThatStartedIt) {
  std::optional<LocalServer> server;
  std::thread([&server] {
    server.emplace(LocalServerOptions{.binary = TORQUED_SERVER_BINARY});
  }).join();
  std::this_thread::sleep_for(milliseconds(300));
  EXPECT_TRUE(IsAlive(server->pid()));
  EXPECT_NO_THROW(Client::Connect(server->address()).ListModels());
}

TEST_F(LocalServerTest, ShowsWhatTheServerWroteWhenItDoesNotStart) {
  const std::string failure =
      FailureOf({.binary = Script("echo the store is locked >&2; exit 3\n")});
  // Which program it was, an environment variable may have said.
  EXPECT_THAT(failure, HasSubstr("the local server " + directory_.string()));
  EXPECT_THAT(failure, HasSubstr(" exited with code 3"));
  EXPECT_THAT(failure, HasSubstr("the store is locked"));
  EXPECT_FALSE(HasTemporaryFiles());
}

TEST_F(LocalServerTest, EndsAServerThatNeverServesEvenIfItIgnoresThat) {
  for (const char* text :
       {"exec sleep 100\n", "trap '' TERM\nwhile :; do sleep 0.05; done\n"}) {
    EXPECT_THAT(
        FailureOf({.binary = Script(text), .start_timeout = milliseconds(300)}),
        HasSubstr("did not serve within 300 ms"));
    EXPECT_FALSE(HasChildren());
  }
}

}  // namespace
}  // namespace torqued::client
