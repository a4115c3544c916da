#include "server/lifecycle/service_manager.h"

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
#include <ctime>
#include <mutex>
#include <string>
#include <utility>

namespace torqued::server {
namespace {

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
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  TellManager("RELOADING=1\nMONOTONIC_USEC=" +
              std::to_string(now.tv_sec * 1'000'000 + now.tv_nsec / 1000));
}

std::jthread KeepManagerContent(std::function<bool()> content) {
  const std::chrono::microseconds interval(NumberIn("WATCHDOG_USEC") / 2);
  const std::int64_t process = NumberIn("WATCHDOG_PID");
  if (interval.count() <= 0 || (process != 0 && process != getpid())) return {};
  return std::jthread(
      [interval, content = std::move(content)](const std::stop_token& stop) {
        pthread_setname_np(pthread_self(), "keepalive");
        std::mutex mutex;
        std::condition_variable_any stopped;
        std::unique_lock lock(mutex);
        while (!stop.stop_requested()) {
          if (content()) TellManager("WATCHDOG=1");
          stopped.wait_for(lock, stop, interval, [] { return false; });
        }
      });
}

}  // namespace torqued::server
