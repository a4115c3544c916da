#include "server/lifecycle/supervision.h"

#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>

#include "server/observability/logging.h"

namespace torqued::server {
namespace {

constexpr int kMostFailures = 3, kHangs = 70;
constexpr std::chrono::milliseconds kLastLines{500};

std::string_view Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// 0: not a number.
std::int64_t NumberIn(const char* name) {
  const std::string_view text = Variable(name);
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// Calls `work` so often on a thread that ends with what is returned.
std::jthread Repeat(const char* name, std::chrono::microseconds interval,
                    std::function<void()> work) {
  return std::jthread(
      [name, interval, work = std::move(work)](const std::stop_token& stop) {
        pthread_setname_np(pthread_self(), name);
        std::mutex mutex;
        std::condition_variable_any stopped;
        std::unique_lock lock(mutex);
        while (!stopped.wait_for(lock, stop, interval,
                                 [&] { return stop.stop_requested(); })) {
          try {
            work();
          } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch)
            // The next time may find memory.
          }
        }
      });
}

}  // namespace

void TellManager(std::string_view lines) {
  const std::string_view path = Variable("NOTIFY_SOCKET");
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  if (path.empty() || path.size() >= sizeof(address.sun_path)) return;
  std::memcpy(address.sun_path, path.data(), path.size());
  // An abstract address, which has no file.
  if (path.front() == '@') address.sun_path[0] = '\0';
  const int out = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (out < 0) return;
  sendto(out, lines.data(), lines.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
         reinterpret_cast<const sockaddr*>(&address),
         static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size()));
  close(out);
}

void TellReloading() {
  const auto now = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now().time_since_epoch());
  TellManager("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(now.count()));
}

std::jthread KeepManagerContent(std::function<bool()> content) {
  const std::chrono::microseconds interval(NumberIn("WATCHDOG_USEC") / 2);
  const std::int64_t process = NumberIn("WATCHDOG_PID");
  if (interval.count() <= 0 || (process != 0 && process != getpid())) return {};
  return Repeat("keepalive", interval, [content = std::move(content)] {
    if (content()) TellManager("WATCHDOG=1");
  });
}

std::jthread Watch(std::function<std::string()> check,
                   std::function<void(bool)> tell,
                   std::chrono::milliseconds interval) {
  return Repeat(
      "watchdog", interval,
      [check = std::move(check), tell = std::move(tell),
       failures = 0]() mutable {
        const std::string problem = check();
        if (problem.empty()) {
          if (std::exchange(failures, 0) == 0) return;
          Log(LogLevel::kInfo, "the server answers again");
          return tell(true);
        }
        if (++failures == 1) tell(false);
        Log(LogLevel::kError, "the server does not answer",
            {{"detail", problem}, {"checks", std::int64_t{failures}}});
        if (failures < kMostFailures) return;
        WriteOutLog(kLastLines);
        _exit(kHangs);
      });
}

}  // namespace torqued::server
