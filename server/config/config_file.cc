#include "server/config/config_file.h"

#include <algorithm>
#include <cctype>
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

/// The entries of a table and of those in it, or what is wrong with one.
std::string Append(const toml::table& table, const std::string& prefix,
                   const std::string& path, std::vector<ConfigEntry>* entries) {
  for (const auto& [key, node] : table) {
    ConfigEntry entry{
        prefix + std::string(key.str()), {}, At(path, node.source())};
    if (const auto* section = node.as_table(); section && !section->empty()) {
      if (std::string problem =
              Append(*section, entry.key + ".", path, entries);
          !problem.empty()) {
        return problem;
      }
      continue;
    }
    if (!node.is_table() && !AppendTexts(node, &entry.values)) {
      return entry.place + ": the value of key '" + entry.key +
             "' is no text, no number and no list of these";
    }
    // A NUL would cut a path short where the system reads it.
    const auto is_control = [](unsigned char c) {
      return c < 0x20 || c == 0x7F;
    };
    for (const std::string& text : entry.values) {
      if (std::ranges::any_of(text, is_control)) {
        return entry.place + ": the value of key '" + entry.key +
               "' has control characters";
      }
    }
    entries->push_back(std::move(entry));
  }
  return {};
}

/// The line of a "[" without a name behind it, which toml++ 3.3 takes for
/// granted; 0: there is none.
std::int64_t LineOfNamelessSection(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF", kBlank = " \t";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  for (std::int64_t line = 1; !text.empty(); ++line) {
    const std::size_t begin = text.find_first_not_of(kBlank);
    if (begin != text.npos && text[begin] == '[') {
      std::size_t name = text.find_first_not_of(kBlank, begin + 1);
      if (name != text.npos && text[name] == '[') {
        name = text.find_first_not_of(kBlank, name + 1);
      }
      const char c = name == text.npos ? ']' : text[name];
      if (std::isalnum(static_cast<unsigned char>(c)) == 0 &&
          std::string_view("-_\"']").find(c) == text.npos) {
        return line;
      }
    }
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  }
  return 0;
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
  const auto& text = std::get<std::string>(bytes);
  if (const std::int64_t line = LineOfNamelessSection(text); line != 0) {
    return path + ": line " + std::to_string(line) + ": a section has no name";
  }
  // toml++ 3.3 leaves the behavior of some other characters undefined.
  if (const auto other = std::find_if(text.begin(), text.end(),
                                      [](unsigned char c) { return c > 0x7F; });
      other != text.end()) {
    return path + ": line " +
           std::to_string(1 + std::count(text.begin(), other, '\n')) +
           ": a character is not ASCII; write it as \\u00E9 in double quotes";
  }
  const auto parsed = toml::parse(text, path);
  if (!parsed) {
    return At(path, parsed.error().source()) + ": " +
           std::string(parsed.error().description());
  }
  std::vector<ConfigEntry> entries;
  if (std::string problem = Append(parsed.table(), "", path, &entries);
      !problem.empty()) {
    return problem;
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
