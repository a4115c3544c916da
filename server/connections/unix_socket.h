// Sockets that are files.
#pragma once

#include <sys/un.h>

#include <string>

namespace torqued::server {

/// Of a path that has room.
sockaddr_un UnixSocketAddress(const std::string& path);

/// The file of "unix:PATH", however its path is written: absolute, without
/// symbolic links.
std::string UnixSocketFile(const std::string& address);

/// Why a server must not listen on "unix:PATH", as far as that shows from
/// outside: the path is too long or has a '%', something else is there, or
/// another server answers or is too busy to. A socket that nobody answers on is
/// what a server left behind that was killed: no problem, listening replaces
/// it. Empty when there is none.
std::string UnixSocketProblem(const std::string& address);

}  // namespace torqued::server
