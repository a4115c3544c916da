// The torqued server process.
#include <grpc/grpc.h>
#include <unistd.h>

#include <cstdio>
#include <optional>
#include <string>
#include <thread>

#include "core/model/text.h"
#include "server/config/command_line.h"
#include "server/lifecycle/accept_loop.h"
#include "server/lifecycle/daemon.h"
#include "server/lifecycle/health_client.h"
#include "server/lifecycle/signals.h"
#include "server/lifecycle/supervision.h"
#include "server/observability/logging.h"
#include "server/registry/store_copy.h"

namespace torqued::server {
namespace {

constexpr std::chrono::milliseconds kHealthTimeout{3000};
constexpr std::size_t kMaxLineBytes = 1000;
constexpr std::chrono::milliseconds kDrainPoll{5};
constexpr std::chrono::seconds kReload{1};
// What the last lines of the log get where stderr is stuck.
constexpr std::chrono::milliseconds kLastLines{500};

constexpr int kDamaged = 2;

/// What is unfinished must not stay behind.
bool Interrupted() {
  static bool interrupted = false;
  interrupted = interrupted || TakeStopSignal();
  return interrupted;
}

/// The problem may have the text of a file or of what answered.
int Fail(const std::string& problem) {
  std::fprintf(stderr, "torqued: %s\n",
               Printable(problem, kMaxLineBytes).c_str());
  return 1;
}

int NoAnswer(const std::string& why) {
  return Fail(Interrupted() ? "interrupted" : why);
}

void Print(const std::string& line) {
  std::fputs((Printable(line, kMaxLineBytes) + "\n").c_str(), stdout);
}

int BackUp(const StoreBackupCommand& command) {
  BlockSignals();
  const auto failure =
      BackUpStore(command.store, command.file,
                  {.overwrite = command.overwrite, .stop = Interrupted});
  if (!failure) return 0;
  if (!failure->damaged) return NoAnswer(failure->message);
  Print(failure->message);
  return kDamaged;
}

int Check(const StoreCheckCommand& command) {
  BlockSignals();
  const auto checked = CheckStore(command.file, Interrupted);
  if (const auto* why = std::get_if<std::string>(&checked)) {
    return NoAnswer(command.file + ": " + *why);
  }
  const auto& check = std::get<StoreCheck>(checked);
  for (const std::string& damage : check.damage) {
    Print(command.file + ": " + damage);
  }
  const std::size_t unlisted = check.damage_count - check.damage.size();
  if (unlisted > 0) {
    Print(command.file + ": and " + std::to_string(unlisted) + " more");
  }
  Print(command.file + ": " + (check.good() ? "good" : "damaged") + ", " +
        std::to_string(check.names) + " names, " +
        std::to_string(check.revisions) + " revisions, schema " +
        std::to_string(check.schema));
  return check.good() ? 0 : kDamaged;
}

/// Writes the lines that are still queued when it goes.
struct LastLines {
  LastLines() = default;
  LastLines(const LastLines&) = delete;
  LastLines& operator=(const LastLines&) = delete;
  ~LastLines() { WriteOutLog(kLastLines); }
};

int Refuse(const std::string& problem) {
  Log(LogLevel::kError, "cannot start", {{"detail", problem}});
  return 1;
}

/// Until a signal stops it.
int Serve(const Settings& settings) {
  TuneMalloc(settings.memory.bytes);
  BlockSignals();
  SetUpLogging(settings.log_format, settings.log_level);
  // Never given back: the clean-up of gRPC's own threads, which would follow
  // the end of the server, now and then takes ten seconds.
  grpc_init();
  const LastLines last_lines;
  for (const std::string& name : settings.unknown_variables) {
    Log(LogLevel::kWarn, "unknown environment variable", {{"name", name}});
  }
  auto started = Daemon::Start(settings);
  if (const auto* problem = std::get_if<std::string>(&started)) {
    return Refuse(*problem);
  }
  Daemon& daemon = *std::get<std::unique_ptr<Daemon>>(started);
  if (!settings.address_file.empty()) {
    const std::string problem =
        WriteAddressFile(settings.address_file, daemon.addresses());
    if (!problem.empty()) return Refuse(problem);
  }

  TellManager("READY=1");
  const std::jthread keepalive =
      KeepManagerContent([&daemon] { return daemon.answers(); });

  Signal signal = Signal::kNone;
  while ((signal = WaitForSignal(kReload)) != Signal::kStop) {
    if (signal == Signal::kReload) TellReloading();
    daemon.Reload();
    if (signal == Signal::kReload) {
      daemon.ReloadModels();
      TellManager("READY=1");
    }
  }
  TellManager("STOPPING=1");
  daemon.Drain([] { return WaitForSignal(kDrainPoll) == Signal::kStop; });
  if (!settings.address_file.empty()) {
    std::remove(settings.address_file.c_str());
  }
  return 0;
}

/// The code of a command, unless what it has printed does not arrive.
int Finish(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  std::fputs("torqued: stdout cannot be written\n", stderr);
  return 1;
}

int Main(int argc, char** argv) {
  RouteLibraryLogs();
  const Command command = ParseCommandLine(argc, argv);
  if (const auto* exit = std::get_if<EarlyExit>(&command)) {
    std::fputs(exit->out.c_str(), stdout);
    std::fputs(exit->err.c_str(), stderr);
    return Finish(exit->code);
  }
  if (const auto* check = std::get_if<HealthCheckCommand>(&command)) {
    const std::string problem =
        check->address_file.empty()
            ? CheckHealth(check->address, check->tls, kHealthTimeout)
            : CheckHealthByFile(check->address_file, check->tls,
                                kHealthTimeout);
    // Threads of gRPC may still end the call, while the end of main would take
    // away what they use.
    _exit(problem.empty() ? 0 : Fail(problem));
  }
  if (const auto* backup = std::get_if<StoreBackupCommand>(&command)) {
    return Finish(BackUp(*backup));
  }
  if (const auto* create = std::get_if<TokenCommand>(&command)) {
    const NewToken made = CreateToken(create->file, create->grant);
    if (!made.problem.empty()) return Fail(made.problem);
    std::printf("%s\n", made.token.c_str());
    return Finish(0);
  }
  if (const auto* check = std::get_if<StoreCheckCommand>(&command)) {
    return Finish(Check(*check));
  }
  return Serve(std::get<Settings>(command));
}

}  // namespace
}  // namespace torqued::server

int main(int argc, char** argv) { return torqued::server::Main(argc, argv); }
