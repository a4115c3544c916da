#include "server/config/command_line.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>

#include "core/lanes/targets.h"
#include "core/model/text.h"
#include "server/config/config_file.h"
#include "server/flags/address.h"
#include "server/flags/near_names.h"
#include "server/flags/options.h"

namespace torqued::server {
namespace {

// What a file or an argument holds may be anything.
constexpr std::size_t kMaxUsageBytes = 600;
constexpr double kMaxDrainGrace = 86'400;
constexpr double kMaxKeeping = 2'000'000;  // what gRPC's milliseconds hold
// protobuf's own limit of a message.
constexpr std::int64_t kMaxMessage = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMaxCount = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max();

/// Why it is no address of --listen; port 0 is one of the system's choice.
std::string CheckAddress(std::string_view text, int first_port) {
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

/// "--max-rows" is also TORQUED_MAX_ROWS.
std::string EnvironmentName(const CLI::Option& option) {
  std::string name = "TORQUED_" + option.get_single_name();
  for (char& c : name) {
    c = c == '-' ? '_' : static_cast<char>(std::toupper(c));
  }
  return name;
}

/// The command line's options, bound to settings that must stay in place.
class Parser {
 public:
  explicit Parser(Settings& settings) : settings_(settings) {
    app_.set_help_flag("-h,--help", "Print this and exit")->configurable(false);
    AddPlaces();
    AddWork();
    AddLimits();
    AddConnections();
    AddLogging();
    AddCommands();
    AddStoreCommands();
    AddTokenCommand();
    app_.footer(
        "Every setting is also an environment variable (--max-rows: "
        "TORQUED_MAX_ROWS)\nand a key of the file given by --config "
        "(max-rows = 1000). A flag wins over the\nenvironment, the "
        "environment over the file. Lists take commas.");
  }

  Command Parse(int argc, const char* const* argv) {
    try {
      app_.parse(argc, argv);
      ReadEnvironment();
      if (!config_.empty()) ReadFile();
    } catch (const CLI::CallForHelp&) {
      return EarlyExit{0, app_.help(), ""};
    } catch (const CLI::ParseError& error) {
      return Usage(flags::Refusal(app_, error));
    }
    if (store_->parsed() && !*backup_ && !*check_) {
      return Usage("store: an argument is missing, backup or check");
    }
    if (token_->parsed() && !*create_) {
      return Usage("token: an argument is missing, create");
    }
    if (*create_ && settings_.rights.empty()) {
      return Usage("token create: --rights names no file");
    }
    if (version_) {
      return EarlyExit{0, "torqued " + std::string(Version()) + "\n", ""};
    }
    const ClientTls tls{tls_ca_, settings_.tls.cert, settings_.tls.key,
                        tls_server_name_,
                        !health_check_.empty() || !tls_ca_.empty()};
    if (!health_check_.empty()) {
      return HealthCheckCommand{WithPort(health_check_), "", tls};
    }
    if (settings_.listen.empty()) return Usage("--listen: names no address");
    if (app_.count("--health-check") > 0) {
      const std::string& first = settings_.listen.front();
      if (settings_.address_file.empty() && first.ends_with(":0")) {
        return Usage("--health-check: the port of " + first +
                     " is in no file; name an --address-file");
      }
      return HealthCheckCommand{first, settings_.address_file, tls};
    }
    if (std::string wrong = CheckListen(settings_, insecure_); !wrong.empty()) {
      return Usage(wrong);
    }
    // So --print-config prints a list of none.
    std::erase(settings_.models, "");
    if (print_config_) {
      return EarlyExit{0, File() + MemoryRemark(), ""};
    }
    if (settings_.store.empty() && check_file_.empty()) {
      return Usage("--store: there is no home directory; name a file");
    }
    if (*create_) {
      return TokenCommand{settings_.rights, grant_};
    }
    if (*backup_) {
      return StoreBackupCommand{settings_.store, backup_file_, overwrite_};
    }
    if (*check_) {
      return StoreCheckCommand{check_file_.empty() ? settings_.store
                                                   : check_file_};
    }
    return settings_;
  }

 private:
  EarlyExit Usage(const std::string& message) const {
    // Of a check, 2 says that the store is damaged.
    return {store_->parsed() || token_->parsed() ? 64 : 2, "",
            "torqued: " + Printable(message, kMaxUsageBytes) + "\n"};
  }

  /// Behind the settings, as a comment of the file.
  std::string MemoryRemark() const {
    return "\n# Memory that the server may use (" +
           std::string(settings_.memory.source) +
           "): " + std::to_string(settings_.memory.bytes) + " bytes\n";
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

  /// `--flag`, or on and off in the environment and the file.
  void Switch(const std::string& flag, bool& value, const std::string& help) {
    switches_.push_back(app_.add_flag(flag, value, help));
  }

  CLI::Option* List(const std::string& flag, std::vector<std::string>& values,
                    const std::string& help) {
    // As it would stand in the file; CLI11 prints brackets.
    return Setting(flag, values, help)
        ->default_str(CLI::detail::join(values, ","))
        ->delimiter(',')
        ->allow_extra_args(false);
  }

  void AddPlaces() {
    List("--listen", settings_.listen,
         "Address to serve on: HOST:PORT (port 0: a free one), "
         "tls:HOST:PORT, mtls:HOST:PORT (clients need certificates) or "
         "unix:PATH; repeatable")
        ->check(CLI::Validator(
            [](const std::string& text) {
              return CheckAddress(text, /*first_port=*/0);
            },
            "ADDR"));
    Setting("--address-file", settings_.address_file,
            "File that receives the bound addresses once serving");
    Setting("--tls-cert", settings_.tls.cert,
            "PEM file of the certificate of tls: and mtls: addresses, with its "
            "chain");
    Setting("--tls-key", settings_.tls.key,
            "PEM file of its key; by default that of --tls-cert");
    Setting("--tls-client-ca", settings_.tls.client_ca,
            "PEM file of the CAs of clients' certificates");
    Setting("--rights", settings_.rights,
            "File of the clients and their roles; empty: everybody may do "
            "everything");
    Switch("--read-only", settings_.read_only,
           "Refuse registrations and deletions");
    Switch("--insecure", insecure_,
           "Serve without TLS and rights at addresses that other machines "
           "reach");
    Setting("--metrics-listen", settings_.metrics_listen,
            "Address for Prometheus and for probes over HTTP: HOST:PORT; "
            "empty: none")
        ->check(CLI::Validator(
            [](const std::string& text) {
              return text.empty() ? std::string()
                     : flags::IsUnixAddress(text)
                         ? "needs HOST:PORT, not '" + text + "'"
                         : CheckAddress(text, /*first_port=*/0);
            },
            "ADDR"));
    Setting("--store", settings_.store, "File of the model store (SQLite)");
    List("--models", settings_.models,
         "Directory whose *.urdf are registered at start; repeatable");
    Choice<Validation>("--models-validation", settings_.models_validation,
                       {{"default", Validation::kDefault},
                        {"strict", Validation::kStrict},
                        {"lenient", Validation::kLenient}},
                       "Validation of the models of these directories");
    Choice<bool>("--reflection", settings_.reflection,
                 {{"on", true}, {"off", false}},
                 "Serve the schema by reflection");
  }

  void AddWork() {
    Count("--threads", settings_.threads, 0, 1024,
          "Computing threads; 0: as many as this process may use");
    flags::Choices<const LaneKernels*> targets{{"auto", nullptr}};
    for (const LaneKernels* target : Targets()) {
      targets.emplace_back(target->target, target);
    }
    Choice("--isa", settings_.target, targets,
           "Instruction set of the computing: auto, the widest of this "
           "machine, or one by name: avx512, avx2, baseline")
        ->type_name("NAME");
    Seconds("--drain-grace", settings_.drain_grace, kMaxDrainGrace,
            "Seconds that calls in flight get to finish at shutdown");
  }

  void AddLimits() {
    Count("--max-message-bytes", settings_.max_message_bytes, 4096, kMaxMessage,
          "Largest request and largest reply; by default a 64th of the memory, "
          "at most 16 MiB; clients have a limit of their own, 4 MiB unless "
          "raised");
    Count("--max-rows", settings_.max_rows, 1, kMaxCount,
          "Most states in one request, or in one chunk of a stream");
    Count("--max-inflight-bytes", settings_.max_inflight_bytes, 1, kUnbounded,
          "Most bytes of requests and replies under way at a time; results "
          "count twice; by default a quarter of the memory, at most 1 GiB");
    Count("--max-inflight-streams", settings_.max_inflight_streams, 1,
          kMaxCount,
          "Most streams of Evaluate and checks at a time; more are refused at "
          "once");
    Count("--max-models", settings_.max_models, 1, kUnbounded,
          "Most names in the model store; no more are registered then");
  }

  void AddConnections() {
    Seconds("--keepalive", settings_.keepalive, kMaxKeeping,
            "Seconds without a byte after which a client is asked whether it "
            "is there; 0: never");
    Seconds("--max-connection-age", settings_.max_connection_age, kMaxKeeping,
            "Seconds after which a connection takes no new calls and its "
            "client opens another one; 0: never");
  }

  void AddLogging() {
    Choice<LogFormat>("--log-format", settings_.log_format,
                      {{"text", LogFormat::kText}, {"json", LogFormat::kJson}},
                      "Form of the log lines");
    Choice<LogLevel>("--log-level", settings_.log_level,
                     {{"debug", LogLevel::kDebug},
                      {"info", LogLevel::kInfo},
                      {"warn", LogLevel::kWarn},
                      {"error", LogLevel::kError}},
                     "Least grave level logged");
  }

  void AddCommands() {
    app_.option_defaults()->configurable(false);
    app_.add_option("--config", config_, "File of settings")
        ->check(CLI::ExistingFile);
    app_.add_flag("--print-config", print_config_,
                  "Print the effective settings, in the form of a file, and "
                  "exit");
    app_.add_option("--health-check", health_check_,
                    "Ask the server at ADDR, port 7421 unless named, whether "
                    "it serves; without ADDR, the server with these settings: "
                    "at the first address in --address-file, otherwise of "
                    "--listen. Exit 0: it does, 1: it does not, 2: usage")
        ->expected(0, 1)
        ->check(CLI::Validator(
            [](const std::string& text) {
              return CheckAddress(WithPort(text), /*first_port=*/1);
            },
            "ADDR"));
    app_.add_option("--tls-ca", tls_ca_,
                    "PEM file of the CAs that --health-check trusts at a tls: "
                    "address; by default those of the system. --tls-cert and "
                    "--tls-key are its own certificate then");
    app_.add_option("--tls-server-name", tls_server_name_,
                    "Name that the certificate of the server must have for "
                    "--health-check; by default that of the address");
    app_.add_flag("--version", version_, "Print the version and exit");
  }

  void AddStoreCommands() {
    const CLI::Validator some_file(
        [](const std::string& path) {
          return std::string(path.empty() ? "needs the path of a file" : "");
        },
        "");
    store_ = app_.add_subcommand(
        "store",
        "Back up or check the store that --store names; exit 0: done or good, "
        "2: damaged, 1: no answer, 64: usage");
    store_->fallthrough()->require_subcommand(0, 1);
    backup_ = store_->add_subcommand(
        "backup", "Copy the store, also while a server has it open");
    backup_->fallthrough();
    backup_->add_option("FILE", backup_file_, "File of the copy")
        ->required()
        ->check(some_file);
    backup_->add_flag("--overwrite", overwrite_,
                      "Replace a file that is there");
    check_ = store_->add_subcommand(
        "check",
        "Say whether a store is whole, also one that a server has open");
    check_->fallthrough();
    check_
        ->add_option("FILE", check_file_,
                     "The store, or a copy of it (default: --store)")
        ->check(some_file);
  }

  void AddTokenCommand() {
    token_ = app_.add_subcommand(
        "token",
        "Make a token for a client; exit 0: done, 1: not done, 64: usage");
    token_->fallthrough()->require_subcommand(0, 1);
    create_ = token_->add_subcommand(
        "create",
        "Append a client to the file that --rights names, and print its token");
    create_->fallthrough();
    create_->add_option("NAME", grant_.name, "Name of the client")->required();
    flags::AddChoice<Role>(create_, "--role", &grant_.role,
                           {{"evaluate", Role::kEvaluate},
                            {"register", Role::kRegister},
                            {"administer", Role::kAdminister}},
                           "What it may do")
        ->required();
    create_
        ->add_option("--models", grant_.models,
                     "Pattern of the names of the models that it may use")
        ->capture_default_str();
  }

  // CLI11 would let the file win over the environment and would not say where
  // a bad value comes from, so both are read here, after the flags.

  void ReadEnvironment() {
    std::set<std::string> known;
    for (CLI::Option* option : app_.get_options()) {
      if (!option->get_configurable() &&
          option->get_single_name() != "config") {
        continue;
      }
      const std::string name = EnvironmentName(*option);
      const char* value = std::getenv(name.c_str());
      known.insert(name);
      if (value != nullptr && value[0] != '\0') FillIn(option, {value}, name);
    }
    for (char** variable = environ; *variable != nullptr; ++variable) {
      const std::string_view text = *variable;
      const std::string name(text.substr(0, text.find('=')));
      // The clients read these three.
      if (name.starts_with("TORQUED_") && name != "TORQUED_SERVER" &&
          name != "TORQUED_SERVER_ADDRESS" && name != "TORQUED_TOKEN" &&
          !known.contains(name)) {
        settings_.unknown_variables.push_back(name);
      }
    }
  }

  void ReadFile() {
    const auto read = ReadConfigFile(config_);
    if (const auto* problem = std::get_if<std::string>(&read)) {
      throw CLI::ConfigError(*problem);
    }
    for (const ConfigEntry& entry : std::get<std::vector<ConfigEntry>>(read)) {
      CLI::Option* option = app_.get_option_no_throw("--" + entry.key);
      if (option == nullptr || !option->get_configurable()) {
        throw CLI::ConfigError(entry.place + ": unknown key '" + entry.key +
                               "'" + KeyHint(entry.key));
      }
      if (!entry.values.empty()) FillIn(option, entry.values, entry.place);
    }
  }

  /// All settings as a file that --config reads.
  std::string File() const {
    std::string text;
    for (const CLI::Option* option : app_.get_options()) {
      if (!option->get_configurable()) continue;
      std::vector<std::string> values = option->results();
      const bool is_list = option->get_delimiter() == ',';
      if (values.empty() && is_list) {
        values = CLI::detail::split(option->get_default_str(), ',');
      } else if (std::count(switches_.begin(), switches_.end(), option) > 0) {
        values = {option->count() > 0 && option->as<bool>() ? "on" : "off"};
      } else if (values.empty()) {
        values = {option->get_default_str()};
      }
      if (is_list) std::erase(values, "");
      text += "# " + option->get_description() + "\n" +
              option->get_single_name() + " = " +
              (is_list ? ConfigList(values) : ConfigValue(values.front())) +
              "\n\n";
    }
    return text;
  }

  /// The end of a sentence about a key that there is not.
  std::string KeyHint(const std::string& key) const {
    std::vector<std::string> keys;
    for (const CLI::Option* option : app_.get_options()) {
      if (option->get_configurable()) {
        keys.push_back(option->get_single_name());
      }
    }
    const std::vector<std::string> near = flags::NearNames(key, keys);
    return near.empty() ? "" : flags::NameHint(near, keys);
  }

  /// Values of a setting that nothing before `source` named.
  void FillIn(CLI::Option* option, const std::vector<std::string>& values,
              const std::string& source) const {
    if (option->count() > 0) return;
    try {
      option->add_result(values);
      option->run_callback();
    } catch (const CLI::ParseError& error) {
      throw CLI::ConfigError(source + ": " + flags::Refusal(app_, error));
    }
  }

  CLI::App app_{"Networked robot dynamics.", "torqued"};
  Settings& settings_;
  std::string config_;
  std::string health_check_, tls_ca_, tls_server_name_;
  CLI::App* store_ = nullptr;
  CLI::App* backup_ = nullptr;
  CLI::App* check_ = nullptr;
  CLI::App* token_ = nullptr;
  CLI::App* create_ = nullptr;
  std::vector<const CLI::Option*> switches_;
  Grant grant_;
  std::string backup_file_;
  std::string check_file_;
  bool overwrite_ = false;
  bool insecure_ = false;
  bool print_config_ = false;
  bool version_ = false;
};

}  // namespace

Command ParseCommandLine(int argc, const char* const* argv) {
  Settings settings = DefaultSettings(FindMemoryLimit());
  return Parser(settings).Parse(argc, argv);
}

}  // namespace torqued::server
