// torquectl: the command line of torqued.
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <regex>
#include <string>

#include "client/cli/commands/commands.h"
#include "client/cli/errors.h"
#include "client/cli/formats/text.h"
#include "client/cli/request_flags.h"
#include "client/cli/session.h"
#include "client/cpp/channel.h"
#include "server/flags/address.h"
#include "server/flags/options.h"

namespace torqued::cli {
namespace {

constexpr double kMostSeconds = 1e6;

constexpr const char* kFooter =
    "Exit codes:\n"
    "  0   done\n"
    "  1   error: no connection, refused by the server, unusable file\n"
    "  2   the answer says no: lint errors (models validate), states that are\n"
    "      not OK, limits exceeded or samples that contradict each other\n"
    "      (trajectory check), worse (trajectory compare), not serving (ping)\n"
    "  64  the command line is invalid\n"
    "\n"
    "Examples:\n"
    "  torquectl id --model robot.urdf --q 0,0.5,-1\n"
    "  torquectl --server host:7421 models add robot.urdf --default-tip tool0\n"
    "  torquectl trajectory check move.csv --model robot --html report.html\n"
    "\n"
    "Without an address (and with --spawn), a local server is started for the\n"
    "call: $TORQUED_BINARY, else `torqued` next to torquectl, else on the "
    "PATH.";

void AddGlobalFlags(CLI::App* app, GlobalFlags* flags) {
  CLI::Option* server = app->add_option(
      "--server", flags->server,
      "Address of the server: HOST (port 7421), HOST:PORT, tls:HOST:PORT or "
      "unix:PATH (default: $TORQUED_SERVER_ADDRESS)");
  client::ConnectOptions& connect = flags->connect;
  app->add_option("--tls-ca", connect.tls_ca,
                  "PEM file of the CAs that sign the server's certificate "
                  "(default: the system's)");
  CLI::Option* cert =
      app->add_option("--tls-cert", connect.tls_cert,
                      "PEM file of the client's certificate and its chain");
  CLI::Option* key =
      app->add_option("--tls-key", connect.tls_key, "PEM file of its key");
  cert->needs(key);
  key->needs(cert);
  app->add_option("--tls-server-name", connect.tls_server_name,
                  "Name that the server's certificate must have (default: the "
                  "address's host)");
  app->add_option("--token-file", connect.token_file,
                  "File of the client's token (default: the token "
                  "$TORQUED_TOKEN, if it is set)");
  app->add_flag("--spawn", flags->spawn, "Start a local server for this call")
      ->excludes(server);
  app->add_option("--store", flags->store,
                  "Model store of the local server (default: a temporary one)")
      ->excludes(server);
  flags::AddChoice<v1::Validation>(
      app, "--validation", &flags->validation,
      {{"default", v1::VALIDATION_DEFAULT},
       {"strict", v1::VALIDATION_STRICT},
       {"lenient", v1::VALIDATION_LENIENT}},
      "When mass properties that no body has refuse a URDF file: if answers "
      "follow from them (default), always (strict), or only with a singular "
      "mass matrix (lenient)");
  flags::Number(app->add_option("--timeout", flags->timeout_seconds,
                                "Seconds that each call to the server may take "
                                "in all (default: 30)"),
                0.001, kMostSeconds);
  flags::Number(
      app->add_option("--wait-for-server", flags->wait_for_server_seconds,
                      "Seconds for which connecting to the server of an "
                      "address is tried, within --timeout (default: 0, once)"),
      0, kMostSeconds);
  flags::WholeNumber(
      app->add_option("--max-message-bytes", connect.max_message_bytes,
                      "Largest message in either direction"),
      4096, 1 << 30);
  flags::AddChoice<OutputFormat>(app, "--output", &flags->output,
                                 {{"table", OutputFormat::kTable},
                                  {"json", OutputFormat::kJson},
                                  {"csv", OutputFormat::kCsv}},
                                 "Form of the answer (default: table)");
  app->add_flag("--quiet,-q", flags->quiet, "No progress, no remarks");
  app->set_version_flag("--version", "torquectl " TORQUED_VERSION);
}

void AddCommands(CLI::App* app, Runner* runner) {
  AddModels(app, runner);
  AddDynamics(app, runner);
  AddTrajectory(app, runner);
  AddServer(app, runner);
  // Global options may stand anywhere. Behind a command the names of commands
  // are words like any other: quantities, files and models may have them.
  app->fallthrough()->require_subcommand(0, 1);
  for (CLI::App* command : app->get_subcommands({})) {
    command->fallthrough()->require_subcommand(0, 1);
    for (CLI::App* nested : command->get_subcommands({})) {
      nested->fallthrough();
    }
  }
}

int Fail(ExitCode code, const auto&... text) {
  std::cerr << "torquectl: " << PlainLines(Cat(text...)) << "\n";
  return static_cast<int>(code);
}

/// Whether stdout is a pipe whose other end has been closed, as `head` does.
bool ReaderHasLeft() {
  pollfd asked = {.fd = STDOUT_FILENO, .events = 0, .revents = 0};
  // The kernel reports POLLERR for a pipe, POLLHUP for a socket.
  return poll(&asked, 1, 0) == 1 && (asked.revents & (POLLERR | POLLHUP)) != 0;
}

int Finish(int code) {
  std::cout.flush();
  // Who reads no further has read enough.
  if (std::cout.good() || ReaderHasLeft()) return code;
  return Fail(ExitCode::kError, "stdout cannot be written");
}

int FailUsage(const CLI::App& app, const std::string& refusal) {
  return Fail(ExitCode::kUsage, refusal, " (see ", flags::HelpFor(app, refusal),
              ")");
}

int Main(int argc, char** argv) {
  // A reader that goes away early is an error of write(), not a death.
  std::signal(SIGPIPE, SIG_IGN);
  CLI::App app("Command line of torqued, the robot-dynamics service.",
               "torquectl");
  GlobalFlags flags;
  Runner runner;
  AddGlobalFlags(&app, &flags);
  AddCommands(&app, &runner);
  app.footer(kFooter);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // --help
    if (error.get_exit_code() == 0) return Finish(app.exit(error));
    return FailUsage(app, flags::Refusal(app, error));
  }
  // Not CLI11's own rule: it would hide which word was not understood.
  if (!runner) return FailUsage(app, "a command is missing");
  const bool given = app.get_option("--server")->count() > 0;
  const char* address = std::getenv("TORQUED_SERVER_ADDRESS");
  if (address != nullptr && !given && !flags.spawn && flags.store.empty()) {
    flags.server = address;
  }
  if (given || !flags.server.empty()) {
    flags.server = client::WithDefaultPort(flags.server);
    const std::string problem = torqued::flags::AddressProblem(
        flags.server, {"HOST, HOST:PORT, tls:HOST:PORT or unix:PATH"});
    // gRPC's own schemes, whose names it explains itself.
    static const std::regex kScheme(
        "(dns|ipv4|ipv6|unix-abstract|vsock|xds):.*");
    if (!problem.empty() && !std::regex_match(flags.server, kScheme)) {
      return FailUsage(app, "--server: " + problem);
    }
  }
  const client::ConnectOptions& tls = flags.connect;
  if (!(tls.tls_ca + tls.tls_cert + tls.tls_server_name).empty() &&
      torqued::flags::SecurityOf(flags.server) ==
          torqued::flags::Security::kNone) {
    return FailUsage(app, "--server: TLS needs an address tls:HOST:PORT");
  }
  try {
    Session session(flags, std::cout, std::cerr);
    return Finish(static_cast<int>(runner(session)));
  } catch (const UsageError& error) {
    return Fail(ExitCode::kUsage, error.what());
  } catch (const AlreadyTold&) {
    return static_cast<int>(ExitCode::kError);
  } catch (const client::Error& error) {
    PrintError(error, FlagsOf(app), std::cerr);
    return static_cast<int>(ExitCode::kError);
  } catch (const std::exception& error) {
    return Fail(ExitCode::kError, error.what());
  }
}

}  // namespace
}  // namespace torqued::cli

int main(int argc, char** argv) { return torqued::cli::Main(argc, argv); }
