// The directory that a program makes for a server of its own.
#pragma once

#include "server/config/settings.h"

namespace torqued::server {

/// Removes the server's files that stand in settings.private_directory, if one
/// is named: its store, address file, sockets and a log called stderr; and then
/// the directory, unless others have put something there. The program that made
/// it may have died before it could.
void RemovePrivateDirectory(const Settings& settings);

}  // namespace torqued::server
