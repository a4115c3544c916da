// Lines about refusals: of calls, of connections.
#pragma once

#include <string_view>

namespace torqued::server {

/// Whether one more line about a refusal is to be written: of one reason and
/// one host, RefusalLimit::kLines in RefusalLimit::kTime. `peer`: as gRPC names
/// it. Counts the line, so ask once for each. Thread-safe.
bool MayLogRefusal(std::string_view reason, std::string_view peer);

/// Logs how many lines were left out, a line for each reason and host whose
/// time is over. To be called about every second.
void LogLeftOutRefusals();
/// The same for all of them, at the end of the process.
void LogAllLeftOutRefusals();

}  // namespace torqued::server
