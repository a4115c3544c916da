#include "client/cpp/local_server.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

namespace torqued::client {
namespace {

using std::chrono::milliseconds;
namespace fs = std::filesystem;

constexpr milliseconds kPoll{5};
constexpr std::streamoff kMaxLogBytes = 4096;

// A program of util-linux: it has the kernel end the server when its parent
// dies.
constexpr const char* kSetpriv = "/usr/bin/setpriv";

std::string FindServer() {
  const char* named = std::getenv("TORQUED_BINARY");
  if (named != nullptr && *named != '\0') return named;
  std::error_code ignored;
  const fs::path beside =
      fs::read_symlink("/proc/self/exe", ignored).replace_filename("torqued");
  return fs::is_regular_file(beside, ignored) ? beside.string() : "torqued";
}

fs::path NewDirectory() {
  std::string name = (fs::temp_directory_path() / "torqued-XXXXXX").string();
  if (mkdtemp(name.data()) != nullptr) return name;
  throw LocalServerError("no temporary directory " + name + ": " +
                         std::strerror(errno));
}

// Returns what went wrong, or 0.
int Start(const std::vector<std::string>& command, const fs::path& log,
          pid_t* pid) {
  std::vector<char*> argv(command.size() + 1);  // ends with a null pointer
  std::ranges::transform(command, argv.begin(), [](const std::string& word) {
    return const_cast<char*>(word.c_str());
  });
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, log.c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  // No signal is blocked there, whatever is blocked here.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  const int error =
      posix_spawnp(pid, argv[0], &files, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

std::string HowItEnds(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status)
             ? "exited with code " + std::to_string(WEXITSTATUS(status))
             : "was killed by signal " + std::to_string(WTERMSIG(status));
}

}  // namespace

LocalServer::LocalServer(const LocalServerOptions& options)
    : directory_(NewDirectory()) {
  const std::string binary = options.binary.empty()
                                 ? FindServer()
                                 : fs::absolute(options.binary).string();
  const std::string socket = directory_ / "socket";
  const fs::path store =
      options.store.empty() ? directory_ / "models.db" : options.store;
  std::vector<std::string> command;
  if (fs::exists(kSetpriv)) command = {kSetpriv, "--pdeathsig", "TERM"};
  command.insert(
      command.end(),
      {binary, "--listen",
       socket.size() < sizeof(sockaddr_un::sun_path) ? "unix:" + socket
                                                     : "127.0.0.1:0",
       "--address-file", directory_ / "address", "--store", store});
  command.insert(command.end(), options.arguments.begin(),
                 options.arguments.end());

  std::promise<pid_t> started;
  std::promise<std::string> ended;
  end_ = ended.get_future().share();
  std::future<pid_t> pid = started.get_future();
  keeper_ = std::thread([command, log = directory_ / "stderr",
                         started = std::move(started),
                         ended = std::move(ended)]() mutable {
    pid_t child = -1;
    const int error = Start(command, log, &child);
    // Before its id is known, so that no other one is signalled.
    if (error != 0) {
      ended.set_value(std::string("failed: ") + std::strerror(error));
    }
    started.set_value(child);
    if (error == 0) ended.set_value(HowItEnds(child));
  });
  pid_ = pid.get();
  const std::string problem = WaitUntilServing(options);
  if (problem.empty()) return;
  const std::string log = Log();
  Stop(milliseconds(500));
  throw LocalServerError("the local server " + binary + " " + problem +
                         " (the environment variable TORQUED_BINARY names " +
                         "another one)" +
                         (log.empty() ? "" : "; it wrote:\n" + log));
}

LocalServer::~LocalServer() { Stop(); }

void LocalServer::Stop(milliseconds patience) {
  std::call_once(stopped_, [&] {
    if (!EndsWithin(milliseconds(0))) kill(pid_, SIGTERM);
    if (!EndsWithin(patience)) kill(pid_, SIGKILL);
    keeper_.join();
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
  });
}

std::string LocalServer::Log() const {
  std::ifstream file(directory_ / "stderr", std::ios::binary | std::ios::ate);
  if (!file) return {};
  const std::streamoff size = file.tellg();
  file.seekg(std::max<std::streamoff>(size - kMaxLogBytes, 0));
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string LocalServer::WaitUntilServing(const LocalServerOptions& options) {
  const auto deadline =
      std::chrono::steady_clock::now() + options.start_timeout;
  while (!EndsWithin(kPoll)) {
    // The server renames it to this name once it serves.
    std::ifstream file(directory_ / "address");
    if (std::getline(file, address_)) return {};
    if (options.stop.stop_requested()) return "was given up";
    if (std::chrono::steady_clock::now() >= deadline) {
      return "did not serve within " +
             std::to_string(options.start_timeout.count()) + " ms";
    }
  }
  return end_.get();
}

}  // namespace torqued::client
