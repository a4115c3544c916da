#include "server/config/rights.h"

#include <absl/strings/ascii.h>
#include <absl/strings/escaping.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <openssl/rand.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "server/config/settings.h"
#include "server/observability/logging.h"
#include "server/registry/revision.h"

namespace torqued::server {
namespace {

constexpr std::array<std::string_view, 4> kRoles = {"none", "evaluate",
                                                    "register", "administer"};

constexpr std::array<std::string_view, 10> kEvaluating = {
    "Compute",          "InverseDynamics", "MassMatrix",      "ForwardDynamics",
    "OperationalSpace", "Evaluate",        "CheckTrajectory", "GetServerInfo",
    "GetModel",         "ListModels"};

bool IsClientName(std::string_view text) {
  return !text.empty() && text.size() <= 64 &&
         std::ranges::all_of(text, [](char c) {
           return absl::ascii_isalnum(c) || c == '-' || c == '_';
         });
}

Role RoleOf(std::string_view name) {
  const auto found = std::ranges::find(kRoles, name);
  Require(found > kRoles.begin() && found < kRoles.end(),
          "expected \"evaluate\", \"register\" or \"administer\"");
  return static_cast<Role>(found - kRoles.begin());
}

}  // namespace

std::string_view NameOf(Role role) {
  return kRoles[static_cast<std::size_t>(role)];
}

Role RoleFor(std::string_view method) {
  if (method == "DeleteModel") return Role::kAdminister;
  if (method == "RegisterModel" || method == "ValidateModel") {
    return Role::kRegister;
  }
  return std::ranges::count(kEvaluating, method) > 0 ? Role::kEvaluate
                                                     : Role::kNone;
}

bool ChangesModels(std::string_view method) {
  return method == "RegisterModel" || method == "DeleteModel";
}

bool Grant::Covers(std::string_view reference) const {
  if (models == "*") return true;
  const std::string model(reference.substr(0, reference.find('@')));
  return !model.empty() && fnmatch(models.c_str(), model.c_str(), 0) == 0;
}

Rights::Rights(const std::string& file) {
  for (const ConfigEntry& entry : ReadConfigFile(file)) {
    try {
      Require(entry.values.size() == 1, "expected one text");
      const std::size_t dot = entry.key.find('.');
      const bool of_client = dot != std::string::npos;
      const std::string name = of_client ? entry.key.substr(0, dot) : "";
      Take(name, of_client ? entry.key.substr(dot + 1) : entry.key,
           entry.values.front());
      if (of_client) clients_[name].place = entry.place;
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(entry.place + ": '" + entry.key +
                               "': " + error.what());
    }
  }
  for (const auto& [name, client] : clients_) {
    const std::string at = client.place + ": client '" + name + "': ";
    Require(client.grant.role != Role::kNone, at + "no role is given");
    Require(!client.sha256.empty() || !client.san.empty(),
            at + "neither sha256 nor san is given");
    Require((client.sha256.empty() ||
             by_sha256_.emplace(client.sha256, &client.grant).second) &&
                (client.san.empty() ||
                 by_san_.emplace(client.san, &client.grant).second),
            at + "another client has its sha256 or san");
  }
}

void Rights::Take(const std::string& name, const std::string& key,
                  const std::string& value) {
  if (name.empty()) {
    Require(key == "unix", "unknown key; known is unix");
    unix_.role = RoleOf(value);
    return;
  }
  Require(IsClientName(name),
          "the name of a client is 1 to 64 letters, digits, - and _");
  Client& client = clients_[name];
  client.grant.name = name;
  if (key == "role") {
    client.grant.role = RoleOf(value);
  } else if (key == "sha256") {
    Require(value.size() == 64 &&
                value.find_first_not_of("0123456789abcdef") == value.npos,
            "expected 64 digits of 0-9 and a-f");
    client.sha256 = value;
  } else {
    Require(key == "san" || key == "models",
            "unknown key; known are sha256, san, role and models");
    Require(!value.empty(), "expected a name, or a pattern of names");
    (key == "san" ? client.san : client.grant.models) = value;
  }
}

const Grant* Rights::OfToken(std::string_view token) const {
  const auto found = by_sha256_.find(Sha256Hex(token));
  return found == by_sha256_.end() ? nullptr : found->second;
}

const Grant* Rights::OfName(std::string_view san) const {
  const auto found = by_san_.find(san);
  return found == by_san_.end() ? nullptr : found->second;
}

RightsFile::RightsFile(std::string file)
    : file_(std::move(file)),
      seen_(ReadText(file_)),
      rights_(std::make_shared<const Rights>(file_)) {}

void RightsFile::Reload() {
  auto text = ReadText(file_);
  if (text == seen_) return;
  seen_ = std::move(text);
  try {
    rights_ = std::make_shared<const Rights>(file_);
    Log(LogLevel::kInfo, "rights replaced", {{"file", file_}});
  } catch (const std::runtime_error& error) {
    ++failures_;
    Log(LogLevel::kError, "rights not replaced", {{"detail", error.what()}});
  }
}

std::string CreateToken(const std::string& file, const Grant& grant) {
  Require(IsClientName(grant.name),
          "NAME: expected 1 to 64 letters, digits, - and _");
  const std::string before = ReadText(file).value_or("");
  Require(before.empty() || !Rights(file).HasClient(grant.name),
          file + " has a client '" + grant.name + "' already");
  std::string random(32, '\0');
  Require(RAND_bytes(reinterpret_cast<unsigned char*>(random.data()), 32) == 1,
          "the system has no random numbers");
  const std::string token = "tqd_" + absl::BytesToHexString(random);
  // At once, and the role last: nobody reads a client with more rights.
  std::string text = before.empty() || before.ends_with('\n') ? "" : "\n";
  text +=
      "\n[" + grant.name + "]\nsha256 = \"" + Sha256Hex(token) + "\"\n" +
      (grant.models == "*" ? ""
                           : "models = " + ConfigValue(grant.models) + "\n") +
      "role = \"" + std::string(NameOf(grant.role)) + "\"\n";
  const int descriptor =
      open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const bool written = descriptor >= 0 &&
                       write(descriptor, text.data(), text.size()) ==
                           static_cast<ssize_t>(text.size()) &&
                       fsync(descriptor) == 0;
  const std::string reason = std::strerror(errno);
  if (descriptor >= 0 && !written) {
    static_cast<void>(
        !ftruncate(descriptor, static_cast<off_t>(before.size())));
  }
  close(descriptor);
  Require(written, "cannot write " + file + ": " + reason);
  return token;
}

}  // namespace torqued::server
