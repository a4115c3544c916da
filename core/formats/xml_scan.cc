#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>

#include "core/base/text.h"
#include "core/formats/element_reader.h"

namespace torqued {
namespace {

// Walks over the markup the way the parser will, up to the point where the
// parser would stop with an error of its own.
class XmlScanner {
 public:
  XmlScanner(std::string_view source, const UrdfLimits& limits,
             LintReport& report)
      : source_(source), limits_(limits), report_(report) {}

  bool Scan() {
    if (source_.size() > limits_.source_bytes) {
      report_.Add(LintCode::kSourceTooLarge, {},
                  Cat("The source has ", source_.size(), " bytes; at most ",
                      limits_.source_bytes, " are accepted."));
      return false;
    }
    if (const std::size_t nul = source_.find('\0'); nul < source_.size()) {
      return Refuse(
          LintCode::kMalformedXml, nul, "The source has a NUL byte at offset ",
          nul,
          ", which no XML text has; is it the right file, saved as UTF-8?");
    }
    if (const std::size_t bad = FindInvalidUtf8(source_);
        bad < source_.size()) {
      return Refuse(LintCode::kMalformedXml, bad, "The byte ",
                    Printable(source_.substr(bad, 1), 8), " at offset ", bad,
                    " is not UTF-8; save the file in that encoding.");
    }
    while (at_ < source_.size()) {
      if (source_[at_] != '<') {
        at_ = Find("<");
      } else if (!ScanMarkup()) {
        return false;
      }
    }
    return true;
  }

 private:
  // Offset of `text` from here on, or the end of the source.
  std::size_t Find(std::string_view text) const {
    return std::min(source_.find(text, at_), source_.size());
  }
  bool Starts(std::string_view text) const {
    return source_.substr(at_).starts_with(text);
  }
  void SkipPast(std::string_view text) {
    at_ = std::min(Find(text) + text.size(), source_.size());
  }

  // Offsets must not decrease from call to call: counts on from the last one.
  int Line(std::size_t offset) {
    line_ += static_cast<int>(
        std::count(source_.begin() + counted_, source_.begin() + offset, '\n'));
    counted_ = offset;
    return line_;
  }

  bool Refuse(LintCode code, std::size_t offset, const auto&... pieces) {
    report_.Add(code, {.line = Line(offset)}, Cat(pieces...));
    return false;
  }

  bool ScanMarkup() {
    if (++nodes_ > limits_.nodes) {
      return Refuse(LintCode::kSourceTooLarge, at_, "The source has more than ",
                    limits_.nodes,
                    " elements and comments, the most that is accepted.");
    }
    if (Starts("<!--")) {
      at_ += 4;
      SkipPast("-->");
    } else if (Starts("<![CDATA[")) {
      SkipPast("]]>");
    } else if (Starts("<?")) {
      SkipPast("?>");
    } else if (Starts("<!")) {
      return ScanDeclaration();
    } else {
      return ScanTag();
    }
    return true;
  }

  bool ScanDeclaration() {
    const std::size_t begin = at_;
    SkipPast(">");
    const std::string_view text = source_.substr(begin, at_ - begin);
    if (text.find('[') != std::string_view::npos ||
        text.starts_with("<!ENTITY")) {
      return Refuse(LintCode::kMalformedXml, begin,
                    "The document type declares entities or elements of its "
                    "own, which are never read; take the declaration out.");
    }
    report_.Add(LintCode::kIgnoredElement, {.line = Line(begin)},
                Cat("The declaration ", Quoted(text),
                    " is ignored; nothing is read from outside the source."));
    return true;
  }

  bool ScanTag() {
    const std::size_t begin = at_;
    std::size_t attributes = 0;
    while (at_ < source_.size() && source_[at_] != '>') {
      const char quote = source_[at_++];
      if (quote != '"' && quote != '\'') continue;
      if (++attributes > limits_.attributes) {
        return Refuse(LintCode::kSourceTooLarge, begin, "The element ",
                      Quoted(source_.substr(begin, 32)), " has more than ",
                      limits_.attributes,
                      " attributes, the most that is accepted.");
      }
      const std::size_t end = Find({&quote, 1});
      if (!CheckReferences(end)) return false;
      at_ = std::min(end + 1, source_.size());
    }
    at_ = std::min(at_ + 1, source_.size());
    return true;
  }

  // Every '&' of an attribute value up to `end` begins one of the five
  // predefined entities or a character reference.
  bool CheckReferences(std::size_t end) {
    for (; at_ < end; ++at_) {
      if (source_[at_] != '&') continue;
      const std::string_view rest = source_.substr(at_, end - at_);
      const std::size_t semicolon = rest.find(';');
      const std::string_view reference = semicolon == std::string_view::npos
                                             ? std::string_view()
                                             : rest.substr(1, semicolon - 1);
      if (reference == "amp" || reference == "lt" || reference == "gt" ||
          reference == "quot" || reference == "apos" ||
          IsCharacter(reference)) {
        continue;
      }
      return Refuse(
          LintCode::kMalformedXml, at_, "The text ",
          Quoted(rest.substr(0, std::min<std::size_t>(semicolon, 20) + 1)),
          " is not a character or entity of XML. Write an ampersand as &amp;.");
    }
    return true;
  }

  static bool IsCharacter(std::string_view reference) {
    if (!reference.starts_with('#')) return false;
    const bool is_hex = reference.starts_with("#x");
    const std::string_view digits = reference.substr(is_hex ? 2 : 1);
    std::uint32_t code = 0;
    const auto [end, error] = std::from_chars(
        digits.data(), digits.data() + digits.size(), code, is_hex ? 16 : 10);
    const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
    return error == std::errc() && end == digits.data() + digits.size() &&
           code != 0 && code <= 0x10FFFF && !is_surrogate;
  }

  std::string_view source_;
  const UrdfLimits& limits_;
  LintReport& report_;
  std::size_t at_ = 0;
  std::size_t nodes_ = 0;
  std::size_t counted_ = 0;
  int line_ = 1;
};

}  // namespace

bool CheckXmlSource(std::string_view source, const UrdfLimits& limits,
                    LintReport& report) {
  return XmlScanner(source, limits, report).Scan();
}

}  // namespace torqued
