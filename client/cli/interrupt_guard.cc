#include "client/cli/interrupt_guard.h"

#include <utility>

namespace torqued::cli {
namespace {

// nohup, for one, has it so.
bool IsIgnored(int signal) {
  struct sigaction action{};
  return sigaction(signal, nullptr, &action) == 0 &&
         action.sa_handler == SIG_IGN;
}

// Sent to the watcher alone, to end it.
constexpr int kEndOfWatch = SIGUSR1;

}  // namespace

InterruptGuard::InterruptGuard(std::function<void()> clean_up) {
  sigemptyset(&signals_);
  sigaddset(&signals_, kEndOfWatch);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (!IsIgnored(signal)) sigaddset(&signals_, signal);
  }
  pthread_sigmask(SIG_BLOCK, &signals_, &mask_before_);
  watcher_ = std::thread([this, clean_up = std::move(clean_up)] {
    int received = 0;
    sigwait(&signals_, &received);
    if (received == kEndOfWatch) return;
    clean_up();
    std::signal(received, SIG_DFL);
    // That one only: the destructor may be sending kEndOfWatch.
    sigset_t the_one;
    sigemptyset(&the_one);
    sigaddset(&the_one, received);
    pthread_sigmask(SIG_UNBLOCK, &the_one, nullptr);
    std::raise(received);
  });
}

InterruptGuard::~InterruptGuard() {
  pthread_kill(watcher_.native_handle(), kEndOfWatch);
  watcher_.join();
  pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

}  // namespace torqued::cli
