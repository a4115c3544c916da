// Log lines: a sentence and named values, as text or as JSON, on stderr.
#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

namespace torqued::server {

enum class LogFormat : std::uint8_t { kText, kJson };
enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarn, kError };

struct LogField {
  std::string_view name;
  std::variant<std::string_view, std::int64_t, double> value;
};
using LogFields = std::initializer_list<LogField>;

/// To be called once, before other threads log.
void SetUpLogging(LogFormat format, LogLevel level);

bool LogEnabled(LogLevel level);
/// Never waits for the reader of stderr: a thread of its own writes. If more
/// than 2048 lines wait, the oldest are dropped, and a line counts them.
void Log(LogLevel level, std::string_view message, LogFields fields = {});

/// Lines of gRPC and protobuf become debug lines of ours; one behind which the
/// library ends the process becomes an error.
void RouteLibraryLogs();

/// Waits until the lines so far are written. False: stderr is stuck.
bool WriteOutLog(
    std::chrono::milliseconds at_most = std::chrono::milliseconds(500));

/// The fields of a line after the time. Line breaks and characters that
/// terminals act on are escaped as in JSON: no value can forge a line.
std::string RenderLogLine(LogFormat format, LogLevel level,
                          std::string_view message, LogFields fields);

inline constexpr char kRequestIdKey[] = "x-request-id";
inline constexpr char kTraceKey[] = "traceparent";

/// The caller's id if it is 1 to 128 printable ASCII characters without spaces,
/// else a new one: 16 hex digits.
std::string RequestIdFrom(std::string_view wanted);

struct TraceContext {
  std::string trace_id, parent_id;  // in hex
};
/// The ids of a traceparent of W3C's Trace Context, version 00. Both empty: it
/// is not one, or an id of it is all zero.
TraceContext TraceFrom(std::string_view traceparent);

}  // namespace torqued::server
