// What systemd is told of the process, as by sd_notify(3), and the end of a
// server that hangs.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

namespace torqued::server {

/// Sends lines like "READY=1" to $NOTIFY_SOCKET. Without one, or where nobody
/// takes them, does nothing.
void TellManager(std::string_view lines);

/// A reload begins; to be followed by READY=1.
void TellReloading();

/// Sends WATCHDOG=1 at half of $WATCHDOG_USEC while `content` returns true, on
/// a thread that ends with what is returned. No thread if $WATCHDOG_USEC is
/// absent or meant for another process.
std::jthread KeepManagerContent(std::function<bool()> content);

/// Checks the server so often, on a thread that ends with what is returned.
/// `check` returns what is wrong, or nothing; `tell` is called when that
/// changes; true: the server answers, as it is taken to do at first. After 3
/// checks in a row that failed, ends the process with code 70, without any
/// clean-up, so that systemd or Kubernetes starts another one.
std::jthread Watch(std::function<std::string()> check,
                   std::function<void(bool)> tell,
                   std::chrono::milliseconds interval);

}  // namespace torqued::server
