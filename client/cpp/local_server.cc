#include "client/cpp/local_server.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <future>
#include <iterator>
#include <mutex>
#include <sstream>
#include <thread>

namespace torqued::client {
namespace {

using std::chrono::milliseconds;
namespace fs = std::filesystem;

constexpr milliseconds kPoll{5};
constexpr std::streamoff kMaxLogBytes = 4096;

bool IsExecutable(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

fs::path NewDirectory() {
  std::string name = (fs::temp_directory_path() / "torqued-XXXXXX").string();
  if (mkdtemp(name.data()) != nullptr) return name;
  throw LocalServerError("no temporary directory " + name + ": " +
                         std::strerror(errno));
}

// Returns the child's id, or -1.
pid_t Start(const std::vector<std::string>& command, const fs::path& log) {
  // Between fork and exec only async-signal-safe calls: no allocation.
  std::vector<char*> argv;
  argv.reserve(command.size() + 1);
  for (const std::string& argument : command) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  const pid_t parent = getpid();
  sigset_t no_signals;
  sigemptyset(&no_signals);

  const pid_t pid = fork();
  if (pid != 0) return pid;

  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(126);  // it died before the prctl
  sigprocmask(SIG_SETMASK, &no_signals, nullptr);
  // In this order `in` is 0 or `out` is above it, whatever was closed.
  const int in = open("/dev/null", O_RDONLY);
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
      dup2(out, STDERR_FILENO) < 0) {
    _exit(126);
  }
  execv(argv[0], argv.data());
  const char* reason = strerrordesc_np(errno);
  if (write(STDERR_FILENO, reason, std::strlen(reason)) < 0) _exit(126);
  _exit(127);
}

// Returns when the child has ended. It stays to be reaped, so that its id is
// not given to another process, which Stop would signal.
std::string HowItEnds(pid_t pid) {
  siginfo_t info{};
  while (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) < 0 &&
         errno == EINTR) {
  }
  return (info.si_code == CLD_EXITED ? "exited with code "
                                     : "was killed by signal ") +
         std::to_string(info.si_status);
}

}  // namespace

struct LocalServer::Process {
  pid_t pid = -1;
  std::shared_future<std::string> end;
  std::once_flag stopped;
  // The kernel sends the parent-death signal when the *thread* that forked
  // ends, so one of our own forks, and lives as long as the child.
  std::thread keeper;
};

fs::path FindServerBinary() {
  if (const char* named = std::getenv("TORQUED_SERVER");
      named != nullptr && *named != '\0') {
    if (IsExecutable(named)) return named;
    throw LocalServerError(std::string("$TORQUED_SERVER is ") + named +
                           ", which is no executable file");
  }

  std::error_code ignored;
  const fs::path self = fs::read_symlink("/proc/self/exe", ignored);
  const char* path = std::getenv("PATH");
  std::istringstream directories(self.parent_path().string() + ":" +
                                 (path == nullptr ? "" : path));
  for (std::string directory; std::getline(directories, directory, ':');) {
    const fs::path found = fs::path(directory) / "torqued";
    if (!directory.empty() && IsExecutable(found)) return found;
  }
  throw LocalServerError(
      "there is no executable torqued, neither next to " + self.string() +
      " nor on the PATH: name it with the environment variable "
      "TORQUED_SERVER, or add its directory to the PATH");
}

LocalServer::LocalServer(const LocalServerOptions& options)
    : stop_timeout_(options.stop_timeout),
      process_(std::make_unique<Process>()) {
  const fs::path binary =
      options.binary.empty() ? FindServerBinary() : options.binary;
  if (!IsExecutable(binary)) {
    throw LocalServerError(binary.string() + " is no executable file");
  }
  directory_ = NewDirectory();
  const std::string socket = directory_ / "socket";
  const fs::path store =
      options.store.empty() ? directory_ / "models.db" : options.store;
  std::vector<std::string> command = {
      fs::absolute(binary).string(),
      "--listen",
      socket.size() < sizeof(sockaddr_un::sun_path) ? "unix:" + socket
                                                    : "127.0.0.1:0",
      "--address-file",
      (directory_ / "address").string(),
      "--store",
      store.string()};
  command.insert(command.end(), options.arguments.begin(),
                 options.arguments.end());

  std::promise<pid_t> started;
  std::promise<std::string> ended;
  process_->end = ended.get_future().share();
  std::future<pid_t> pid = started.get_future();
  process_->keeper = std::thread([command, log = directory_ / "stderr",
                                  started = std::move(started),
                                  ended = std::move(ended)]() mutable {
    const pid_t child = Start(command, log);
    const std::string problem = std::strerror(errno);
    started.set_value(child);
    ended.set_value(child < 0 ? "cannot start: " + problem : HowItEnds(child));
  });
  process_->pid = pid.get();
  const std::string problem = WaitUntilServing(options);
  if (problem.empty()) return;
  const std::string log = Log();
  stop_timeout_ = std::min(stop_timeout_, milliseconds(500));
  Stop();
  throw LocalServerError("the local server " + binary.string() + " " + problem +
                         (log.empty() ? "" : "; it wrote:\n" + log));
}

LocalServer::~LocalServer() { Stop(); }

void LocalServer::Stop() {
  std::call_once(process_->stopped, [this] {
    const pid_t pid = process_->pid;
    if (pid > 0) kill(pid, SIGTERM);
    if (process_->end.wait_for(stop_timeout_) != std::future_status::ready) {
      kill(pid, SIGKILL);
    }
    process_->keeper.join();
    while (pid > 0 && waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
  });
}

int LocalServer::pid() const { return process_->pid; }

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
  while (process_->end.wait_for(kPoll) != std::future_status::ready) {
    // The server renames it to this name once it serves.
    std::ifstream file(directory_ / "address");
    if (std::getline(file, address_)) return {};
    if (options.stop.stop_requested()) return "was given up";
    if (std::chrono::steady_clock::now() >= deadline) {
      return "did not serve within " +
             std::to_string(options.start_timeout.count()) + " ms";
    }
  }
  return process_->end.get();
}

}  // namespace torqued::client
