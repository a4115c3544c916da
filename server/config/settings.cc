#include "server/config/settings.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "core/model/text.h"

// Without the library, which was compiled to throw.
#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

namespace torqued::server {
namespace {

constexpr std::int64_t kMebibyte = 1 << 20;

std::string DefaultStore() {
  static constexpr char kSystem[] = "/var/lib/torqued";
  if (access(kSystem, W_OK | X_OK) == 0) {
    return std::string(kSystem) + "/models.db";
  }
  // The XDG specification: relative paths are to be ignored.
  using Below = std::pair<const char*, const char*>;
  for (const auto& [variable, below] :
       {Below("XDG_DATA_HOME", ""), Below("HOME", "/.local/share")}) {
    const char* folder = std::getenv(variable);
    if (folder != nullptr && folder[0] == '/') {
      return std::string(folder) + below + "/torqued/models.db";
    }
  }
  return {};
}

[[noreturn]] void Refuse(const std::string& place, const std::string& why) {
  throw std::runtime_error(place + ": " + why);
}

std::string Line(const std::string& path, std::int64_t number) {
  return path + ": line " + std::to_string(number);
}

/// Refuses what toml++ 3.3 takes for granted, or leaves undefined.
void CheckCharacters(const std::string& path, const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  for (std::int64_t number = 1; std::getline(lines, line); ++number) {
    if (std::ranges::any_of(line, [](unsigned char c) { return c > 0x7F; })) {
      Refuse(Line(path, number),
             "a character is not ASCII; write it as \\u00E9 in double quotes");
    }
    std::erase_if(line, [](char c) { return c == ' ' || c == '\t'; });
    if (!line.starts_with('[')) continue;
    const char first = line[line.starts_with("[[") ? 2 : 1];
    if (std::isalnum(static_cast<unsigned char>(first)) == 0 &&
        std::string_view("-_\"'").find(first) == std::string_view::npos) {
      Refuse(Line(path, number), "a section has no name");
    }
  }
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
    }
    const auto take = [&entry](const toml::node& value) {
      if (const auto* text = value.as_string()) {
        entry.values.push_back(text->get());
      } else if (const auto* whole = value.as_integer()) {
        entry.values.push_back(std::to_string(whole->get()));
      } else if (const auto* real = value.as_floating_point()) {
        entry.values.push_back(NumberText(real->get()));
      } else {
        Refuse(entry.place, "the value of key '" + entry.key +
                                "' is no text, no number and no list of these");
      }
      // A NUL would cut a path short where the system reads it.
      if (std::ranges::any_of(entry.values.back(), [](unsigned char c) {
            return c < 0x20 || c == 0x7F;
          })) {
        Refuse(entry.place,
               "the value of key '" + entry.key + "' has control characters");
      }
    };
    if (const auto* list = node.as_array()) {
      for (const toml::node& value : *list) take(value);
    } else if (!node.is_table()) {
      take(node);
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
  // than the computing. 32 MiB is the most that glibc takes. Where memory is
  // scarce, large blocks go back to the system at once.
  mallopt(M_MMAP_THRESHOLD, bytes(32 * kMebibyte, 256));
  mallopt(M_TRIM_THRESHOLD, bytes(128 * kMebibyte, 64));
  mallopt(M_TOP_PAD, 4 * kMebibyte);
  // Messages wander from thread to thread, and every heap keeps what it once
  // held: with glibc's eight heaps per core a stream takes hundreds of MB where
  // there are many cores. Small blocks have caches of each thread.
  mallopt(M_ARENA_MAX, 4);
#endif
}

std::optional<std::string> ReadText(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen(path.c_str(), "rbe"), &std::fclose);
  if (file == nullptr) return std::nullopt;
  std::string text;
  char block[4096];
  std::size_t size = 0;
  do {
    size = std::fread(block, 1, sizeof(block), file.get());
    text.append(block, size);
  } while (size == sizeof(block));
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
  constexpr std::size_t kDigits = 18;  // that every 64-bit integer has
  const Json number = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (number.is_number() && text.size() <= kDigits && number.dump() == text) {
    return text;
  }
  return Json(text).dump(-1, ' ', /*ensure_ascii=*/true,
                         Json::error_handler_t::replace);
}

}  // namespace torqued::server
