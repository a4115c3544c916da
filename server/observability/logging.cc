#include "server/observability/logging.h"

#include <spdlog/details/log_msg.h>
#include <spdlog/pattern_formatter.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/model/text.h"
#include "server/observability/log_queue.h"

namespace torqued::server {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kQueueBytes = 512 << 10;

struct Logging {
  LogFormat format = LogFormat::kText;
  std::atomic<LogLevel> level = LogLevel::kInfo;
  std::mutex mutex;  // of the formatter
  std::unique_ptr<spdlog::pattern_formatter> formatter;
  std::optional<LogQueue> queue;
};

/// Stays for what is logged while the process ends.
Logging& Instance() {
  static auto* const logging = new Logging;
  return *logging;
}

/// As --log-level takes it.
std::string_view NameOf(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarn:
      return "warn";
    case LogLevel::kError:
      return "error";
  }
  return "";
}

/// Invalid UTF-8 is replaced; control characters and others that terminals act
/// on, which only strings can have, are escaped.
std::string Dump(const Json& json) {
  return EscapedAsInJson(
      json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Json ToJson(const LogField& field) {
  return std::visit([](const auto& value) -> Json { return Json(value); },
                    field.value);
}

bool IsAbsent(const LogField& field) {
  const auto* text = std::get_if<std::string_view>(&field.value);
  return text != nullptr && text->empty();
}

/// Quoted where it would not read as one word.
std::string Word(const LogField& field) {
  const Json json = ToJson(field);
  if (!json.is_string()) return Dump(json);
  const auto& text = json.get_ref<const std::string&>();
  const bool plain =
      !text.empty() && text.find_first_not_of(
                           "abcdefghijklmnopqrstuvwxyz"
                           "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                           "0123456789._-:/@[]+") == std::string::npos;
  return plain ? text : Dump(json);
}

/// A whole line: with the time, and its end.
std::string WithTime(Logging& logging, std::string_view text) {
  const spdlog::details::log_msg message("", spdlog::level::off, text);
  spdlog::memory_buf_t line;
  const std::lock_guard lock(logging.mutex);
  logging.formatter->format(message, line);
  return {line.data(), line.size()};
}

std::string DroppedLines(std::uint64_t count) {
  Logging& logging = Instance();
  return WithTime(
      logging,
      RenderLogLine(logging.format, LogLevel::kWarn, "log lines dropped",
                    {{"count", static_cast<std::int64_t>(count)}}));
}

}  // namespace

void SetUpLogging(LogFormat format, LogLevel level) {
  Logging& logging = Instance();
  logging.format = format;
  logging.level = level;
  logging.formatter = std::make_unique<spdlog::pattern_formatter>(
      format == LogFormat::kJson ? R"({"time":"%Y-%m-%dT%H:%M:%S.%fZ",%v})"
                                 : "%Y-%m-%dT%H:%M:%S.%fZ %v",
      spdlog::pattern_time_type::utc);
  if (!logging.queue) {
    logging.queue.emplace(STDERR_FILENO, kQueueBytes, DroppedLines);
  }
}

bool LogEnabled(LogLevel level) {
  const Logging& logging = Instance();
  return logging.queue && level >= logging.level;
}

void Log(LogLevel level, std::string_view message, LogFields fields) {
  if (!LogEnabled(level)) return;
  Logging& logging = Instance();
  logging.queue->Put(
      WithTime(logging, RenderLogLine(logging.format, level, message, fields)));
}

bool WriteOutLog(std::chrono::milliseconds at_most) {
  Logging& logging = Instance();
  return !logging.queue || logging.queue->WaitUntilWritten(at_most);
}

std::string RenderLogLine(LogFormat format, LogLevel level,
                          std::string_view message, LogFields fields) {
  if (format == LogFormat::kJson) {
    Json line;
    line["level"] = NameOf(level);
    line["message"] = message;
    for (const LogField& field : fields) {
      if (!IsAbsent(field)) line[std::string(field.name)] = ToJson(field);
    }
    const std::string object = Dump(line);
    return object.substr(1, object.size() - 2);  // without the braces
  }
  const std::string quoted = Dump(Json(message));
  std::string line(NameOf(level));
  line.append(" ").append(quoted, 1, quoted.size() - 2);
  for (const LogField& field : fields) {
    if (IsAbsent(field)) continue;
    line.append(" ").append(field.name).append("=").append(Word(field));
  }
  return line;
}

}  // namespace torqued::server
