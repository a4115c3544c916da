#include "server/observability/library_log.h"

#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>

#include "server/observability/logging.h"

namespace torqued::server {
namespace {

void FromGrpc(gpr_log_func_args* line) {
  Log(LogLevel::kDebug, line->message, {{"library", "grpc"}});
}

void FromProtobuf(google::protobuf::LogLevel, const char*, int,
                  const std::string& message) {
  Log(LogLevel::kDebug, message, {{"library", "protobuf"}});
}

}  // namespace

void RouteLibraryLogs() {
  gpr_set_log_function(FromGrpc);
  google::protobuf::SetLogHandler(FromProtobuf);
}

}  // namespace torqued::server
