#include "server/config/rights.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <openssl/rand.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "server/config/config_file.h"
#include "server/observability/logging.h"
#include "server/registry/revision.h"

namespace torqued::server {
namespace {

constexpr std::array<std::pair<std::string_view, Role>, 3> kRoles = {
    {{"evaluate", Role::kEvaluate},
     {"register", Role::kRegister},
     {"administer", Role::kAdminister}}};

constexpr std::array<std::pair<std::string_view, Role>, 12> kMethods = {
    {{"Compute", Role::kEvaluate},
     {"InverseDynamics", Role::kEvaluate},
     {"MassMatrix", Role::kEvaluate},
     {"ForwardDynamics", Role::kEvaluate},
     {"OperationalSpace", Role::kEvaluate},
     {"Evaluate", Role::kEvaluate},
     {"CheckTrajectory", Role::kEvaluate},
     {"GetServerInfo", Role::kEvaluate},
     {"GetModel", Role::kEvaluate},
     {"ListModels", Role::kEvaluate},
     {"ValidateModel", Role::kRegister},
     {"RegisterModel", Role::kRegister}}};

constexpr std::string_view kKnownRoles =
    "expected \"evaluate\", \"register\" or \"administer\"";

bool IsHex(std::string_view text) {
  return text.size() == 64 &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool IsClientName(std::string_view text) {
  return !text.empty() && text.size() <= 64 &&
         text.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyz"
             "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
             "0123456789_-") == std::string_view::npos;
}

std::string Stamp(const std::string& file) {
  struct stat status{};
  if (stat(file.c_str(), &status) != 0) return std::strerror(errno);
  return std::to_string(status.st_mtim.tv_sec) + "." +
         std::to_string(status.st_mtim.tv_nsec) + " " +
         std::to_string(status.st_size) + " " + std::to_string(status.st_ino);
}

}  // namespace

std::string_view NameOf(Role role) {
  for (const auto& [name, known] : kRoles) {
    if (known == role) return name;
  }
  return "none";
}

Role RoleOf(std::string_view name) {
  for (const auto& [known, role] : kRoles) {
    if (known == name) return role;
  }
  return Role::kNone;
}

Role RoleFor(std::string_view method) {
  if (method == "DeleteModel") return Role::kAdminister;
  for (const auto& [known, role] : kMethods) {
    if (known == method) return role;
  }
  return Role::kNone;
}

bool ChangesModels(std::string_view method) {
  return method == "RegisterModel" || method == "DeleteModel";
}

bool Grant::Covers(std::string_view reference) const {
  if (models == "*") return true;
  const std::string model(reference.substr(0, reference.find('@')));
  return !model.empty() && fnmatch(models.c_str(), model.c_str(), 0) == 0;
}

std::variant<std::shared_ptr<const Rights>, std::string> Rights::Read(
    const std::string& file) {
  auto read = ReadConfigFile(file);
  if (auto* problem = std::get_if<std::string>(&read)) return *problem;
  auto made = std::make_shared<Rights>();
  for (const ConfigEntry& entry : std::get<std::vector<ConfigEntry>>(read)) {
    const std::string at = entry.place + ": '" + entry.key + "': ";
    if (entry.values.size() != 1) return at + "expected one text";
    const std::string& value = entry.values.front();
    const std::size_t dot = entry.key.find('.');
    if (dot == std::string::npos) {
      if (entry.key != "unix") return at + "unknown key; known is unix";
      made->unix_.role = RoleOf(value);
      if (made->unix_.role == Role::kNone) return at + std::string(kKnownRoles);
      continue;
    }
    const std::string name = entry.key.substr(0, dot),
                      key = entry.key.substr(dot + 1);
    if (!IsClientName(name)) {
      return at + "the name of a client is 1 to 64 letters, digits, - and _";
    }
    Client& client = made->clients_[name];
    client.grant.name = name;
    client.place = entry.place;
    if (key == "sha256") {
      if (!IsHex(value)) return at + "expected 64 digits of 0-9 and a-f";
      client.sha256 = value;
    } else if (key == "san") {
      if (value.empty()) return at + "expected a name";
      client.san = value;
    } else if (key == "role") {
      client.grant.role = RoleOf(value);
      if (client.grant.role == Role::kNone)
        return at + std::string(kKnownRoles);
    } else if (key == "models") {
      if (value.empty()) return at + "expected a pattern of names";
      client.grant.models = value;
    } else {
      return at + "unknown key; known are sha256, san, role and models";
    }
  }
  for (const auto& [name, client] : made->clients_) {
    const std::string at = client.place + ": client '" + name + "': ";
    if (client.grant.role == Role::kNone) return at + "no role is given";
    if (client.sha256.empty() && client.san.empty()) {
      return at + "neither sha256 nor san is given";
    }
    if ((!client.sha256.empty() &&
         !made->by_sha256_.emplace(client.sha256, &client.grant).second) ||
        (!client.san.empty() &&
         !made->by_san_.emplace(client.san, &client.grant).second)) {
      return at + "another client has its sha256 or san";
    }
  }
  return made;
}

const Grant* Rights::OfToken(std::string_view token) const {
  const auto found = by_sha256_.find(Sha256Hex(token));
  return found == by_sha256_.end() ? nullptr : found->second;
}

const Grant* Rights::OfName(std::string_view san) const {
  const auto found = by_san_.find(san);
  return found == by_san_.end() ? nullptr : found->second;
}

std::variant<std::unique_ptr<RightsFile>, std::string> RightsFile::Open(
    const std::string& file) {
  std::unique_ptr<RightsFile> made(new RightsFile(file));
  made->seen_ = Stamp(file);
  auto read = Rights::Read(file);
  if (auto* problem = std::get_if<std::string>(&read)) return *problem;
  made->rights_ = std::get<std::shared_ptr<const Rights>>(std::move(read));
  return made;
}

void RightsFile::Reload() {
  std::string stamp = Stamp(file_);
  if (stamp == seen_) return;
  seen_ = std::move(stamp);
  auto read = Rights::Read(file_);
  if (auto* rights = std::get_if<std::shared_ptr<const Rights>>(&read)) {
    rights_ = std::move(*rights);
    return Log(LogLevel::kInfo, "rights replaced", {{"file", file_}});
  }
  ++failures_;
  Log(LogLevel::kError, "rights not replaced",
      {{"detail", std::get<std::string>(read)}});
}

NewToken CreateToken(const std::string& file, const Grant& grant) {
  if (!IsClientName(grant.name)) {
    return {{}, "NAME: expected 1 to 64 letters, digits, - and _"};
  }
  std::error_code error;
  std::string text;
  if (std::filesystem::exists(file, error)) {
    auto read = Rights::Read(file);
    if (auto* problem = std::get_if<std::string>(&read)) return {{}, *problem};
    if (std::get<std::shared_ptr<const Rights>>(read)->HasClient(grant.name)) {
      return {{}, file + " has a client '" + grant.name + "' already"};
    }
    std::ifstream in(file, std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(in), {});
    if (!text.empty() && text.back() != '\n') text += '\n';
  }
  std::array<unsigned char, 32> random{};
  if (RAND_bytes(random.data(), random.size()) != 1) {
    return {{}, "the system has no random numbers"};
  }
  std::string token = "tqd_";
  for (const unsigned char byte : random) {
    constexpr char kDigits[] = "0123456789abcdef";
    token += {kDigits[byte / 16], kDigits[byte % 16]};
  }
  text += "\n[" + grant.name + "]\nsha256 = \"" + Sha256Hex(token) +
          "\"\nrole = \"" + std::string(NameOf(grant.role)) + "\"\n";
  if (grant.models != "*")
    text += "models = " + ConfigValue(grant.models) + "\n";
  // Readers see the whole file, and nobody else sees it.
  const std::string draft = file + "." + std::to_string(getpid());
  const int descriptor =
      open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  struct stat before{};
  const bool kept = stat(file.c_str(), &before) != 0 ||
                    (fchown(descriptor, before.st_uid, before.st_gid) == 0 &&
                     fchmod(descriptor, before.st_mode) == 0);
  const bool written = descriptor >= 0 && kept &&
                       write(descriptor, text.data(), text.size()) ==
                           static_cast<ssize_t>(text.size()) &&
                       fsync(descriptor) == 0 &&
                       rename(draft.c_str(), file.c_str()) == 0;
  const std::string reason = std::strerror(errno);
  if (descriptor >= 0) close(descriptor);
  if (written) return {token, {}};
  unlink(draft.c_str());
  return {{}, "cannot write " + file + ": " + reason};
}

}  // namespace torqued::server
