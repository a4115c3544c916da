#include "bench/step_count.h"

#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <stdexcept>

namespace torqued::bench {
namespace {

/// A process that is traced, and gone with this object.
class Traced {
 public:
  explicit Traced(pid_t process) : process_(process) {}
  ~Traced() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  Traced(const Traced&) = delete;
  Traced& operator=(const Traced&) = delete;

  /// The signal that it stopped with; 0 when it did not stop.
  int Wait() const {
    int status = 0;
    pid_t changed = 0;
    do {
      changed = waitpid(process_, &status, 0);
    } while (changed < 0 && errno == EINTR);
    return changed == process_ && WIFSTOPPED(status) ? WSTOPSIG(status) : 0;
  }
  bool Step() const {
    return ptrace(PTRACE_SINGLESTEP, process_, nullptr, nullptr) == 0;
  }
  /// Address of the next instruction.
  long Place() const {
#if defined(__x86_64__)
    return ptrace(PTRACE_PEEKUSER, process_, offsetof(user, regs.rip), nullptr);
#else
    return 0;
#endif
  }

 private:
  pid_t process_;
};

}  // namespace

std::int64_t CountBySteps(const std::function<void()>& call) {
  const pid_t process = fork();
  if (process < 0) throw std::runtime_error("no process to count in");
  if (process == 0) {
    // The counted part lies between the two stops.
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0) {
      raise(SIGSTOP);
      call();
      raise(SIGSTOP);
    }
    _exit(1);
  }
  const Traced traced(process);
  int signal = traced.Wait();
  // However this process ends.
  ptrace(PTRACE_SETOPTIONS, process, nullptr, long{PTRACE_O_EXITKILL});
  std::int64_t steps = 0;
  long place = 0;
  while (signal == (steps == 0 ? SIGSTOP : SIGTRAP) && traced.Step()) {
    signal = traced.Wait();
    // A repeated string instruction stops after every turn, at its own place.
    const long next = traced.Place();
    if (next == 0 || next != place) ++steps;
    place = next;
  }
  if (steps == 0 || signal != SIGSTOP) {
    throw std::runtime_error("instructions cannot be executed one at a time");
  }
  return steps;
}

}  // namespace torqued::bench
