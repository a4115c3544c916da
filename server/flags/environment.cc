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
constexpr std::array<std::string_view, 30> kKnown{
    "TORQUED_ADDRESS_FILE",
    "TORQUED_CHUNK_ROWS",
    "TORQUED_CONFIG",
    "TORQUED_DRAIN_GRACE",
    "TORQUED_GROWING_WINDOWS",
    "TORQUED_ISA",
    "TORQUED_KEEPALIVE",
    "TORQUED_LISTEN",
    "TORQUED_LOG_FORMAT",
    "TORQUED_LOG_LEVEL",
    "TORQUED_MAX_CONNECTION_AGE",
    "TORQUED_MAX_CONNECTION_IDLE",
    "TORQUED_MAX_INFLIGHT_BYTES",
    "TORQUED_MAX_INFLIGHT_ROWS",
    "TORQUED_MAX_INFLIGHT_STREAMS",
    "TORQUED_MAX_MESSAGE_BYTES",
    "TORQUED_MAX_MODELS",
    "TORQUED_MAX_REVISIONS",
    "TORQUED_MAX_ROWS",
    "TORQUED_MAX_STORE_BYTES",
    "TORQUED_MIN_PING_INTERVAL",
    "TORQUED_MODELS",
    "TORQUED_MODELS_VALIDATION",
    "TORQUED_PROTO",
    "TORQUED_REFLECTION",
    "TORQUED_SERVER",
    "TORQUED_SERVER_ADDRESS",
    "TORQUED_STORE",
    "TORQUED_THREADS",
    "TORQUED_WRITE_DEADLINE",
};

/// The names of what every pod beside a service called torqued or torqued-...
/// gets, and the names with such values. The first group is the rest of the
/// service's name; the number of SERVICE_PORT is the last one.
constexpr char kKubernetesName[] =
    "TORQUED_([A-Z0-9_]+_)?"
    "(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|"
    "PORT(_[0-9]+_(TCP|UDP|SCTP)(_(ADDR|PORT|PROTO))?)?)";
constexpr char kKubernetesVariable[] =
    "TORQUED_([A-Z0-9_]+_)?(?:"
    "SERVICE_HOST=[0-9A-Fa-f.:]+|"
    "PORT(?:_[0-9]+_(?:TCP|UDP|SCTP))?="
    "(?:tcp|udp|sctp)://[0-9A-Za-z.:\\[\\]-]+:[0-9]+|"
    "PORT_[0-9]+_(?:TCP|UDP|SCTP)_"
    "(?:ADDR=[0-9A-Fa-f.:]+|PORT=[0-9]+|PROTO=(?:tcp|udp|sctp))|"
    "SERVICE_PORT(?:_[A-Z0-9_]+)?=([0-9]+))";

/// The stack that std::regex takes grows with the text. A service's name has at
/// most 63 characters, a port's 15.
constexpr std::size_t kMaxName = 128;
constexpr std::size_t kMaxVariable = 256;

bool IsNamedAsOfKubernetes(std::string_view name) {
  static const std::regex of_service(kKubernetesName);
  return name.size() <= kMaxName &&
         std::regex_match(name.begin(), name.end(), of_service);
}

bool IsSet(std::string_view name, const char* const* environment) {
  for (; *environment != nullptr; ++environment) {
    const std::string_view variable = *environment;
    if (variable.size() > name.size() + 1 && variable.starts_with(name) &&
        variable[name.size()] == '=') {
      return true;
    }
  }
  return false;
}

/// A port alone may be anybody's wish; Kubernetes sets the host beside it.
bool IsOfKubernetes(std::string_view variable, const char* const* environment) {
  if (variable.size() > kMaxVariable) return false;
  static const std::regex of_service(kKubernetesVariable);
  std::match_results<std::string_view::const_iterator> found;
  if (!std::regex_match(variable.begin(), variable.end(), found, of_service)) {
    return false;
  }
  return !found[2].matched ||
         IsSet(std::string(kPrefix) + found[1].str() + "SERVICE_HOST",
               environment);
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

std::string HintFor(std::string_view name) {
  if (IsNamedAsOfKubernetes(name)) {
    return ", nor what Kubernetes sets for a service; did you mean "
           "TORQUED_LISTEN or TORQUED_SERVER_ADDRESS?";
  }
  const std::vector<std::string> near =
      NearNames(name.substr(kPrefix.size()), KnownWithoutPrefix());
  if (near.empty()) return {};
  return "; did you mean " + std::string(kPrefix) + near.front() + "?";
}

}  // namespace

std::span<const std::string_view> KnownVariables() { return kKnown; }

std::string EnvironmentProblem(const char* const* environment) {
  for (const char* const* at = environment; *at != nullptr; ++at) {
    const std::string_view variable = *at;
    const std::size_t end = variable.find('=');
    if (!variable.starts_with(kPrefix) || end == std::string_view::npos ||
        end + 1 == variable.size()) {
      continue;
    }
    const std::string_view name = variable.substr(0, end);
    if (std::binary_search(kKnown.begin(), kKnown.end(), name) ||
        IsOfKubernetes(variable, environment)) {
      continue;
    }
    return "the environment variable " + Told(name) +
           " is none that torqued, torquectl or a client reads" + HintFor(name);
  }
  return {};
}

}  // namespace torqued::flags
