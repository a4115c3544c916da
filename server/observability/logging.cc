#include "server/observability/logging.h"

#include <absl/random/random.h>
#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>
#include <spdlog/async_logger.h>
#include <spdlog/details/null_mutex.h>
#include <spdlog/details/thread_pool.h>
#include <spdlog/sinks/base_sink.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/base/text.h"

namespace torqued::server {
namespace {

using Json = nlohmann::ordered_json;

struct Logging {
  LogFormat format = LogFormat::kText;
  std::atomic<LogLevel> level = LogLevel::kInfo;
  std::atomic<std::uint64_t> logged = 0, written = 0;  // lines
  std::shared_ptr<spdlog::details::thread_pool> pool;
  std::shared_ptr<spdlog::async_logger> logger;

  std::uint64_t dropped() const { return pool->overrun_counter(); }
};

/// Stays for what is logged while the process ends.
Logging& Instance() {
  static auto* const logging = new Logging;
  return *logging;
}

std::string_view LevelName(LogLevel level) {
  constexpr std::string_view kNames[] = {"debug", "info", "warn", "error"};
  return kNames[static_cast<int>(level)];
}

/// Invalid UTF-8 is replaced; control characters and others that terminals act
/// on, which only strings can have, are escaped.
std::string Dump(const Json& json) {
  return EscapedAsInJson(
      json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string Word(const Json& value) {
  std::string text = Dump(value);
  if (!value.is_string() || text.find_first_of("\\ =") != text.npos)
    return text;
  return text.substr(1, text.size() - 2);
}

class StderrSink final
    : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    Logging& logging = Instance();
    Write(message);
    ++logging.written;
    const std::uint64_t dropped = logging.dropped();
    if (dropped == told_) return;
    const auto count = static_cast<std::int64_t>(dropped - told_);
    told_ = dropped;
    Write({"", spdlog::level::off,
           RenderLogLine(logging.format, LogLevel::kWarn, "log lines dropped",
                         {{"count", count}})});
  }
  void flush_() override {}

  void Write(const spdlog::details::log_msg& message) {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    // Not by stdio, whose lock a stuck reader would keep from exit.
    static_cast<void>(!write(STDERR_FILENO, line.data(), line.size()));
  }

  std::uint64_t told_ = 0;  // dropped lines
};

void FromLibrary(std::string_view library, std::string_view message,
                 bool ends) {
  Log(ends ? LogLevel::kError : LogLevel::kDebug, message,
      {{"library", library}});
  if (ends) WriteOutLog();
}

}  // namespace

void SetUpLogging(LogFormat format, LogLevel level) {
  Logging& logging = Instance();
  logging.format = format;
  logging.level = level;
  // Never destroyed: their thread may wait for a reader of stderr for ever.
  logging.pool =
      std::make_shared<spdlog::details::thread_pool>(/*queued lines*/ 2048, 1);
  logging.logger = std::make_shared<spdlog::async_logger>(
      "", std::make_shared<StderrSink>(), logging.pool,
      spdlog::async_overflow_policy::overrun_oldest);
  logging.logger->set_pattern(format == LogFormat::kJson
                                  ? R"({"time":"%Y-%m-%dT%H:%M:%S.%fZ",%v})"
                                  : "%Y-%m-%dT%H:%M:%S.%fZ %v",
                              spdlog::pattern_time_type::utc);
}

bool LogEnabled(LogLevel level) {
  const Logging& logging = Instance();
  return logging.logger != nullptr && level >= logging.level;
}

void Log(LogLevel level, std::string_view message, LogFields fields) {
  if (!LogEnabled(level)) return;
  Logging& logging = Instance();
  ++logging.logged;
  logging.logger->log(spdlog::level::critical,
                      RenderLogLine(logging.format, level, message, fields));
}

bool WriteOutLog(std::chrono::milliseconds at_most) {
  const Logging& logging = Instance();
  if (logging.logger == nullptr) return true;
  const auto end = std::chrono::steady_clock::now() + at_most;
  while (logging.written + logging.dropped() < logging.logged) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

std::string RenderLogLine(LogFormat format, LogLevel level,
                          std::string_view message, LogFields fields) {
  Json said = Json::object();
  const Json nothing = "";
  for (const LogField& field : fields) {
    Json value =
        std::visit([](const auto& of) { return Json(of); }, field.value);
    if (value != nothing) said[std::string(field.name)] = std::move(value);
  }
  if (format == LogFormat::kJson) {
    Json line{{"level", LevelName(level)}, {"message", message}};
    line.update(said);
    const std::string object = Dump(line);
    return object.substr(1, object.size() - 2);  // without the braces
  }
  const std::string quoted = Dump(Json(message));
  std::string line =
      Cat(LevelName(level), " ", quoted.substr(1, quoted.size() - 2));
  for (const auto& [name, value] : said.items()) {
    line += Cat(" ", name, "=", Word(value));
  }
  return line;
}

void RouteLibraryLogs() {
  gpr_set_log_function([](gpr_log_func_args* line) {
    const std::string_view message = line->message;
    FromLibrary("grpc", message, message.starts_with("assertion failed"));
  });
  google::protobuf::SetLogHandler([](google::protobuf::LogLevel level,
                                     const char*, int,
                                     const std::string& message) {
    FromLibrary("protobuf", message, level == google::protobuf::LOGLEVEL_FATAL);
  });
}

std::string RequestIdFrom(std::string_view wanted) {
  if (!wanted.empty() && wanted.size() <= 128 &&
      std::ranges::all_of(wanted, absl::ascii_isgraph)) {
    return std::string(wanted);
  }
  thread_local absl::BitGen generator;
  return absl::StrCat(absl::Hex(generator(), absl::kZeroPad16));
}

TraceContext TraceFrom(std::string_view traceparent) {
  const auto is_hex = [](std::string_view digits) {
    return digits.find_first_not_of("0123456789abcdef") == digits.npos;
  };
  const auto is_id = [&](std::string_view digits) {
    return is_hex(digits) && digits.find_first_not_of('0') != digits.npos;
  };
  if (traceparent.size() != 55 || !traceparent.starts_with("00-") ||
      traceparent[35] != '-' || traceparent[52] != '-') {
    return {};
  }
  const auto trace = traceparent.substr(3, 32),
             parent = traceparent.substr(36, 16);
  if (!is_id(trace) || !is_id(parent) || !is_hex(traceparent.substr(53))) {
    return {};
  }
  return {std::string(trace), std::string(parent)};
}

}  // namespace torqued::server
