// Who may do what: the clients of a file of rights.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace torqued::server {

/// Each may do what those before it may.
enum class Role : std::uint8_t { kNone, kEvaluate, kRegister, kAdminister };

std::string_view NameOf(Role role);
/// The right that a method of this service needs; kNone: the method is not one.
Role RoleFor(std::string_view method);
bool ChangesModels(std::string_view method);

struct Grant {
  std::string name;
  Role role = Role::kNone;
  std::string models = "*";  // pattern of fnmatch(3)

  /// Whether it covers a reference; one without a name only if it covers all.
  bool Covers(std::string_view reference) const;
};

/// The file: `unix = "ROLE"` for clients of Unix sockets, and a section for
/// each other client, whose name is the section's:
///
///   [planner]
///   sha256 = "..."   # of its token, in hex
///   san = "..."      # or a DNS or URI name of its certificate
///   role = "evaluate"
///   models = "arm_*" # absent: all
class Rights {
 public:
  /// Throws std::runtime_error: what is wrong, with the line.
  explicit Rights(const std::string& file);

  // Null: there is no such client.
  const Grant* OfToken(std::string_view token) const;
  const Grant* OfName(std::string_view san) const;
  const Grant* OfUnix() const {
    return unix_.role == Role::kNone ? nullptr : &unix_;
  }
  bool HasClient(const std::string& name) const {
    return clients_.contains(name);
  }

 private:
  struct Client {
    Grant grant;
    std::string sha256, san, place;
  };

  void Take(const std::string& name, const std::string& key,
            const std::string& value);

  Grant unix_{.name = "unix"};
  std::map<std::string, Client> clients_;
  std::map<std::string, const Grant*, std::less<>> by_sha256_, by_san_;
};

/// A file of rights that may change while the server runs.
class RightsFile {
 public:
  explicit RightsFile(std::string file);

  std::shared_ptr<const Rights> current() const { return rights_.load(); }
  /// Uses the file if it has changed and is good; otherwise logs once what is
  /// wrong, and what it was before is in force. From one thread.
  void Reload();
  std::int64_t failures() const { return failures_.load(); }

 private:
  const std::string file_;
  std::optional<std::string> seen_;  // its text
  std::atomic<std::shared_ptr<const Rights>> rights_;
  std::atomic<std::int64_t> failures_{0};
};

/// Appends a client with a new token to a file, which is made if it is missing,
/// and returns the token. Throws std::runtime_error.
std::string CreateToken(const std::string& file, const Grant& grant);

}  // namespace torqued::server
