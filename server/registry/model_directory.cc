// Registry::LoadDirectories.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <system_error>
#include <utility>

#include "core/formats/urdf.h"
#include "server/registry/registry.h"

namespace torqued::server {
namespace {

namespace fs = std::filesystem;

// The files that a shell's *.urdf names, in byte order. Throws.
std::vector<fs::path> FindModelFiles(const fs::path& directory) {
  std::vector<fs::path> files;
  for (const fs::path& file : fs::directory_iterator(directory)) {
    if (file.extension() == ".urdf" &&
        !file.filename().native().starts_with('.')) {
      files.push_back(file);
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Throws RegistryError.
std::string ReadFile(const fs::path& path) {
  const auto refuse = [](const std::string& why) {
    throw RegistryError{.message = why};
  };
  std::error_code error;
  // A symbolic link counts as what it leads to. Anything but a regular file
  // could keep us waiting.
  const fs::file_status status = fs::status(path, error);
  if (!fs::is_regular_file(status)) {
    refuse(fs::exists(status) ? "not a regular file" : error.message());
  }
  const std::size_t limit = UrdfLimits{}.source_bytes;
  const std::uintmax_t size = fs::file_size(path, error);
  if (size > limit) refuse("more than " + std::to_string(limit) + " bytes");
  std::string bytes(size, '\0');
  std::ifstream file(path, std::ios::binary);
  if (!file.read(bytes.data(), static_cast<std::streamsize>(size))) {
    refuse("cannot be read");
  }
  return bytes;
}

}  // namespace

std::vector<Registry::DirectoryEntry> Registry::LoadDirectories(
    const std::vector<std::string>& directories, Validation validation) {
  std::vector<DirectoryEntry> entries;
  std::map<std::string, std::string> path_of;  // by name
  for (const std::string& directory : directories) {
    try {
      for (const fs::path& file : FindModelFiles(directory)) {
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
    if (path != first) {
      throw RegistryError{.message =
                              "not read, since the name is that of " + first};
    }
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
           name + '@' + result.entry.loaded->revision.substr(0, 12);
  });
  const auto* error = std::get_if<RegistryError>(&outcome);
  entry.ok = error == nullptr;
  entry.message = path + ": " +
                  (entry.ok ? std::get<std::string>(outcome) : error->message);
  return entry;
}

}  // namespace torqued::server
