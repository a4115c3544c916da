#include <unistd.h>

#include <absl/strings/ascii.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_replace.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>

#include "core/base/text.h"
#include "core/engine/evaluation_plan.h"
#include "server/config/settings.h"
#include "server/flags/address.h"
#include "server/flags/near_names.h"
#include "server/flags/options.h"

namespace torqued::server {
namespace {

constexpr const char* kFooter = R"(Settings:
  Every setting is also an environment variable (--max-rows: TORQUED_MAX_ROWS)
  and a key of the file given by --config (max-rows = 1000). A flag wins over
  the environment, the environment over the file. Lists take commas in the
  environment, and have the form ["a", "b"] in the file.

Exit codes:
  0   stopped by a signal, or done
  1   the server cannot start, or does not serve (--health-check)
  2   the store is damaged (store)
  64  the command line, the environment or the file of settings is invalid
  70  the server did not answer itself three times in a row: start it again

Signals:
  TERM, INT  refuse new calls, finish those in flight within --drain-grace
             seconds, and stop; the second one stops at once
  HUP        read the directories of --models, the file of --rights and the
             certificates again

Files of the package:
  /etc/torqued/torqued.toml   settings of the service
  /var/lib/torqued/models.db  its models
  /usr/share/torqued/models   example robots)";

constexpr std::size_t kMaxUsageBytes = 600;
constexpr double kMaxDrainGrace = 86'400, kMaxKeeping = 2'000'000;
// protobuf's own limit of a message, too.
constexpr std::int64_t kMaxCount = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max();

std::string AddressProblem(std::string_view text, int first_port) {
  return flags::AddressProblem(
      text, {"[tls:]HOST:PORT, mtls:HOST:PORT or unix:PATH", first_port,
             /*mtls=*/true});
}

/// HOST and [IPV6] get torqued's own port, as with the clients.
std::string WithPort(const std::string& address) {
  const std::string_view host = flags::WithoutSecurity(address);
  const bool has_none = host.find(':') == std::string_view::npos ||
                        (host.starts_with('[') && host.ends_with(']'));
  return has_none ? address + ":" + std::to_string(kDefaultPort) : address;
}

/// As it stands in the file; a list of one is that one.
std::string FileValue(const CLI::Option& option) {
  const bool is_list = option.get_delimiter() == ',';
  std::vector<std::string> values = option.results();
  if (option.get_expected_max() == 0) {  // a switch
    values = {option.count() > 0 && option.as<bool>() ? "on" : "off"};
  } else if (values.empty()) {
    values = CLI::detail::split(option.get_default_str(), is_list ? ',' : '\0');
  }
  if (is_list) std::erase(values, "");
  for (std::string& value : values) value = ConfigValue(value);
  const std::string list = absl::StrJoin(values, ", ");
  return values.size() == 1 ? list : "[" + list + "]";
}

/// Requires what the addresses need. `insecure`: everybody may be served.
void CheckListen(const Settings& settings, bool insecure) {
  for (const std::string& address : settings.listen) {
    const flags::Security security = flags::SecurityOf(address);
    const bool tls = security != flags::Security::kNone;
    Require(!tls || !settings.tls.cert.empty(),
            "--listen: " + address + " needs --tls-cert");
    Require(
        security != flags::Security::kMtls || !settings.tls.client_ca.empty(),
        "--listen: " + address + " needs --tls-client-ca");
    Require(insecure || flags::IsLocal(address) ||
                (tls && !settings.rights.empty()),
            "--listen: other machines reach " + address + ", so it needs " +
                (tls ? "" : "tls: or mtls: and ") +
                "--rights; --insecure (TORQUED_INSECURE=on) serves everybody");
  }
}

class Parser {
 public:
  explicit Parser(Settings& settings) : settings_(settings) {
    app_.set_help_flag("-h,--help", "Print this and exit")->configurable(false);
    AddSettings();
    app_.option_defaults()->configurable(false);
    AddOptions();
    AddCommands();
    app_.footer(kFooter);
  }

  Command Parse(int argc, const char* const* argv) {
    std::string problem;
    try {
      return Parsed(argc, argv);
    } catch (const CLI::CallForHelp&) {
      return EarlyExit{0, app_.help(), ""};
    } catch (const CLI::ParseError& error) {
      problem = flags::Refusal(app_, error);
    } catch (const std::runtime_error& error) {
      problem = error.what();
    }
    // Of a check, 2 says that the store is damaged.
    return EarlyExit{64, "",
                     "torqued: " + Printable(problem, kMaxUsageBytes) + "\n"};
  }

 private:
  Command Parsed(int argc, const char* const* argv) {
    app_.parse(argc, argv);
    ReadEnvironment();
    if (!config_.empty()) ReadFile();
    for (const CLI::App* command : {store_, token_}) {
      Require(!*command || !command->get_subcommands().empty(),
              command->get_name() + ": an argument is missing");
    }
    Require(!*token_ || !settings_.rights.empty(),
            "token create: --rights names no file");
    if (version_) {
      return EarlyExit{0, "torqued " + std::string(Version()) + "\n", ""};
    }
    if (*token_) return TokenCommand{settings_.rights, grant_};
    Require(!settings_.listen.empty(), "--listen: names no address");
    if (app_.count("--health-check") > 0) return HealthCheck();
    if (!*store_) CheckListen(settings_, insecure_);
    // So --print-config prints a list of none.
    std::erase(settings_.models, "");
    if (print_config_) return EarlyExit{0, File(), ""};
    if (store_command_.store.empty()) store_command_.store = settings_.store;
    Require(!store_command_.store.empty(),
            "--store: there is no home directory; name a file");
    if (*store_) return store_command_;
    return settings_;
  }

  HealthCheckCommand HealthCheck() const {
    HealthCheckCommand command{
        WithPort(health_check_),
        "",
        {tls_ca_, settings_.tls.cert, settings_.tls.key, tls_server_name_,
         !health_check_.empty() || !tls_ca_.empty()}};
    if (!health_check_.empty()) return command;
    command.address = settings_.listen.front();
    command.address_file = settings_.address_file;
    Require(!command.address_file.empty() || !command.address.ends_with(":0"),
            "--health-check: the port of " + command.address +
                " is in no file; name an --address-file");
    return command;
  }

  template <class T>
  CLI::Option* Setting(const std::string& flag, T& value,
                       const std::string& help) {
    return app_.add_option(flag, value, help)->capture_default_str();
  }

  template <class T>
  void Count(const std::string& flag, T& value, std::int64_t min,
             std::int64_t max, const std::string& help) {
    flags::WholeNumber(Setting(flag, value, help), min, max);
  }

  void Seconds(const std::string& flag, std::chrono::milliseconds& value,
               double max, const std::string& help) {
    const std::function<void(const double&)> set = [&value](double seconds) {
      value = std::chrono::milliseconds(std::llround(seconds * 1000));
    };
    flags::Number(app_.add_option_function(flag, set, help), 0, max)
        ->type_name("SECONDS")
        ->default_str(CLI::detail::to_string(value.count() / 1000));
  }

  template <class T>
  CLI::Option* Choice(const std::string& flag, T& value,
                      const flags::Choices<T>& choices,
                      const std::string& help) {
    CLI::Option* option = flags::AddChoice(&app_, flag, &value, choices, help);
    for (const auto& [name, choice] : choices) {
      if (choice == value) option->default_str(name);
    }
    return option;
  }

  CLI::Option* List(const std::string& flag, std::vector<std::string>& values,
                    const std::string& help) {
    // As it would stand in the file; CLI11 prints brackets.
    return Setting(flag, values, help)
        ->default_str(CLI::detail::join(values, ","))
        ->delimiter(',')
        ->allow_extra_args(false);
  }

  void AddSettings() {
    List("--listen", settings_.listen,
         "Address to serve on: HOST:PORT (port 0: a free one), "
         "tls:HOST:PORT, mtls:HOST:PORT (clients need certificates) or "
         "unix:PATH; repeatable")
        ->check([](const std::string& text) {
          return AddressProblem(text, /*first_port=*/0);
        })
        ->type_name("ADDR");
    Setting("--address-file", settings_.address_file,
            "File that receives the bound addresses once serving");
    Setting("--tls-cert", settings_.tls.cert,
            "PEM file of the certificate of tls: and mtls: addresses, with its "
            "chain");
    Setting("--tls-key", settings_.tls.key,
            "PEM file of its key (default: that of --tls-cert)");
    Setting("--tls-client-ca", settings_.tls.client_ca,
            "PEM file of the CAs of clients' certificates");
    Setting("--rights", settings_.rights,
            "File of the clients and their roles (default: every client may do "
            "everything)");
    // "on" and "off" in the environment and the file.
    app_.add_flag("--read-only", settings_.read_only,
                  "Refuse registrations and deletions");
    app_.add_flag("--insecure", insecure_,
                  "Serve without TLS and rights at addresses that other "
                  "machines reach");
    Setting("--metrics-listen", settings_.metrics_listen,
            "Address for Prometheus and for probes over HTTP: HOST:PORT "
            "(default: none)")
        ->check([](const std::string& text) {
          if (text.empty()) return text;
          return flags::IsUnixAddress(text)
                     ? "needs HOST:PORT, not '" + text + "'"
                     : flags::AddressProblem(text, {"HOST:PORT", 0});
        })
        ->type_name("ADDR");
    Setting("--store", settings_.store, "File of the model store (SQLite)");
    List("--models", settings_.models,
         "Directory whose *.urdf are registered at start; repeatable");
    Choice<Validation>("--models-validation", settings_.models_validation,
                       {{"default", Validation::kDefault},
                        {"strict", Validation::kStrict},
                        {"lenient", Validation::kLenient}},
                       "Validation of the models of --models");
    Choice<bool>("--reflection", settings_.reflection,
                 {{"on", true}, {"off", false}},
                 "Serve the schema by reflection");
    Count("--threads", settings_.threads, 0, 1024,
          "Computing threads; 0: as many as CPU affinity and cgroup allow");
    flags::Choices<const SimdKernels*> targets{{"auto", nullptr}};
    for (const SimdKernels* target : Targets()) {
      targets.emplace_back(target->target, target);
    }
    Choice("--isa", settings_.target, targets,
           "Instruction set of the computing: auto, the widest of this "
           "machine, or one by name: avx512, avx2, baseline")
        ->type_name("NAME");
    Seconds("--drain-grace", settings_.drain_grace, kMaxDrainGrace,
            "Seconds for calls in flight to finish at shutdown");
    Count("--max-message-bytes", settings_.max_message_bytes, 4096, kMaxCount,
          "Maximum size of a request and of a reply (default: 1/64 of the "
          "memory, at most 16 MiB)");
    Count("--max-rows", settings_.max_rows, 1, kMaxCount,
          "Maximum number of states in one request or chunk of a stream");
    Count("--max-inflight-bytes", settings_.max_inflight_bytes, 1, kUnbounded,
          "Maximum number of bytes of requests and replies in flight; results "
          "count twice (default: 1/4 of the memory, at most 1 GiB)");
    Count("--max-inflight-streams", settings_.max_inflight_streams, 1,
          kMaxCount,
          "Maximum number of streams of Evaluate and checks in flight");
    Count("--max-models", settings_.max_models, 1, kUnbounded,
          "Maximum number of model names; further registrations fail");
    Seconds("--keepalive", settings_.keepalive, kMaxKeeping,
            "Seconds without a byte after which the server pings a client; 0: "
            "never");
    Seconds("--max-connection-age", settings_.max_connection_age, kMaxKeeping,
            "Seconds after which a connection takes no new calls and its "
            "client opens another one; 0: never");
    Choice<LogFormat>("--log-format", settings_.log_format,
                      {{"text", LogFormat::kText}, {"json", LogFormat::kJson}},
                      "Form of the log lines");
    Choice<LogLevel>("--log-level", settings_.log_level,
                     {{"debug", LogLevel::kDebug},
                      {"info", LogLevel::kInfo},
                      {"warn", LogLevel::kWarn},
                      {"error", LogLevel::kError}},
                     "Lowest level to log");
  }

  void AddOptions() {
    app_.add_option("--config", config_, "File of settings")
        ->check(CLI::ExistingFile);
    app_.add_flag("--print-config", print_config_,
                  "Print the effective settings, in the form of a file, and "
                  "exit");
    app_.add_option(
            "--health-check", health_check_,
            "Ask the server at ADDR (default: the server with these "
            "settings) whether it serves. Exit 0: yes, 1: no, 64: usage")
        ->expected(0, 1)
        ->check([](const std::string& text) {
          return AddressProblem(WithPort(text), /*first_port=*/1);
        })
        ->type_name("ADDR");
    app_.add_option(
        "--tls-ca", tls_ca_,
        "PEM file of the CAs that --health-check trusts (default: those "
        "of the system). --tls-cert and --tls-key are its own "
        "certificate");
    app_.add_option("--tls-server-name", tls_server_name_,
                    "Name in the certificate of the server for --health-check "
                    "(default: that of the address)");
    app_.add_flag("--version", version_, "Print the version and exit");
  }

  static CLI::App* AddCommand(CLI::App* parent, const char* name,
                              const char* help) {
    return parent->add_subcommand(name, help)
        ->fallthrough()
        ->require_subcommand(0, 1);
  }

  void AddCommands() {
    const auto is_file = [](const std::string& path) {
      return path.empty() ? "the path of a file is missing" : "";
    };
    store_ = AddCommand(
        &app_, "store",
        "Back up or check the store that --store names; exit 0: done or good, "
        "2: damaged, 1: no answer, 64: usage");
    CLI::App* backup = AddCommand(
        store_, "backup", "Copy the store, also while a server has it open");
    backup->add_option("FILE", store_command_.copy, "File of the copy")
        ->required()
        ->check(is_file);
    backup->add_flag("--overwrite", store_command_.overwrite,
                     "Replace a file that is there");
    AddCommand(store_, "check",
               "Check a store, also one that a server has open")
        ->add_option("FILE", store_command_.store,
                     "The store, or a copy of it (default: --store)")
        ->check(is_file);
    token_ = AddCommand(
        &app_, "token",
        "Make a token for a client; exit 0: done, 1: not done, 64: usage");
    CLI::App* create = AddCommand(
        token_, "create",
        "Append a client to the file that --rights names, and print its token");
    create->add_option("NAME", grant_.name, "Name of the client")->required();
    flags::AddChoice<Role>(create, "--role", &grant_.role,
                           {{"evaluate", Role::kEvaluate},
                            {"register", Role::kRegister},
                            {"administer", Role::kAdminister}},
                           "Its rights")
        ->required();
    create
        ->add_option("--models", grant_.models,
                     "Pattern of the model names that it may use")
        ->capture_default_str();
  }

  template <class App>
  static auto SettingsOf(App& app) {
    return app.get_options(
        [](const CLI::Option* option) { return option->get_configurable(); });
  }

  // CLI11 would let the file win over the environment and would not say where
  // a bad value comes from, so both are read here, after the flags.

  void ReadEnvironment() {
    // The clients read these.
    std::set<std::string> known{"TORQUED_BINARY", "TORQUED_SERVER_ADDRESS",
                                "TORQUED_TOKEN"};
    std::vector<CLI::Option*> named = SettingsOf(app_);
    named.push_back(app_.get_option("--config"));
    for (CLI::Option* option : named) {
      const std::string name =
          "TORQUED_" + absl::AsciiStrToUpper(absl::StrReplaceAll(
                           option->get_single_name(), {{"-", "_"}}));
      const char* value = std::getenv(name.c_str());
      known.insert(name);
      if (value != nullptr && value[0] != '\0') FillIn(option, {value}, name);
    }
    for (char** variable = environ; *variable != nullptr; ++variable) {
      const std::string_view text = *variable;
      const std::string name(text.substr(0, text.find('=')));
      if (name.starts_with("TORQUED_") && known.insert(name).second) {
        settings_.unknown_variables.push_back(name);
      }
    }
  }

  void ReadFile() {
    for (const ConfigEntry& entry : ReadConfigFile(config_)) {
      CLI::Option* option = app_.get_option_no_throw("--" + entry.key);
      if (option == nullptr || !option->get_configurable()) {
        std::vector<std::string> keys;
        for (const CLI::Option* known : SettingsOf(app_)) {
          keys.push_back(known->get_single_name());
        }
        throw std::runtime_error(
            entry.place + ": unknown key '" + entry.key + "'" +
            flags::NameHint(flags::NearNames(entry.key, keys), {}));
      }
      if (!entry.values.empty()) FillIn(option, entry.values, entry.place);
    }
  }

  std::string File() const {
    std::string text;
    for (const CLI::Option* option : SettingsOf(app_)) {
      text += "# " + option->get_description() + "\n" +
              option->get_single_name() + " = " + FileValue(*option) + "\n\n";
    }
    return text + "\n# Memory that the server may use (" +
           std::string(settings_.memory.source) +
           "): " + std::to_string(settings_.memory.bytes) + " bytes\n";
  }

  /// Values of a setting that nothing before `source` named.
  void FillIn(CLI::Option* option, const std::vector<std::string>& values,
              const std::string& source) const {
    if (option->count() > 0) return;
    try {
      option->add_result(values);
      option->run_callback();
    } catch (const CLI::ParseError& error) {
      throw std::runtime_error(source + ": " + flags::Refusal(app_, error));
    }
  }

  CLI::App app_{"Serves robot dynamics over gRPC.", "torqued"};
  Settings& settings_;
  std::string config_;
  std::string health_check_, tls_ca_, tls_server_name_;
  CLI::App *store_, *token_;
  Grant grant_;
  StoreCommand store_command_;
  bool insecure_ = false, print_config_ = false, version_ = false;
};

}  // namespace

Command ParseCommandLine(int argc, const char* const* argv) {
  Settings settings = DefaultSettings(FindMemoryLimit());
  return Parser(settings).Parse(argc, argv);
}

}  // namespace torqued::server
