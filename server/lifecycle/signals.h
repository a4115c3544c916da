// The signals of the process as events that the main thread waits for.
#pragma once

#include <chrono>
#include <cstdint>

namespace torqued::server {

/// SIGTERM, SIGINT and SIGHUP stay pending until waited for. So do SIGUSR1 and
/// SIGUSR2, which would end the process and here do nothing: whoever waits logs
/// one line for each. SIGPIPE is ignored. To be called before other threads
/// start: they inherit the mask.
void BlockSignals();

enum class Signal : std::uint8_t { kNone, kReload, kStop };

/// What came in that time: SIGHUP, or SIGTERM or SIGINT.
Signal WaitForSignal(std::chrono::milliseconds at_most);

/// Whether SIGTERM or SIGINT was pending, which this takes. Leaves the others
/// pending and logs nothing.
bool TakeStopSignal();

}  // namespace torqued::server
