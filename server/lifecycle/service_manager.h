// What systemd is told of the process, as by sd_notify(3).
#pragma once

#include <functional>
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

}  // namespace torqued::server
