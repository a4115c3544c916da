#include "server/observability/library_log.h"

#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>

#include <chrono>
#include <string_view>

#include "server/observability/logging.h"

namespace torqued::server {
namespace {

// The process aborts as soon as this returns.
void LogEndOf(std::string_view library, std::string_view message) {
  Log(LogLevel::kError, message, {{"library", library}});
  WriteOutLog(std::chrono::milliseconds(500));
}

void FromGrpc(gpr_log_func_args* line) {
  const std::string_view message = line->message;
  if (message.starts_with("assertion failed")) return LogEndOf("grpc", message);
  Log(LogLevel::kDebug, message, {{"library", "grpc"}});
}

void FromProtobuf(google::protobuf::LogLevel level, const char*, int,
                  const std::string& message) {
  if (level == google::protobuf::LOGLEVEL_FATAL) {
    return LogEndOf("protobuf", message);
  }
  Log(LogLevel::kDebug, message, {{"library", "protobuf"}});
}

}  // namespace

void RouteLibraryLogs() {
  gpr_set_log_function(FromGrpc);
  google::protobuf::SetLogHandler(FromProtobuf);
}

}  // namespace torqued::server
