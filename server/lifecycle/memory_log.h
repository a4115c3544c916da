#pragma once

#include "server/config/settings.h"

namespace torqued::server {

/// Logs what memory there is and how much of it the settings let the server
/// hold; a warning where that is more.
void LogMemory(const Settings& settings);

}  // namespace torqued::server
