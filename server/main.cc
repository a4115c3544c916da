// The torqued server process.
#include <grpc/grpc.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <thread>

#include "core/model/text.h"
#include "server/config/settings.h"
#include "server/lifecycle/daemon.h"
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
  interrupted = interrupted ||
                WaitForSignal(std::chrono::milliseconds(0)) == Signal::kStop;
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

int BackUp(const StoreCommand& command) try {
  BackUpStore(command.store, command.copy, command.overwrite, Interrupted);
  return 0;
} catch (const StoreError& error) {
  if (!error.damaged) return NoAnswer(error.what());
  Print(error.what());
  return kDamaged;
}

int Check(const std::string& store) try {
  const StoreCheck check = CheckStore(store, Interrupted);
  for (const std::string& damage : check.damage) Print(store + ": " + damage);
  const bool good = check.damage.empty();
  Print(store + ": " + (good ? "good" : "damaged") + ", " +
        std::to_string(check.names) + " names, " +
        std::to_string(check.revisions) + " revisions, schema " +
        std::to_string(check.schema));
  return good ? 0 : kDamaged;
} catch (const StoreError& error) {
  return NoAnswer(store + ": " + error.what());
}

/// Until a signal stops it; throws why it does not start.
void Serve(const Settings& settings) {
  TuneMalloc(settings.memory.bytes);
  BlockSignals();
  SetUpLogging(settings.log_format, settings.log_level);
  // Never given back: the clean-up of gRPC's own threads, which would follow
  // the end of the server, now and then takes ten seconds.
  grpc_init();
  for (const std::string& name : settings.unknown_variables) {
    Log(LogLevel::kWarn, "unknown environment variable", {{"name", name}});
  }
  Daemon daemon(settings);
  const std::string& file = settings.address_file;
  if (!file.empty()) WriteAddressFile(file, daemon.addresses());
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
  if (!file.empty()) std::remove(file.c_str());
}

/// The code of a command, unless what it has printed does not arrive.
int Finish(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  std::fputs("torqued: stdout cannot be written\n", stderr);
  return 1;
}

int AskAbout(const HealthCheckCommand& command) {
  std::string address = command.address;
  if (const std::string& file = command.address_file; !file.empty()) {
    address.clear();
    std::getline(std::ifstream(file) >> std::ws, address);
    if (address.empty()) {
      return Fail("--address-file: " + file + " has no address");
    }
  }
  const std::string problem = CheckHealth(address, command.tls, kHealthTimeout);
  return problem.empty() ? 0 : Fail(problem);
}

int Main(int argc, char** argv) {
  RouteLibraryLogs();
  const Command command = ParseCommandLine(argc, argv);
  if (const auto* settings = std::get_if<Settings>(&command)) {
    int code = 0;
    try {
      Serve(*settings);
    } catch (const std::exception& problem) {
      Log(LogLevel::kError, "cannot start", {{"detail", problem.what()}});
      code = 1;
    }
    WriteOutLog(kLastLines);
    return code;
  }
  if (const auto* exit = std::get_if<EarlyExit>(&command)) {
    std::fputs(exit->out.c_str(), stdout);
    std::fputs(exit->err.c_str(), stderr);
    return Finish(exit->code);
  }
  if (const auto* health = std::get_if<HealthCheckCommand>(&command)) {
    // Threads of gRPC may still end the call, while the end of main would take
    // away what they use.
    _exit(AskAbout(*health));
  }
  if (const auto* create = std::get_if<TokenCommand>(&command)) {
    try {
      std::printf("%s\n", CreateToken(create->file, create->grant).c_str());
    } catch (const std::exception& problem) {
      return Fail(problem.what());
    }
    return Finish(0);
  }
  const auto& store = std::get<StoreCommand>(command);
  BlockSignals();
  return Finish(store.copy.empty() ? Check(store.store) : BackUp(store));
}

}  // namespace
}  // namespace torqued::server

int main(int argc, char** argv) { return torqued::server::Main(argc, argv); }
