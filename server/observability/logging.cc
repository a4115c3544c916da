#include "server/observability/logging.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "core/model/text.h"

namespace torqued::server {
namespace {

using Json = nlohmann::ordered_json;

struct Logging {
  LogFormat format = LogFormat::kText;
  std::shared_ptr<spdlog::logger> logger;
};

Logging& Instance() {
  static Logging logging;
  return logging;
}

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarn:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::off;
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

}  // namespace

void SetUpLogging(LogFormat format, LogLevel level) {
  Logging& logging = Instance();
  logging.format = format;
  logging.logger = std::make_shared<spdlog::logger>(
      "torqued", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logging.logger->set_level(ToSpdlog(level));
  logging.logger->flush_on(spdlog::level::debug);
  logging.logger->set_pattern(format == LogFormat::kJson
                                  ? R"({"time":"%Y-%m-%dT%H:%M:%S.%fZ",%v})"
                                  : "%Y-%m-%dT%H:%M:%S.%fZ %v",
                              spdlog::pattern_time_type::utc);
}

bool LogEnabled(LogLevel level) {
  const Logging& logging = Instance();
  return logging.logger != nullptr &&
         logging.logger->should_log(ToSpdlog(level));
}

void Log(LogLevel level, std::string_view message, LogFields fields) {
  if (!LogEnabled(level)) return;
  const Logging& logging = Instance();
  logging.logger->log(ToSpdlog(level),
                      RenderLogLine(logging.format, level, message, fields));
}

std::string RenderLogLine(LogFormat format, LogLevel level,
                          std::string_view message, LogFields fields) {
  if (format == LogFormat::kJson) {
    Json line;
    line["level"] = NameOf(level);
    line["message"] = message;
    for (const LogField& field : fields) {
      line[std::string(field.name)] = ToJson(field);
    }
    const std::string object = Dump(line);
    return object.substr(1, object.size() - 2);  // without the braces
  }
  const std::string quoted = Dump(Json(message));
  std::string line(NameOf(level));
  line.append(" ").append(quoted, 1, quoted.size() - 2);
  for (const LogField& field : fields) {
    line.append(" ").append(field.name).append("=").append(Word(field));
  }
  return line;
}

}  // namespace torqued::server
