// Checks of setting values as text. Each returns what is wrong, or nothing.
#pragma once

#include <string>
#include <string_view>

namespace torqued::server {

/// Seconds, with a fraction if need be; finite.
std::string CheckSeconds(std::string_view text, double max);
/// "HOST:PORT" or "[IPV6]:PORT", also behind "tls:" or "mtls:", or "unix:PATH",
/// with ports from `first_port` on; 0 is one of the system's choice.
std::string CheckAddress(std::string_view text, int first_port);
/// "auto", or a target that this machine can run.
std::string CheckTarget(std::string_view text);

}  // namespace torqued::server
