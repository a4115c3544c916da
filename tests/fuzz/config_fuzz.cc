// Any bytes as a command line and a configuration file. What stands before a
// line "---" are arguments, one a line; without such a line all of it is the
// file.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "server/config/settings.h"
#include "server/flags/address.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/require.h"

namespace {

using namespace torqued::server;  // NOLINT(google-build-using-namespace)
namespace fuzz = torqued::fuzz;

struct Input {
  std::vector<std::string> arguments;
  std::string_view file;
};

Input Split(std::string_view text) {
  constexpr std::string_view kMark = "---\n";
  std::size_t mark = text.starts_with(kMark) ? 0 : text.find("\n---\n");
  if (mark == std::string_view::npos) return {{}, text};
  if (mark != 0) ++mark;
  Input input{{}, text.substr(mark + kMark.size())};
  for (std::string_view rest = text.substr(0, mark); !rest.empty();) {
    const std::size_t end = rest.find('\n');
    // As exec cuts it.
    const std::string line(rest.substr(0, end));
    input.arguments.emplace_back(line.c_str());
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return input;
}

Command Parse(const std::vector<std::string>& arguments) {
  std::vector<const char*> argv{"torqued"};
  for (const std::string& argument : arguments) {
    argv.push_back(argument.c_str());
  }
  return ParseCommandLine(static_cast<int>(argv.size()), argv.data());
}

template <class T>
bool In(T value, T low, T high) {
  return value >= low && value <= high;
}

bool IsAddress(const std::string& text, int first_port) {
  return torqued::flags::AddressProblem(text, {"", first_port, true}).empty();
}

void CheckSettings(const Settings& settings) {
  constexpr std::int64_t kInt32 = 2'147'483'647;
  FUZZ_REQUIRE(!settings.listen.empty(), "listen");
  for (const std::string& address : settings.listen) {
    FUZZ_REQUIRE(IsAddress(address, 0), address);
  }
  FUZZ_REQUIRE(!settings.store.empty(), "store");
  FUZZ_REQUIRE(In(settings.threads, 0, 1024), "threads");
  FUZZ_REQUIRE(In<std::int64_t>(settings.max_message_bytes, 4096, kInt32),
               "max-message-bytes");
  FUZZ_REQUIRE(In<std::int64_t>(settings.max_rows, 1, kInt32), "max-rows");
  FUZZ_REQUIRE(settings.max_inflight_bytes >= 1, "max-inflight-bytes");
  FUZZ_REQUIRE(In<std::int64_t>(settings.max_inflight_streams, 1, kInt32),
               "max-inflight-streams");
  FUZZ_REQUIRE(settings.max_models >= 1, "max-models");
  for (const auto time : {settings.keepalive, settings.max_connection_age}) {
    FUZZ_REQUIRE(In<std::int64_t>(time.count(), 0, kInt32), "keeping");
  }
  FUZZ_REQUIRE(In<std::int64_t>(settings.drain_grace.count(), 0, 86'400'000),
               "drain-grace");
}

void CheckRefusal(const std::string& message, const std::string& file) {
  FUZZ_REQUIRE(message.starts_with("torqued: "), message);
  FUZZ_REQUIRE(message.size() < 1000, message);
  FUZZ_REQUIRE(std::find_if(message.begin(), message.end(),
                            [](unsigned char c) {
                              return c < 0x20 || c == 0x7F;
                            }) == message.end() - 1 &&
                   message.back() == '\n',
               message);
  // A refusal names the flag, the command, or the file with its key.
  FUZZ_REQUIRE(message.find(file) != std::string::npos ||
                   message.find("--") != std::string::npos ||
                   message.find("argument") != std::string::npos ||
                   message.find("command") != std::string::npos ||
                   message.find("FILE") != std::string::npos,
               message);
}

// A comma separates the values of a list.
bool CanBePrinted(const std::string& value) {
  return value.find(',') == std::string::npos &&
         std::none_of(value.begin(), value.end(),
                      [](unsigned char c) { return c < 0x20 || c >= 0x7F; });
}

bool CanBePrinted(const Settings& settings) {
  const auto all = [](const std::vector<std::string>& values) {
    return std::all_of(
        values.begin(), values.end(),
        [](const std::string& value) { return CanBePrinted(value); });
  };
  return CanBePrinted(settings.store) && CanBePrinted(settings.address_file) &&
         all(settings.models) && all(settings.listen);
}

// What --print-config prints reads back as the same.
void CheckPrinted(std::vector<std::string> arguments,
                  const Settings& settings) {
  arguments.emplace_back("--print-config");
  const Command printed = Parse(arguments);
  const auto* text = std::get_if<EarlyExit>(&printed);
  FUZZ_REQUIRE(text != nullptr && text->code == 0, "not printed");
  const fuzz::MemoryFile file(text->out);
  const Command parsed = Parse({"--config", file.path()});
  if (const auto* exit = std::get_if<EarlyExit>(&parsed)) {
    FUZZ_REQUIRE(!"read back", text->out + exit->err);
  }
  const auto& again = std::get<Settings>(parsed);
  FUZZ_REQUIRE(again.listen == settings.listen, text->out);
  FUZZ_REQUIRE(again.models == settings.models, text->out);
  FUZZ_REQUIRE(again.models_validation == settings.models_validation,
               text->out);
  FUZZ_REQUIRE(again.store == settings.store, text->out);
  FUZZ_REQUIRE(again.address_file == settings.address_file, text->out);
  FUZZ_REQUIRE(again.threads == settings.threads, text->out);
  FUZZ_REQUIRE(again.max_rows == settings.max_rows, text->out);
  FUZZ_REQUIRE(again.max_inflight_bytes == settings.max_inflight_bytes,
               text->out);
  FUZZ_REQUIRE(again.log_format == settings.log_format, text->out);
  FUZZ_REQUIRE(again.reflection == settings.reflection, text->out);
}

// Nothing of this machine may have a say.
bool ClearEnvironment() {
  clearenv();
  return setenv("HOME", "/home/torqued", 1) == 0;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  static const bool clear = ClearEnvironment();
  FUZZ_REQUIRE(clear, "environment");
  Input input = Split(fuzz::Text(data, size));
  const fuzz::MemoryFile file(input.file);
  input.arguments.insert(input.arguments.end(), {"--config", file.path()});
  const Command command = Parse(input.arguments);
  if (const auto* settings = std::get_if<Settings>(&command)) {
    CheckSettings(*settings);
    if (CanBePrinted(*settings)) CheckPrinted(input.arguments, *settings);
  } else if (const auto* exit = std::get_if<EarlyExit>(&command)) {
    FUZZ_REQUIRE(exit->code == 0 || exit->code == 64, exit->err);
    FUZZ_REQUIRE((exit->code == 0) == exit->err.empty(), exit->err);
    FUZZ_REQUIRE((exit->code == 0) == !exit->out.empty(), exit->out);
    if (exit->code != 0) CheckRefusal(exit->err, file.path());
  } else if (const auto* store = std::get_if<StoreCommand>(&command)) {
    FUZZ_REQUIRE(!store->store.empty(), "store");
  } else {
    const auto& check = std::get<HealthCheckCommand>(command);
    FUZZ_REQUIRE(IsAddress(check.address, 1), check.address);
  }
  return 0;
}
