// The signals of the process as events that the main thread waits for.
#pragma once

#include <chrono>

namespace torqued::server {

/// SIGTERM and SIGINT stay pending until waited for. So do SIGHUP, SIGUSR1 and
/// SIGUSR2, which would end the process and here do nothing: whoever waits logs
/// one line for each and goes on waiting. SIGPIPE is ignored. To be called
/// before other threads start: they inherit the mask.
void BlockSignals();

/// The number of the signal that came, SIGTERM or SIGINT; 0 when none came in
/// that time.
int WaitForStopSignal(std::chrono::milliseconds at_most);

/// Whether SIGTERM or SIGINT was pending, which this takes. Leaves the others
/// pending and logs nothing.
bool TakeStopSignal();

}  // namespace torqued::server
