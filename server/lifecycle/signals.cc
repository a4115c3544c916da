#include "server/lifecycle/signals.h"

#include <csignal>
#include <cstring>
#include <ctime>
#include <initializer_list>
#include <string>

#include "server/observability/logging.h"

namespace torqued::server {
namespace {

sigset_t SetOf(std::initializer_list<int> numbers) {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : numbers) sigaddset(&set, number);
  return set;
}

sigset_t StopSignals() { return SetOf({SIGTERM, SIGINT}); }

sigset_t Signals() {
  return SetOf({SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2});
}

void LogIgnored(int number) {
  const std::string name = std::string("SIG") + sigabbrev_np(number);
  Log(LogLevel::kInfo, "signal ignored",
      {{"signal", name}, {"detail", "it has no meaning here"}});
}

}  // namespace

void BlockSignals() {
  const sigset_t set = Signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

Signal WaitForSignal(std::chrono::milliseconds at_most) {
  const sigset_t set = Signals();
  timespec time{};
  time.tv_sec = at_most.count() / 1000;
  time.tv_nsec = at_most.count() % 1000 * 1'000'000;
  const int number = sigtimedwait(&set, nullptr, &time);
  if (number <= 0) return Signal::kNone;
  if (number == SIGHUP) return Signal::kReload;
  if (number == SIGTERM || number == SIGINT) return Signal::kStop;
  LogIgnored(number);
  return Signal::kNone;
}

bool TakeStopSignal() {
  const sigset_t set = StopSignals();
  const timespec now{};
  return sigtimedwait(&set, nullptr, &now) > 0;
}

}  // namespace torqued::server
