// torqued store backup, torqued store check.
#pragma once

#include "server/config/command_line.h"

namespace torqued::server {

/// Each returns the exit code: 0 done, or good; 1 no answer; 2 damaged. What is
/// wrong with a store goes to stdout, a line each.
int BackUp(const StoreBackupCommand& command);
int Check(const StoreCheckCommand& command);

}  // namespace torqued::server
