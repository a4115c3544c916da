#include "server/observability/logging.h"

#include <absl/random/random.h>
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

#include "core/model/text.h"

namespace torqued::server {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kQueuedLines = 2048;

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

/// As --log-level takes it.
std::string_view NameOf(LogLevel level) {
  constexpr std::string_view kNames[] = {"debug", "info", "warn", "error"};
  return kNames[static_cast<int>(level)];
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
std::string Word(const Json& value) {
  const bool plain = value.is_string() &&
                     value.get_ref<const std::string&>().find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyz"
                         "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                         "0123456789._-:/@[]+") == std::string::npos;
  return plain ? value.get<std::string>() : Dump(value);
}

/// Writes to stderr, in the thread of the pool alone.
class StderrSink final
    : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    Logging& logging = Instance();
    Write(message);
    ++logging.written;
    const std::uint64_t dropped = logging.dropped();
    if (dropped == told_) return;
    const std::string notice =
        RenderLogLine(logging.format, LogLevel::kWarn, "log lines dropped",
                      {{"count", static_cast<std::int64_t>(dropped - told_)}});
    told_ = dropped;
    Write({"", spdlog::level::off, notice});
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

/// `ends`: the process aborts as soon as this returns.
void FromLibrary(std::string_view library, std::string_view message,
                 bool ends) {
  Log(ends ? LogLevel::kError : LogLevel::kDebug, message,
      {{"library", library}});
  if (ends) WriteOutLog(std::chrono::milliseconds(500));
}

}  // namespace

void SetUpLogging(LogFormat format, LogLevel level) {
  Logging& logging = Instance();
  logging.format = format;
  logging.level = level;
  if (logging.logger == nullptr) {
    // Never destroyed: their thread may wait for a reader of stderr for ever.
    logging.pool =
        std::make_shared<spdlog::details::thread_pool>(kQueuedLines, 1);
    logging.logger = std::make_shared<spdlog::async_logger>(
        "", std::make_shared<StderrSink>(), logging.pool,
        spdlog::async_overflow_policy::overrun_oldest);
  }
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
  for (const LogField& field : fields) {
    Json value = ToJson(field);
    if (value != "") said[std::string(field.name)] = std::move(value);
  }
  if (format == LogFormat::kJson) {
    Json line{{"level", NameOf(level)}, {"message", message}};
    line.update(said);
    const std::string object = Dump(line);
    return object.substr(1, object.size() - 2);  // without the braces
  }
  const std::string quoted = Dump(Json(message));
  std::string line(NameOf(level));
  line.append(" ").append(quoted, 1, quoted.size() - 2);
  for (const auto& [name, value] : said.items()) {
    line.append(" ").append(name).append("=").append(Word(value));
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
  constexpr std::size_t kMaxLength = 128;
  if (!wanted.empty() && wanted.size() <= kMaxLength &&
      std::ranges::all_of(wanted,
                          [](char c) { return c > ' ' && c < '\x7f'; })) {
    return std::string(wanted);
  }
  thread_local absl::BitGen generator;
  return absl::StrCat(absl::Hex(generator(), absl::kZeroPad16));
}

TraceContext TraceFrom(std::string_view traceparent) {
  // A digit stands for any hex digit, but for those of the version.
  constexpr std::string_view kForm =
      "00-00000000000000000000000000000000-0000000000000000-00";
  const auto fits = [](char form, char sent) {
    return form == '-'
               ? sent == '-'
               : (sent >= '0' && sent <= '9') || (sent >= 'a' && sent <= 'f');
  };
  const auto is_zero = [](std::string_view id) {
    return id.find_first_not_of('0') == std::string_view::npos;
  };
  if (!traceparent.starts_with("00-") ||
      !std::ranges::equal(kForm, traceparent, fits)) {
    return {};
  }
  const auto trace = traceparent.substr(3, 32),
             parent = traceparent.substr(36, 16);
  if (is_zero(trace) || is_zero(parent)) return {};
  return {std::string(trace), std::string(parent)};
}

}  // namespace torqued::server
