// Sockets that are files.
#pragma once

#include <string>

namespace torqued::server {

/// The file of "unix:PATH", however its path is written: absolute, without
/// symbolic links.
std::string UnixSocketFile(const std::string& address);

/// Why a server must not listen on "unix:PATH", as far as that shows from
/// outside: the path is too long or has a '%', something else is there, or
/// another server answers or is too busy to. gRPC itself would take the path
/// from a server that is alive. A socket that nobody answers on is what a
/// server left behind that was killed: no problem, listening replaces it. Empty
/// when there is none.
std::string UnixSocketProblem(const std::string& address);

/// Why binding "unix:PATH" fails, as the system puts it; empty when it does
/// not. Leaves nothing behind.
std::string UnixBindProblem(const std::string& address);

}  // namespace torqued::server
