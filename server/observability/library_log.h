#pragma once

namespace torqued::server {

/// Lines of gRPC and protobuf become debug lines of ours: what matters in them
/// reaches callers as a status and people as a line of the call. A line behind
/// which the library ends the process is an error, and is written before that.
void RouteLibraryLogs();

}  // namespace torqued::server
