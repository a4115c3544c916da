// Who oversees the process: people by signals, systemd as by sd_notify(3), and
// whoever asks for its health, itself included.
#pragma once

#include <grpcpp/security/credentials.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "server/config/settings.h"

namespace torqued::server {

/// SIGTERM, SIGINT, SIGHUP, SIGUSR1 and SIGUSR2 stay pending until waited for;
/// the last two do nothing but log a line. SIGPIPE is ignored. To be called
/// before other threads start: they inherit the mask.
void BlockSignals();

enum class Signal : std::uint8_t { kNone, kReload, kStop };

/// What came in that time: SIGHUP, or SIGTERM or SIGINT.
Signal WaitForSignal(std::chrono::milliseconds at_most);

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
/// `check` returns what is wrong, or nothing; `tell` hears when the server does
/// not answer (false), or again. After 3 failures in a row ends the process
/// with code 70, so that systemd or Kubernetes starts another one.
std::jthread Watch(std::function<std::string()> check,
                   std::function<void(bool)> tell,
                   std::chrono::milliseconds interval);

/// Asks grpc.health.v1 at the address for the whole server, over a connection
/// of its own. Why it does not answer, or nothing; `must_serve`: nor with
/// another answer than SERVING.
std::string AskHealth(
    const std::string& address,
    const std::shared_ptr<grpc::ChannelCredentials>& credentials,
    const std::string& server_name, std::chrono::milliseconds timeout,
    bool must_serve);

/// What is wrong at the address, or nothing if it serves.
std::string CheckHealth(const std::string& address, const ClientTls& tls,
                        std::chrono::milliseconds timeout);

}  // namespace torqued::server
