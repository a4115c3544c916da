// SIGTERM and SIGINT as events that the main thread waits for.
#pragma once

#include <chrono>

namespace torqued::server {

/// Both signals stay pending until waited for; SIGPIPE is ignored. To be called
/// before other threads start: they inherit the mask.
void BlockStopSignals();

/// The number of the signal that came.
int WaitForStopSignal();
/// The same, or 0 when none came in that time.
int WaitForStopSignal(std::chrono::milliseconds at_most);

}  // namespace torqued::server
