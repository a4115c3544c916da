#include "server/flags/environment.h"

#include <algorithm>
#include <array>
#include <regex>
#include <vector>

#include "server/flags/near_names.h"

namespace torqued::flags {
namespace {

constexpr std::string_view kPrefix = "TORQUED_";
constexpr std::size_t kMostTold = 200;

// Of the server, every setting of its command line; of torquectl the address;
// of the clients the server that they start; of the Python package the contract
// that it is built from.
constexpr std::array<std::string_view, 22> kKnown{
    "TORQUED_ADDRESS_FILE",
    "TORQUED_CHUNK_ROWS",
    "TORQUED_CONFIG",
    "TORQUED_DRAIN_GRACE",
    "TORQUED_GROWING_WINDOWS",
    "TORQUED_ISA",
    "TORQUED_LISTEN",
    "TORQUED_LOG_FORMAT",
    "TORQUED_LOG_LEVEL",
    "TORQUED_MAX_INFLIGHT_BYTES",
    "TORQUED_MAX_INFLIGHT_ROWS",
    "TORQUED_MAX_INFLIGHT_STREAMS",
    "TORQUED_MAX_MESSAGE_BYTES",
    "TORQUED_MAX_ROWS",
    "TORQUED_MODELS",
    "TORQUED_MODELS_VALIDATION",
    "TORQUED_PROTO",
    "TORQUED_REFLECTION",
    "TORQUED_SERVER",
    "TORQUED_SERVER_ADDRESS",
    "TORQUED_STORE",
    "TORQUED_THREADS"};

/// Of a service called torqued or torqued-..., which every pod beside it gets.
bool IsOfKubernetes(std::string_view name) {
  // A service's name has at most 63 characters, a port's 15. The stack that
  // std::regex takes grows with the text.
  constexpr std::size_t kMaxLength = 128;
  if (name.size() > kMaxLength) return false;
  static const std::regex service(
      "TORQUED_([A-Z0-9_]+_)?"
      "(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|"
      "PORT(_[0-9]+_(TCP|UDP|SCTP)(_(ADDR|PORT|PROTO))?)?)");
  return std::regex_match(name.begin(), name.end(), service);
}

std::string Told(std::string_view name) {
  return name.size() <= kMostTold
             ? std::string(name)
             : std::string(name.substr(0, kMostTold)) + "...";
}

/// The prefix, which all have, would make all of them near.
std::vector<std::string> KnownWithoutPrefix() {
  std::vector<std::string> known(kKnown.size());
  std::transform(kKnown.begin(), kKnown.end(), known.begin(),
                 [](std::string_view name) {
                   return std::string(name.substr(kPrefix.size()));
                 });
  return known;
}

bool IsKnown(std::string_view name) {
  return std::binary_search(kKnown.begin(), kKnown.end(), name) ||
         IsOfKubernetes(name);
}

}  // namespace

std::span<const std::string_view> KnownVariables() { return kKnown; }

std::string EnvironmentProblem(const char* const* environment) {
  for (; *environment != nullptr; ++environment) {
    const std::string_view variable = *environment;
    const std::size_t end = variable.find('=');
    if (!variable.starts_with(kPrefix) || end == std::string_view::npos ||
        end + 1 == variable.size()) {
      continue;
    }
    const std::string_view name = variable.substr(0, end);
    if (IsKnown(name)) continue;
    const std::vector<std::string> near =
        NearNames(name.substr(kPrefix.size()), KnownWithoutPrefix());
    std::string problem = "the environment variable " + Told(name) +
                          " is none that torqued, torquectl or a client reads";
    if (!near.empty()) {
      problem += "; did you mean " + std::string(kPrefix) + near.front() + "?";
    }
    return problem;
  }
  return {};
}

}  // namespace torqued::flags
