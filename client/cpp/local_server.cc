#include "client/cpp/local_server.h"

#include <fcntl.h>
#include <grpcpp/grpcpp.h>
#include <sys/prctl.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <future>
#include <iterator>
#include <mutex>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>

#include "client/cpp/health.h"

namespace torqued::client {
namespace {

using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;
namespace fs = std::filesystem;

constexpr milliseconds kPoll{5};
constexpr std::streamoff kMaxLogBytes = 4096;

bool IsExecutable(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

std::string LastBytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return {};
  const std::streamoff size = file.tellg();
  file.seekg(std::max<std::streamoff>(size - kMaxLogBytes, 0));
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string FirstLine(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  // Without its newline it is still being written.
  if (!std::getline(file, line) || file.eof()) return {};
  return line;
}

bool Serves(const std::shared_ptr<grpc::Channel>& channel,
            Clock::time_point deadline) {
  try {
    // Without a health service, answering is all it can do to serve.
    return CheckHealth(channel, deadline).health != Health::kNotServing;
  } catch (const Error&) {
    return false;
  }
}

std::string DescribeExit(int status) {
  if (WIFSIGNALED(status)) {
    return "was killed by signal " + std::to_string(WTERMSIG(status));
  }
  return "exited with code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

class LocalServer::TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (fs::temp_directory_path() / "torqued-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      throw LocalServerError("no temporary directory " + name + ": " +
                             std::strerror(errno));
    }
    path_ = name;
  }
  ~TemporaryDirectory() { Remove(); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const fs::path& path() const { return path_; }
  void Remove() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

 private:
  fs::path path_;
};

// A child process, started and reaped by a thread that lives as long as the
// child: the kernel sends the parent-death signal when the *thread* that forked
// ends, so it must not be one of the caller's.
class LocalServer::Process {
 public:
  Process(const std::vector<std::string>& command, const fs::path& log) {
    std::promise<pid_t> promise;
    std::future<pid_t> started = promise.get_future();
    keeper_ = std::thread(
        [this, command, log, promise = std::move(promise)]() mutable {
          const pid_t pid = Start(command, log);
          promise.set_value(pid < 0 ? -errno : pid);
          if (pid >= 0) Reap(pid);
        });
    pid_ = started.get();
    if (pid_ < 0) {
      keeper_.join();
      throw LocalServerError("cannot start " + command.front() + ": " +
                             std::strerror(-pid_));
    }
  }
  ~Process() {
    Stop(milliseconds::zero());
    keeper_.join();
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  int pid() const { return pid_; }

  // The wait status once it has ended.
  std::optional<int> exit_status() const {
    const std::lock_guard lock(mutex_);
    return exit_status_;
  }

  void Stop(milliseconds timeout) {
    std::unique_lock lock(mutex_);
    Signal(SIGTERM);
    if (!ended_.wait_for(lock, timeout,
                         [this] { return exit_status_.has_value(); })) {
      Signal(SIGKILL);
      ended_.wait(lock, [this] { return exit_status_.has_value(); });
    }
  }

 private:
  // Returns the child's id, or -1 with errno.
  static pid_t Start(const std::vector<std::string>& command,
                     const fs::path& log) {
    // Between fork and exec only async-signal-safe calls: no allocation.
    std::vector<char*> argv;
    argv.reserve(command.size() + 1);
    for (const std::string& argument : command) {
      argv.push_back(const_cast<char*>(argument.c_str()));
    }
    argv.push_back(nullptr);
    const char* log_name = log.c_str();
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
    const int out = open(log_name, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (in < 0 || out < 0 || dup2(in, STDIN_FILENO) < 0 ||
        dup2(out, STDOUT_FILENO) < 0 || dup2(out, STDERR_FILENO) < 0) {
      _exit(126);
    }
    // Kept by mistake they would only be open; closed on exec by mistake, the
    // server's next file would become its stderr.
    if (in > STDERR_FILENO) close(in);
    if (out > STDERR_FILENO) close(out);
    execv(argv[0], argv.data());
    const char* reason = strerrordesc_np(errno);
    if (write(STDERR_FILENO, reason, std::strlen(reason)) < 0) _exit(126);
    _exit(127);
  }

  void Reap(pid_t pid) {
    // First without reaping, so that the id stays ours while it may be
    // signalled.
    siginfo_t info;
    while (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) <
               0 &&
           errno == EINTR) {
    }
    int status = 0;
    {
      const std::lock_guard lock(mutex_);
      while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
      }
      exit_status_ = status;
    }
    ended_.notify_all();
  }

  void Signal(int signal) {
    if (!exit_status_) kill(pid_, signal);
  }

  std::thread keeper_;
  pid_t pid_ = -1;
  mutable std::mutex mutex_;
  std::condition_variable ended_;
  std::optional<int> exit_status_;
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
  if (const fs::path sibling = self.parent_path() / "torqued";
      IsExecutable(sibling)) {
    return sibling;
  }

  const char* path = std::getenv("PATH");
  std::istringstream directories(path == nullptr ? "" : path);
  for (std::string directory; std::getline(directories, directory, ':');) {
    if (directory.empty()) continue;
    if (const fs::path found = fs::path(directory) / "torqued";
        IsExecutable(found)) {
      return found;
    }
  }
  throw LocalServerError(
      "there is no executable torqued, neither next to " + self.string() +
      " nor on the PATH: name it with the environment variable "
      "TORQUED_SERVER, or add its directory to the PATH");
}

LocalServer::LocalServer(const LocalServerOptions& options)
    : stop_timeout_(options.stop_timeout) {
  const fs::path binary =
      options.binary.empty() ? FindServerBinary() : options.binary;
  if (!IsExecutable(binary)) {
    throw LocalServerError(binary.string() + " is no executable file");
  }
  directory_ = std::make_unique<TemporaryDirectory>();
  const fs::path& directory = directory_->path();
  const fs::path store =
      options.store.empty() ? directory / "models.db" : options.store;

  const std::string socket = directory / "socket";
  const std::string listen = socket.size() < sizeof(sockaddr_un::sun_path)
                                 ? "unix:" + socket
                                 : "127.0.0.1:0";

  std::vector<std::string> command = {fs::absolute(binary).string(),
                                      "--listen",
                                      listen,
                                      "--address-file",
                                      (directory / "address").string(),
                                      "--store",
                                      store.string()};
  command.insert(command.end(), options.arguments.begin(),
                 options.arguments.end());
  process_ = std::make_unique<Process>(command, directory / "stderr");
  try {
    WaitUntilServing(binary, options.start_timeout, options.stop);
  } catch (...) {
    process_->Stop(milliseconds(500));
    throw;
  }
}

LocalServer::~LocalServer() { Stop(); }

void LocalServer::Stop() {
  process_->Stop(stop_timeout_);
  directory_->Remove();
}

int LocalServer::pid() const { return process_->pid(); }

std::string LocalServer::Log() const {
  return LastBytes(directory_->path() / "stderr");
}

void LocalServer::WaitUntilServing(const fs::path& binary, milliseconds timeout,
                                   const std::stop_token& stop) {
  const auto deadline = SteadyClock::now() + timeout;
  const auto call_deadline = Clock::now() + timeout;
  const auto fail = [this, &binary](const std::string& problem) {
    const std::string log = Log();
    throw LocalServerError("the local server " + binary.string() + " " +
                           problem +
                           (log.empty() ? "" : "; it wrote:\n" + log));
  };

  std::shared_ptr<grpc::Channel> channel;
  while (true) {
    if (const auto status = process_->exit_status()) {
      fail(DescribeExit(*status));
    }
    if (!channel) {
      address_ = FirstLine(directory_->path() / "address");
      if (!address_.empty()) {
        grpc::ChannelArguments arguments;
        arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
        channel = grpc::CreateCustomChannel(
            address_, grpc::InsecureChannelCredentials(), arguments);
      }
    }
    if (channel && Serves(channel, call_deadline)) return;
    if (stop.stop_requested()) fail("was given up");
    if (SteadyClock::now() >= deadline) {
      fail("did not serve within " + std::to_string(timeout.count()) + " ms");
    }
    std::this_thread::sleep_for(kPoll);
  }
}

}  // namespace torqued::client
