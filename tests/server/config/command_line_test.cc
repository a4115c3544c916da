
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "core/engine/evaluation_plan.h"
#include "server/config/settings.h"
#include "tests/server/temp_dir.h"

namespace torqued::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CommandLineTest : public ::testing::Test {
 protected:
  void TearDown() override {
    for (const std::string& name : set_) unsetenv(name.c_str());
  }

  void Environment(const std::string& name, const std::string& value) {
    setenv(name.c_str(), value.c_str(), 1);
    set_.push_back(name);
  }

  std::string File(const std::string& text) {
    const std::string path = directory_.File("torqued.toml");
    std::ofstream(path) << text;
    return path;
  }

  static Command Parse(const std::vector<std::string>& arguments) {
    std::vector<const char*> argv{"torqued"};
    for (const std::string& argument : arguments) {
      argv.push_back(argument.c_str());
    }
    return ParseCommandLine(static_cast<int>(argv.size()), argv.data());
  }

  static Settings Accepted(const std::vector<std::string>& arguments) {
    const Command command = Parse(arguments);
    if (const auto* exit = std::get_if<EarlyExit>(&command)) {
      ADD_FAILURE() << exit->err;
      return {};
    }
    return std::get<Settings>(command);
  }

  static EarlyExit Ended(const std::vector<std::string>& arguments) {
    const Command command = Parse(arguments);
    const auto* exit = std::get_if<EarlyExit>(&command);
    if (exit != nullptr) return *exit;
    ADD_FAILURE() << "accepted";
    return {};
  }

  static std::string Refused(const std::vector<std::string>& arguments) {
    const EarlyExit exit = Ended(arguments);
    EXPECT_EQ(exit.code, 64);
    EXPECT_EQ(exit.out, "");
    EXPECT_EQ(exit.err.find('\n'), exit.err.size() - 1) << "one line";
    return exit.err;
  }

  TempDir directory_;
  std::vector<std::string> set_;
};

TEST_F(CommandLineTest, NothingGivenMeansDefaults) {
  Environment("XDG_DATA_HOME", "/data");
  const Settings settings = Accepted({});
  EXPECT_THAT(settings.listen, ElementsAre("127.0.0.1:7421"));
  EXPECT_EQ(settings.threads, 0);
  EXPECT_EQ(settings.max_message_bytes, 16 << 20);
  EXPECT_EQ(settings.drain_grace, std::chrono::seconds(30));
  EXPECT_EQ(settings.log_format, LogFormat::kText);
  EXPECT_TRUE(settings.reflection);
  EXPECT_EQ(settings.target, nullptr);
  EXPECT_THAT(settings.store, ::testing::AnyOf("/data/torqued/models.db",
                                               "/var/lib/torqued/models.db"));
}

TEST_F(CommandLineTest, FlagBeatsEnvironmentBeatsFile) {
  const std::string file =
      File("threads = 11\nmax-rows = 12\nmax-models = 13\n");
  Environment("TORQUED_THREADS", "21");
  Environment("TORQUED_MAX_ROWS", "22");
  const Settings settings =
      Accepted({"--config", file, "--threads", "31", "--store", "s"});
  EXPECT_EQ(settings.threads, 31);
  EXPECT_EQ(settings.max_rows, 22);
  EXPECT_EQ(settings.max_models, 13);
}

TEST_F(CommandLineTest, EverySettingComesFromAFileToo) {
  const std::string file = File(
      "listen = [\"127.0.0.1:1\", \"unix:/tmp/s\"]\n"
      "models = \"/a\"\n"
      "models-validation = \"lenient\"\n"
      "# a comment\n"
      "metrics-listen = \"127.0.0.1:2\"\n"
      "rights = \"/r\"\n"
      "read-only = \"on\"\n"
      "insecure = \"on\"\n"
      "tls-cert = \"/c\"\n"
      "tls-key = \"/k\"\n"
      "tls-client-ca = \"/a\"\n"
      "store = \"/s.db\"\n"
      "address-file = '/f'\n"
      "log-format = \"json\"\n"
      "log-level = \"warn\"\n"
      "reflection = \"off\"\n"
      "drain-grace = 0.25\n"
      "isa = \"baseline\"\n"
      "max-message-bytes = 5000\n"
      "max-inflight-bytes = 7\n"
      "max-inflight-streams = 8\n"
      "max-models = 9\n"
      "keepalive = 0.5\n"
      "max-connection-age = 4\n");
  const Settings settings = Accepted({"--config", file});
  EXPECT_THAT(settings.listen, ElementsAre("127.0.0.1:1", "unix:/tmp/s"));
  EXPECT_THAT(settings.models, ElementsAre("/a"));
  EXPECT_EQ(settings.models_validation, Validation::kLenient);
  EXPECT_EQ(settings.store, "/s.db");
  EXPECT_EQ(settings.address_file, "/f");
  EXPECT_EQ(settings.metrics_listen, "127.0.0.1:2");
  EXPECT_EQ(settings.rights, "/r");
  EXPECT_TRUE(settings.read_only);
  EXPECT_EQ(settings.tls.cert, "/c");
  EXPECT_EQ(settings.tls.key, "/k");
  EXPECT_EQ(settings.tls.client_ca, "/a");
  EXPECT_EQ(settings.log_format, LogFormat::kJson);
  EXPECT_EQ(settings.log_level, LogLevel::kWarn);
  EXPECT_FALSE(settings.reflection);
  EXPECT_EQ(settings.drain_grace, std::chrono::milliseconds(250));
  EXPECT_EQ(settings.max_message_bytes, 5000);
  EXPECT_EQ(settings.max_inflight_bytes, 7);
  EXPECT_EQ(settings.max_inflight_streams, 8);
  EXPECT_EQ(settings.max_models, 9);
  EXPECT_EQ(settings.keepalive, std::chrono::milliseconds(500));
  EXPECT_EQ(settings.max_connection_age, std::chrono::seconds(4));
  EXPECT_EQ(settings.target, FindTarget("baseline"));
}

TEST_F(CommandLineTest, ATargetThatIsNotThereIsRefusedWithThoseThatAre) {
  for (const char* name : {"avx1024", "AVX2", "best"}) {
    const std::string refused = Refused({"--isa", name});
    EXPECT_THAT(refused, AllOf(HasSubstr("--isa"), HasSubstr(name)));
    for (const SimdKernels* target : Targets()) {
      EXPECT_THAT(refused, HasSubstr(target->target));
    }
  }
}

TEST_F(CommandLineTest, ListsAreRepeatedFlagsOrCommas) {
  const Settings settings =
      Accepted({"--store", "s", "--models", "/a", "--models", "/b,/c"});
  EXPECT_THAT(settings.models, ElementsAre("/a", "/b", "/c"));
  Environment("TORQUED_MODELS", "/d,/e");
  EXPECT_THAT(Accepted({"--store", "s"}).models, ElementsAre("/d", "/e"));
}

TEST_F(CommandLineTest, AListOfAFlagReplacesThatOfTheEnvironment) {
  Environment("TORQUED_LISTEN", "127.0.0.1:1,127.0.0.1:2");
  EXPECT_THAT(Accepted({"--store", "s", "--listen", "127.0.0.1:3"}).listen,
              ElementsAre("127.0.0.1:3"));
}

TEST_F(CommandLineTest, UnknownKeyInTheFileIsNamed) {
  EXPECT_THAT(Refused({"--config", File("thread = 1\n")}),
              HasSubstr("'thread'"));
  EXPECT_THAT(Refused({"--config", File("[server]\nthreads = 1\n")}),
              HasSubstr("'server.threads'"));
  // Commands are no settings.
  EXPECT_THAT(Refused({"--config", File("print-config = true\n")}),
              HasSubstr("'print-config'"));
}

TEST_F(CommandLineTest, BadValuesNameTheSettingAndWhereItStands) {
  EXPECT_THAT(Refused({"--threads", "many"}), HasSubstr("--threads"));
  Environment("TORQUED_MAX_ROWS", "1e6");
  EXPECT_THAT(Refused({"--store", "s"}),
              AllOf(HasSubstr("TORQUED_MAX_ROWS"), HasSubstr("1e6")));
  const std::string file = File("log-format = \"xml\"\n");
  EXPECT_THAT(
      Refused({"--config", file, "--max-rows", "1"}),
      AllOf(HasSubstr(file), HasSubstr("log-format"), HasSubstr("xml")));
}

TEST_F(CommandLineTest, VariablesThatNameNoSettingAreListed) {
  for (const char* name : {"TORQUED_MAXROWS", "TORQUED_SERVER_ADDRESS",
                           "TORQUED_PORT", "TORQUED_MAX_ROWS"}) {
    Environment(name, "5");
  }
  EXPECT_THAT(
      Accepted({"--store", "s"}).unknown_variables,
      ::testing::UnorderedElementsAre("TORQUED_MAXROWS", "TORQUED_PORT"));
}

TEST_F(CommandLineTest, ValuesOutOfRangeAreRefused) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"--threads", "-1"},
                                             {"--threads", "1025"},
                                             {"--max-rows", "0"},
                                             {"--max-rows", "2147483648"},
                                             {"--max-message-bytes", "4095"},
                                             {"--max-inflight-bytes", "0"},
                                             {"--max-inflight-streams", "0"},
                                             {"--max-models", "0"},
                                             {"--keepalive", "-1"},
                                             {"--max-connection-age", "1e9"},
                                             {"--drain-grace", "nan"},
                                             {"--drain-grace", "-1"},
                                             {"--listen", "nowhere"},
                                             {"--metrics-listen", "unix:/a"},
                                             {"--reflection", "maybe"},
                                             {"--log-level", "loud"}}) {
    EXPECT_THAT(Refused(arguments), HasSubstr(arguments[0]));
  }
}

TEST_F(CommandLineTest, AFileThatCannotBeReadIsNamedWithTheReason) {
  EXPECT_THAT(Refused({"--config", "/no/such"}), HasSubstr("/no/such"));
  EXPECT_THAT(Refused({"--config", "/proc/self/mem"}),
              HasSubstr(std::string("/proc/self/mem: ") + std::strerror(EIO)));
}

TEST_F(CommandLineTest, WhatPrintConfigPrintsReadsBackAsTheSame) {
  const EarlyExit printed =
      Ended({"--threads", "3", "--models", "/a,/b c", "--log-format", "json",
             "--drain-grace", "1.5", "--isa", "baseline", "--store",
             "s \"1\" \\", "--print-config"});
  EXPECT_EQ(printed.code, 0);
  const Settings settings = Accepted({"--config", File(printed.out)});
  EXPECT_EQ(settings.threads, 3);
  EXPECT_THAT(settings.models, ElementsAre("/a", "/b c"));
  EXPECT_EQ(settings.log_format, LogFormat::kJson);
  EXPECT_EQ(settings.drain_grace, std::chrono::milliseconds(1500));
  EXPECT_EQ(settings.store, "s \"1\" \\");
  EXPECT_EQ(settings.max_rows, 1'000'000);
  EXPECT_EQ(settings.target, FindTarget("baseline"));
}

TEST_F(CommandLineTest, AMistakeInTheFileIsNamedByItsLine) {
  for (const char* text :
       {"threads = 1\nlisten = \"127.0.0.1:0\n", "threads = 1\nstore = 's",
        "threads = 1\nmodels = [\"/a\"\n", "threads = 1\nstore = /s\n",
        "threads = 1\n[\n", "threads = 1\nstore = \"/\xC3\xA9\"\n",
        "threads = 1\nmodels = [1979-05-27]\n", "threads = 1\nmax-rows = x",
        "threads = 1\nmax-rows = 0\n", "threads = 1\nmax-row = 1\n",
        "threads = 1\nstore = \"/a\\u0000b\"\n"}) {
    EXPECT_THAT(Refused({"--config", File(text)}),
                HasSubstr("torqued.toml: line 2: "))
        << text;
  }
  const Settings settings =
      Accepted({"--config", File("# it's a \"comment [\nstore = \"s # s\"\n"
                                 "models = [\"/a\",\n  \"/it's\"]  # two\n"
                                 "listen = [\"[::1]:0\"]\n")});
  EXPECT_EQ(settings.store, "s # s");
  EXPECT_THAT(settings.models, ElementsAre("/a", "/it's"));
  EXPECT_THAT(settings.listen, ElementsAre("[::1]:0"));
}

TEST_F(CommandLineTest, CommandsEndEarly) {
  EXPECT_THAT(Ended({"--version"}).out, HasSubstr("torqued 0"));
  EXPECT_THAT(Ended({"--help"}).out, HasSubstr("--max-inflight-bytes"));
  const Command command = Parse({"--health-check", "127.0.0.1:7421"});
  ASSERT_TRUE(std::holds_alternative<HealthCheckCommand>(command));
  EXPECT_EQ(std::get<HealthCheckCommand>(command).address, "127.0.0.1:7421");
}

TEST_F(CommandLineTest, AHealthCheckWithoutAPortAsksTheDefaultOne) {
  const auto asked = [](const char* address) {
    return std::get<HealthCheckCommand>(Parse({"--health-check", address}))
        .address;
  };
  EXPECT_EQ(asked("localhost"), "localhost:7421");
  EXPECT_EQ(asked("[::1]"), "[::1]:7421");
  EXPECT_EQ(asked("unix:/run/s"), "unix:/run/s");
  EXPECT_EQ(Ended({"--health-check", "::1"}).code, 64);
  EXPECT_EQ(Ended({"--health-check", "a/b"}).code, 64);
}

TEST_F(CommandLineTest,
       AHealthCheckWithoutAnAddressAsksTheServerOfTheSettings) {
  const auto asked = [](const std::vector<std::string>& more) {
    return std::get<HealthCheckCommand>(Parse(more));
  };
  EXPECT_EQ(asked({"--health-check"}).address, "127.0.0.1:7421");
  Environment("TORQUED_LISTEN", "tls:0.0.0.0:1,unix:/run/s");
  EXPECT_EQ(asked({"--health-check"}).address, "tls:0.0.0.0:1");
  EXPECT_FALSE(asked({"--health-check"}).tls.verifies);
  EXPECT_TRUE(asked({"--health-check", "--tls-ca", "ca"}).tls.verifies);
  EXPECT_TRUE(asked({"--health-check", "tls:a:1"}).tls.verifies);
  const auto named = asked({"--health-check", "--address-file", "/run/a"});
  EXPECT_EQ(named.address_file, "/run/a");
  Environment("TORQUED_LISTEN", "127.0.0.1:0");
  EXPECT_THAT(Ended({"--health-check"}).err, HasSubstr("--address-file"));
}

TEST_F(CommandLineTest, StoreCommandsNameTheStoreAsTheServerDoes) {
  Environment("TORQUED_STORE", "/env.db");
  const auto parsed = [](const std::vector<std::string>& arguments) {
    return std::get<StoreCommand>(Parse(arguments));
  };
  const StoreCommand backup = parsed({"store", "backup", "/copy.db"});
  EXPECT_EQ(backup.store, "/env.db");
  EXPECT_EQ(backup.copy, "/copy.db");
  EXPECT_FALSE(backup.overwrite);
  // Flags may stand anywhere.
  for (const StoreCommand& asked :
       {parsed({"--store", "/flag.db", "store", "backup", "--overwrite", "x"}),
        parsed({"store", "backup", "x", "--store=/flag.db", "--overwrite"})}) {
    EXPECT_EQ(asked.store, "/flag.db");
    EXPECT_TRUE(asked.overwrite);
  }
  EXPECT_EQ(parsed({"store", "check"}).store, "/env.db");
  EXPECT_EQ(parsed({"store", "check"}).copy, "");
  EXPECT_EQ(parsed({"store", "check", "/copy.db"}).store, "/copy.db");
  // Twin: a store may have that name.
  EXPECT_EQ(Accepted({"--store", "store"}).store, "store");
}

TEST_F(CommandLineTest, WrongWordsBehindStoreAreNoDamage) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{
           {"store"},
           {"store", "mend"},
           {"store", "backup"},
           {"store", "backup", "a", "b"},
           {"store", "backup", ""},
           {"store", "check", ""},
           {"store", "check", "--overwrite"},
           {"store", "check", "--threads", "many"},
           {"--no-such-flag", "store", "check"}}) {
    const EarlyExit exit = Ended(words);
    EXPECT_EQ(exit.code, 64) << exit.err;
    EXPECT_EQ(exit.out, "");
  }
}

}  // namespace
}  // namespace torqued::server
