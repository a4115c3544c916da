// Checks of setting values as text. Each returns what is wrong, or nothing.
#pragma once

#include <string>
#include <string_view>

#include "server/config/settings.h"

namespace torqued::server {

/// "HOST:PORT" or "[IPV6]:PORT", also behind "tls:" or "mtls:", or "unix:PATH",
/// with ports from `first_port` on; 0 is one of the system's choice.
std::string CheckAddress(std::string_view text, int first_port);
/// "auto", or a target that this machine can run.
std::string CheckTarget(std::string_view text);
/// Whether the settings have the certificates and rights that their addresses
/// need; `insecure`: everybody may be served.
std::string CheckListen(const Settings& settings, bool insecure);

}  // namespace torqued::server
