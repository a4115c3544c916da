// The torqued server process.
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <grpc/grpc.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>

#include "core/base/text.h"
#include "server/config/settings.h"
#include "server/lifecycle/daemon.h"
#include "server/lifecycle/supervision.h"
#include "server/observability/logging.h"
#include "server/registry/store_copy.h"

namespace torqued::server {
namespace {

constexpr std::chrono::milliseconds kHealthTimeout{3000}, kDrainPoll{5},
    kReload{1000};
constexpr std::size_t kMaxLineBytes = 1000;
constexpr int kDamaged = 2;

bool Stops(int signal) { return signal == SIGTERM || signal == SIGINT; }

/// What is unfinished must not stay behind.
bool Interrupted() {
  static bool interrupted = false;
  return interrupted = interrupted || Stops(WaitForSignal({}));
}

int Fail(const std::string& problem) {
  std::fprintf(stderr, "torqued: %s\n",
               Printable(problem, kMaxLineBytes).c_str());
  return 1;
}

void Print(const std::string& line) {
  std::fputs((Printable(line, kMaxLineBytes) + "\n").c_str(), stdout);
}

int Run(const Settings& settings) {
  TuneMalloc(settings.memory.bytes);
  BlockSignals();
  SetUpLogging(settings.log_format, settings.log_level);
  // Never given back: gRPC's clean-up now and then takes ten seconds.
  grpc_init();
  for (const std::string& name : settings.unknown_variables) {
    Log(LogLevel::kWarn, "unknown environment variable", {{"name", name}});
  }
  const std::string& file = settings.address_file;
  int code = 0;
  try {
    Daemon daemon(settings);
    if (!file.empty()) WriteAddressFile(file, daemon.addresses());
    TellManager("READY=1");
    for (int signal = 0; !Stops(signal = WaitForSignal(kReload));) {
      daemon.Reload();
      if (signal != SIGHUP) continue;
      const auto now = std::chrono::steady_clock::now().time_since_epoch();
      TellManager("RELOADING=1\nMONOTONIC_USEC=" +
                  std::to_string(now / std::chrono::microseconds(1)));
      daemon.ReloadModels();
      TellManager("READY=1");
    }
    TellManager("STOPPING=1");
    daemon.Drain([] { return Stops(WaitForSignal(kDrainPoll)); });
    if (!file.empty()) std::remove(file.c_str());
  } catch (const std::exception& problem) {
    Log(LogLevel::kError, "cannot start", {{"detail", problem.what()}});
    code = 1;
  }
  WriteOutLog();
  return code;
}

int Run(const EarlyExit& exit) {
  std::fputs(exit.out.c_str(), stdout);
  std::fputs(exit.err.c_str(), stderr);
  return exit.code;
}

int Run(const HealthCheckCommand& command) {
  std::string address = command.address;
  if (const std::string& file = command.address_file; !file.empty()) {
    address.clear();
    std::getline(std::ifstream(file) >> std::ws, address);
    Require(!address.empty(), "--address-file: " + file + " has no address");
  }
  const std::string problem = CheckHealth(address, command.tls, kHealthTimeout);
  // Threads of gRPC may still use what the end of main would take away.
  _exit(problem.empty() ? 0 : Fail(problem));
}

int Run(const TokenCommand& create) {
  std::printf("%s\n", CreateToken(create.file, create.grant).c_str());
  return 0;
}

int Run(const StoreCommand& command) {
  const auto& [store, copy, overwrite] = command;
  BlockSignals();
  try {
    if (!copy.empty()) {
      BackUpStore(store, copy, overwrite, Interrupted);
      return 0;
    }
    const StoreCheck check = CheckStore(store, Interrupted);
    for (const std::string& damage : check.damage)
      Print(absl::StrCat(store, ": ", damage));
    const bool good = check.damage.empty();
    Print(absl::StrFormat("%s: %s, %d names, %d revisions, schema %d", store,
                          good ? "good" : "damaged", check.names,
                          check.revisions, check.schema));
    return good ? 0 : kDamaged;
  } catch (const StoreError& error) {
    if (Interrupted()) return Fail("interrupted");
    if (copy.empty()) return Fail(store + ": " + error.what());
    if (!error.damaged) return Fail(error.what());
    Print(error.what());
    return kDamaged;
  }
}

int Main(int argc, char** argv) {
  RouteLibraryLogs();
  try {
    const int code =
        std::visit([](const auto& command) { return Run(command); },
                   ParseCommandLine(argc, argv));
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    return Fail("stdout cannot be written");
  } catch (const std::exception& problem) {
    return Fail(problem.what());
  }
}

}  // namespace
}  // namespace torqued::server

int main(int argc, char** argv) { return torqued::server::Main(argc, argv); }
