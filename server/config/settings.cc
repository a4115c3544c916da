#include "server/config/settings.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_split.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/base/text.h"

// Without the library, which was compiled to throw.
#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

namespace torqued::server {
namespace {

constexpr std::int64_t kMebibyte = 1 << 20;

std::string DefaultStore() {
  if (access("/var/lib/torqued", W_OK | X_OK) == 0) {
    return "/var/lib/torqued/models.db";
  }
  const char *data = std::getenv("XDG_DATA_HOME"), *home = std::getenv("HOME");
  // The XDG specification: relative paths are to be ignored.
  if (data != nullptr && data[0] == '/') {
    return std::string(data) + "/torqued/models.db";
  }
  return home != nullptr && home[0] == '/'
             ? std::string(home) + "/.local/share/torqued/models.db"
             : "";
}

[[noreturn]] void Refuse(const std::string& place, const std::string& why) {
  throw std::runtime_error(place + ": " + why);
}

std::string Line(const std::string& path, std::int64_t number) {
  return path + ": line " + std::to_string(number);
}

/// Refuses what toml++ 3.3 takes for granted, or leaves undefined.
void CheckCharacters(const std::string& path, const std::string& text) {
  std::int64_t number = 0;
  const std::vector<std::string> lines = absl::StrSplit(text, '\n');
  for (std::string line : lines) {
    ++number;
    if (!std::ranges::all_of(line, absl::ascii_isascii)) {
      Refuse(Line(path, number),
             "a character is not ASCII; write it as \\u00E9 in double quotes");
    }
    std::erase_if(line, absl::ascii_isblank);
    const char first = line.starts_with('[') ? line.c_str()[1] : '-';
    if (!absl::ascii_isalnum(first) &&
        std::string_view("-_\"'").find(first) == std::string_view::npos) {
      Refuse(Line(path, number), "a section has no name");
    }
  }
}

std::string TextOf(const toml::node& value, const ConfigEntry& entry) {
  std::string text;
  if (const auto* string = value.as_string()) {
    text = string->get();
  } else if (const auto* whole = value.as_integer()) {
    text = std::to_string(whole->get());
  } else if (const auto* real = value.as_floating_point()) {
    text = NumberText(real->get());
  } else {
    Refuse(entry.place, "the value of key '" + entry.key +
                            "' must be a text, a number or a list of these");
  }
  // A NUL would cut a path short where the system reads it.
  if (std::ranges::any_of(text, absl::ascii_iscntrl)) {
    Refuse(entry.place,
           "the value of key '" + entry.key + "' has control characters");
  }
  return text;
}

void Append(const toml::table& table, const std::string& prefix,
            const std::string& path, std::vector<ConfigEntry>* entries) {
  for (const auto& [key, node] : table) {
    ConfigEntry entry{prefix + std::string(key.str()),
                      {},
                      Line(path, node.source().begin.line)};
    if (const auto* section = node.as_table()) {
      Append(*section, entry.key + ".", path, entries);
      if (!section->empty()) continue;
    } else if (const auto* list = node.as_array()) {
      for (const toml::node& value : *list) {
        entry.values.push_back(TextOf(value, entry));
      }
    } else {
      entry.values.push_back(TextOf(node, entry));
    }
    entries->push_back(std::move(entry));
  }
}

}  // namespace

std::string_view Version() { return TORQUED_VERSION; }

MemoryLimit FindMemoryLimit(const CgroupPlaces& places) {
  MemoryLimit limit;
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  if (pages > 0 && size > 0) limit.bytes = std::int64_t{pages} * size;
  for (const CgroupFolder& folder : CgroupFolders("memory", places)) {
    // Beyond memory.high a process is slowed down until it has given memory
    // back, which a server cannot.
    for (const char* name :
         {"/memory.max", "/memory.high", "/memory.limit_in_bytes"}) {
      std::ifstream file(folder.path + name);
      std::int64_t bytes = 0;  // which "max" is not
      if (file >> bytes && bytes > 0 && bytes < limit.bytes) {
        limit = {bytes, "cgroup"};
      }
    }
  }
  return limit;
}

Settings DefaultSettings(const MemoryLimit& memory) {
  Settings settings;
  settings.store = DefaultStore();
  settings.memory = memory;
  settings.max_message_bytes =
      std::clamp(memory.bytes / 64, kMebibyte, settings.max_message_bytes);
  // A message, three times, and its reply, twice, of a client that has half.
  settings.max_inflight_bytes =
      std::clamp(memory.bytes / 4, 10 * kMebibyte, settings.max_inflight_bytes);
  return settings;
}

std::int64_t ArrivalBytes(const Settings& settings) {
  const std::int64_t besides =
      4 * settings.max_message_bytes +
      std::min(64 * kMebibyte, settings.memory.bytes / 8);
  // The largest number is no limit.
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() - besides;
  return std::min(settings.max_inflight_bytes, most) + besides;
}

std::int64_t CachedSourceBytes(const Settings& settings) {
  return std::min(1024 * kMebibyte, settings.memory.bytes / 16) / 12;
}

void TuneMalloc([[maybe_unused]] std::int64_t memory_bytes) {
#ifdef __GLIBC__
  const auto bytes = [memory_bytes](std::int64_t most, int share) {
    return static_cast<int>(std::min(most, memory_bytes / share));
  };
  // Blocks below this come from the heap: an mmap and its page faults cost more
  // than the computing. 32 MiB is the most that glibc takes.
  mallopt(M_MMAP_THRESHOLD, bytes(32 * kMebibyte, 256));
  mallopt(M_TRIM_THRESHOLD, bytes(128 * kMebibyte, 64));
  mallopt(M_TOP_PAD, 4 * kMebibyte);
  // Messages wander from thread to thread, and every heap keeps what it once
  // held: hundreds of MB with glibc's eight heaps per core.
  mallopt(M_ARENA_MAX, 4);
#endif
}

std::optional<std::string> ReadText(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen(path.c_str(), "rbe"), &std::fclose);
  if (file == nullptr) return std::nullopt;
  std::string text;
  char block[4096];
  for (std::size_t size = sizeof(block); size == sizeof(block);) {
    size = std::fread(block, 1, sizeof(block), file.get());
    text.append(block, size);
  }
  if (std::ferror(file.get()) != 0) return std::nullopt;
  return text;
}

std::vector<ConfigEntry> ReadConfigFile(const std::string& path) {
  const auto text = ReadText(path);
  if (!text) Refuse(path, std::strerror(errno));
  CheckCharacters(path, *text);
  const auto parsed = toml::parse(*text, path);
  if (!parsed) {
    Refuse(Line(path, parsed.error().source().begin.line),
           std::string(parsed.error().description()));
  }
  std::vector<ConfigEntry> entries;
  Append(parsed.table(), "", path, &entries);
  return entries;
}

std::string ConfigValue(const std::string& text) {
  using Json = nlohmann::json;
  const Json number = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  // Every 64-bit integer has 18 digits.
  if (number.is_number() && text.size() <= 18 && number.dump() == text) {
    return text;
  }
  return Json(text).dump(-1, ' ', /*ensure_ascii=*/true,
                         Json::error_handler_t::replace);
}

}  // namespace torqued::server
