#include "server/lifecycle/signals.h"

#include <csignal>
#include <ctime>

namespace torqued::server {
namespace {

sigset_t StopSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

}  // namespace

void BlockStopSignals() {
  const sigset_t set = StopSignals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

int WaitForStopSignal() {
  const sigset_t set = StopSignals();
  int number = 0;
  while (sigwait(&set, &number) != 0) {
  }
  return number;
}

int WaitForStopSignal(std::chrono::milliseconds at_most) {
  const sigset_t set = StopSignals();
  timespec time{};
  time.tv_sec = at_most.count() / 1000;
  time.tv_nsec = at_most.count() % 1000 * 1'000'000;
  const int number = sigtimedwait(&set, nullptr, &time);
  return number > 0 ? number : 0;
}

}  // namespace torqued::server
