// Registry::LoadDirectories.
#include <algorithm>
#include <array>
#include <cstddef>
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

// The files that a shell's *.urdf names, in byte order.
std::vector<fs::path> FindModelFiles(const fs::path& directory,
                                     std::error_code& error) {
  std::vector<fs::path> files;
  fs::directory_iterator at(directory, error);
  while (!error && at != fs::directory_iterator()) {
    const fs::path file = at->path();
    if (file.extension() == ".urdf" &&
        !file.filename().native().starts_with('.')) {
      files.push_back(file);
    }
    at.increment(error);
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) {
    return a.native() < b.native();
  });
  return files;
}

struct FileContent {
  std::string bytes;
  std::string problem;  // why there are none
};

FileContent ReadFile(const std::string& path) {
  std::error_code error;
  // A symbolic link counts as what it leads to. Anything but a regular file
  // could keep us waiting.
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return {"", error.message()};
  if (!fs::is_regular_file(status)) return {"", "not a regular file"};
  std::ifstream file(path, std::ios::binary);
  if (!file) return {"", "cannot be opened"};
  const std::size_t limit = UrdfLimits{}.source_bytes;
  FileContent content;
  std::array<char, 1 << 16> chunk;
  while (content.bytes.size() <= limit &&
         file.read(chunk.data(), chunk.size()).gcount() > 0) {
    content.bytes.append(chunk.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) return {"", "cannot be read"};
  if (content.bytes.size() > limit) {
    return {"", "more than " + std::to_string(limit) + " bytes"};
  }
  return content;
}

constexpr std::size_t kShortRevision = 12;

Registry::DirectoryEntry NotRead(const std::string& path,
                                 const std::string& name,
                                 const std::string& first) {
  Registry::DirectoryEntry entry;
  entry.path = path;
  entry.name = name;
  entry.message = path + ": not read, since the name is that of " + first;
  return entry;
}

}  // namespace

std::vector<Registry::DirectoryEntry> Registry::LoadDirectories(
    const std::vector<std::string>& directories, Validation validation) {
  std::vector<DirectoryEntry> entries;
  std::map<std::string, std::string> path_of;  // by name
  for (const std::string& directory : directories) {
    std::error_code error;
    for (const fs::path& file : FindModelFiles(directory, error)) {
      const std::string path = file.string();
      const std::string name = file.stem().string();
      const auto [first, fresh] = path_of.emplace(name, path);
      entries.push_back(fresh ? LoadFile(path, name, validation)
                              : NotRead(path, name, first->second));
    }
    if (error) {
      DirectoryEntry entry;
      entry.path = directory;
      entry.message = directory + ": " + error.message();
      entries.push_back(std::move(entry));
    }
  }
  return entries;
}

Registry::DirectoryEntry Registry::LoadFile(const std::string& path,
                                            std::string name,
                                            Validation validation) {
  DirectoryEntry entry;
  entry.path = path;
  entry.name = std::move(name);
  const auto say = [&entry](const std::string& what) {
    entry.message = entry.path + ": " + what;
  };

  FileContent content = ReadFile(path);
  if (!content.problem.empty()) {
    say(content.problem);
    return entry;
  }
  // Without a suffix for the default, as every version has stored it.
  std::string hash = Sha256Hex(content.bytes);
  if (validation != Validation::kDefault) {
    hash.append(":").append(ToString(validation));
  }
  const auto known = store_->FindDirectoryHash(entry.name);
  if (const auto* error = std::get_if<StoreError>(&known)) {
    say("the model store failed: " + error->message);
    return entry;
  }
  if (std::get<std::optional<std::string>>(known) == hash) {
    entry.ok = true;
    say("unchanged since it was last loaded");
    return entry;
  }

  RegisterRequest request;
  request.name = entry.name;
  request.source = std::move(content.bytes);
  request.options.validation = validation;
  auto outcome = RegisterAs(std::move(request), hash);
  if (auto* error = std::get_if<RegistryError>(&outcome)) {
    say(error->message);
    entry.report = std::move(error->report);
    return entry;
  }
  const auto& registered = std::get<RegisterResult>(outcome);
  const LoadedRevision& loaded = *registered.entry.loaded;
  entry.ok = true;
  entry.changed = registered.changed();
  entry.report = loaded.report;
  say((registered.changed() ? "registered as " : "already registered as ") +
      entry.name + '@' + loaded.revision.substr(0, kShortRevision));
  return entry;
}

}  // namespace torqued::server
