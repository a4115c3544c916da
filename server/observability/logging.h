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
/// Never waits for the reader of stderr: a thread of its own writes. Of more
/// than 2048 lines that wait for it the oldest are dropped, and a line counts
/// them.
void Log(LogLevel level, std::string_view message, LogFields fields = {});

/// Waits until the lines so far are written, at most so long. False: stderr is
/// stuck. For the end of the process, at which lines that wait are lost.
bool WriteOutLog(std::chrono::milliseconds at_most);

/// What stands in a line behind the time. Never holds a line break, nor a
/// character that terminals act on: values that come from outside cannot forge
/// a line. These are escaped as in JSON.
std::string RenderLogLine(LogFormat format, LogLevel level,
                          std::string_view message, LogFields fields);

}  // namespace torqued::server
