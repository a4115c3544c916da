// Registry::LoadDirectories.
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "core/formats/urdf.h"
#include "server/registry/registry.h"

namespace torqued::server {
namespace {

namespace fs = std::filesystem;

// Throws RegistryError.
std::string ReadFile(const fs::path& path) {
  const auto require = [](bool good, const std::string& why) {
    Require(good, {}, why);
  };
  std::error_code error;
  // Anything but a regular file, or a link to one, could keep us waiting.
  const fs::file_status status = fs::status(path, error);
  require(fs::exists(status), error.message());
  require(fs::is_regular_file(status), "not a regular file");
  const std::size_t limit = UrdfLimits{}.source_bytes;
  const std::uintmax_t size = fs::file_size(path, error);
  require(size <= limit, "more than " + std::to_string(limit) + " bytes");
  std::string bytes(size, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), static_cast<std::streamsize>(size));
  require(file.good(), "cannot be read");
  return bytes;
}

}  // namespace

std::vector<Registry::DirectoryEntry> Registry::LoadDirectories(
    const std::vector<std::string>& directories, Validation validation) {
  std::vector<DirectoryEntry> entries;
  std::map<std::string, std::string> path_of;  // by name
  for (const std::string& directory : directories) {
    try {
      const fs::directory_iterator found(directory);
      for (const fs::path& file : std::set<fs::path>(begin(found), {})) {
        if (file.extension() != ".urdf" ||
            file.filename().native().starts_with('.')) {
          continue;
        }
        const auto& first = path_of.emplace(file.stem(), file).first->second;
        entries.push_back(LoadFile(file, first, validation));
      }
    } catch (const fs::filesystem_error& error) {
      entries.push_back({.message = directory + ": " + error.code().message()});
    }
  }
  return entries;
}

Registry::DirectoryEntry Registry::LoadFile(const std::string& path,
                                            const std::string& first,
                                            Validation validation) {
  const std::string name = fs::path(path).stem();
  DirectoryEntry entry{.name = name};
  const auto outcome = Answer([&] {
    Require(path == first, {}, "not read, since the name is that of " + first);
    RegisterRequest request;
    request.name = name;
    request.source = ReadFile(path);
    request.options.validation = validation;
    // Without a suffix for the default, as every version has stored it.
    request.file_hash = Sha256Hex(request.source);
    if (validation != Validation::kDefault) {
      request.file_hash += ':' + std::string(ToString(validation));
    }
    if (store_->FileHash(name) == request.file_hash) {
      return std::string("unchanged since it was last loaded");
    }
    const RegisterResult result = Store(std::move(request));
    entry.changed = result.changed();
    return (entry.changed ? "registered as " : "already registered as ") +
           name + '@' + result.entry.loaded->revision.substr(0, 12) +
           (entry.changed && !result.before.empty()
                ? ", before at " + result.before.substr(0, 12)
                : "");
  });
  const auto* error = std::get_if<RegistryError>(&outcome);
  entry.ok = error == nullptr;
  entry.message = path + ": " +
                  (entry.ok ? std::get<std::string>(outcome) : error->message);
  return entry;
}

}  // namespace torqued::server
