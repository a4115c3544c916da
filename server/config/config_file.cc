#include "server/config/config_file.h"

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <sstream>

// Without the library, which was compiled to throw.
#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

namespace torqued::server {
namespace {

constexpr std::size_t kMaxBytes = 1 << 20;

/// The bytes of a file; errno, or EFBIG for one that is too large.
std::variant<std::string, int> ReadBytes(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen(path.c_str(), "rbe"), &std::fclose);
  if (file == nullptr) return errno;
  std::string text(kMaxBytes + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (std::ferror(file.get()) != 0) return errno;
  if (text.size() > kMaxBytes) return EFBIG;
  return text;
}

std::string At(const std::string& path, const toml::source_region& source) {
  return path + ": line " + std::to_string(source.begin.line);
}

template <class Number>
std::string Decimal(Number number) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof(text), number).ptr;
  return {text, end};
}

/// Appends the text of a value; false for one of a type that no setting has.
bool AppendText(const toml::node& node, std::vector<std::string>* texts) {
  if (const auto* text = node.as_string()) {
    texts->push_back(text->get());
  } else if (const auto* whole = node.as_integer()) {
    texts->push_back(Decimal(whole->get()));
  } else if (const auto* number = node.as_floating_point()) {
    texts->push_back(Decimal(number->get()));
  } else {
    return false;
  }
  return true;
}

bool AppendTexts(const toml::node& node, std::vector<std::string>* texts) {
  const auto* list = node.as_array();
  if (list == nullptr) return AppendText(node, texts);
  for (const toml::node& value : *list) {
    if (!AppendText(value, texts)) return false;
  }
  return true;
}

std::string Quoted(const std::string& text) {
  const toml::value<std::string> value(text);
  std::ostringstream quoted;
  quoted << toml::toml_formatter(value, toml::format_flags::none);
  return quoted.str();
}

}  // namespace

std::variant<std::vector<ConfigEntry>, std::string> ReadConfigFile(
    const std::string& path) {
  const auto bytes = ReadBytes(path);
  if (const auto* error = std::get_if<int>(&bytes)) {
    return path + ": " + std::strerror(*error);
  }
  const auto parsed = toml::parse(std::get<std::string>(bytes), path);
  if (!parsed) {
    return At(path, parsed.error().source()) + ": " +
           std::string(parsed.error().description());
  }
  std::vector<ConfigEntry> entries;
  for (const auto& [key, node] : parsed.table()) {
    ConfigEntry entry{std::string(key.str()), {}, At(path, node.source())};
    if (const auto* section = node.as_table()) {
      if (!section->empty()) {
        entry.key.append(".").append(section->begin()->first.str());
      }
    } else if (!AppendTexts(node, &entry.values)) {
      return entry.place + ": the value of key '" + entry.key +
             "' is no text, no number and no list of these";
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::string ConfigValue(const std::string& text) {
  std::int64_t whole = 0;
  double number = 0;
  const char* end = text.data() + text.size();
  std::from_chars(text.data(), end, whole);
  std::from_chars(text.data(), end, number);
  const bool is_number = text.find_first_of("0123456789") == 0;
  if (is_number && (Decimal(whole) == text || Decimal(number) == text)) {
    return text;
  }
  return Quoted(text);
}

std::string ConfigList(const std::vector<std::string>& texts) {
  if (texts.size() == 1) return Quoted(texts.front());
  std::string list;
  for (const std::string& text : texts) {
    list.append(list.empty() ? "" : ", ").append(Quoted(text));
  }
  return "[" + list + "]";
}

}  // namespace torqued::server
