// Supervision of the process: by signals, by systemd (sd_notify(3)), and by its
// health, which it checks itself as well.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "server/config/settings.h"

namespace torqued::server {

/// SIGTERM, SIGINT and SIGHUP stay pending until waited for. SIGPIPE is
/// ignored. To be called before other threads start: they inherit the mask.
void BlockSignals();

/// Which of them came in that time; negative: none.
int WaitForSignal(std::chrono::milliseconds at_most);

/// Sends lines like "READY=1" to $NOTIFY_SOCKET. Does nothing without one, or
/// if it takes no messages.
void TellManager(std::string_view lines);

/// Checks the server so often, on a thread that ends with what is returned.
/// `check` returns what is wrong, or nothing, which is reported to systemd if
/// that has set $WATCHDOG_USEC: twice in that time. `tell` hears when the
/// server does not answer (false), or again. After 3 failures in a row ends the
/// process with code 70, so that systemd or Kubernetes starts another one.
std::jthread Watch(const std::function<std::string()>& check,
                   const std::function<void(bool)>& tell,
                   std::chrono::microseconds interval);

/// Asks grpc.health.v1 at the address for the whole server, over a connection
/// of its own: why it does not answer or, if it must, serve. Throws
/// std::runtime_error if a file cannot be read.
std::string CheckHealth(const std::string& address, const ClientTls& tls,
                        std::chrono::milliseconds timeout,
                        bool must_serve = true);

}  // namespace torqued::server
