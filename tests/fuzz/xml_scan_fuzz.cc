// Any bytes before the XML parser: what passes, the parser survives.
#include <tinyxml2.h>

#include <algorithm>
#include <string_view>

#include "core/base/text.h"
#include "core/formats/element_reader.h"
#include "core/model/description.h"
#include "tests/fuzz/loaded_model.h"
#include "tests/fuzz/require.h"

namespace {

using namespace torqued;  // NOLINT(google-build-using-namespace)

constexpr UrdfLimits kLimits{
    .source_bytes = 2000, .nodes = 100, .attributes = 8};

// Nothing that passes has more elements or attributes than are allowed, or
// text that is not UTF-8 once its references are resolved.
class Walk : public tinyxml2::XMLVisitor {
 public:
  bool VisitEnter(const tinyxml2::XMLElement& element,
                  const tinyxml2::XMLAttribute* attribute) override {
    ++elements_;
    std::size_t attributes = 0;
    for (; attribute != nullptr; attribute = attribute->Next()) {
      ++attributes;
      FUZZ_REQUIRE(
          FindInvalidUtf8(attribute->Value()) == std::string_view::npos,
          attribute->Value());
    }
    FUZZ_REQUIRE(attributes <= kLimits.attributes, element.Name());
    FUZZ_REQUIRE(elements_ <= kLimits.nodes, element.Name());
    return true;
  }

 private:
  std::size_t elements_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view source = fuzz::Text(data, size);
  LoadResult result;
  const bool passed = CheckXmlSource(source, kLimits, result.report);
  FUZZ_REQUIRE(passed == result.report.ok(), source);
  FUZZ_REQUIRE(result.report.errors() <= 1, "it goes on after an error");
  result.report.Sort();
  const int lines =
      1 + static_cast<int>(std::count(source.begin(), source.end(), '\n'));
  for (const Finding& finding : result.report.findings()) {
    FUZZ_REQUIRE(finding.line <= lines, finding.message);
    FUZZ_REQUIRE(finding.line > 0 || source.size() > kLimits.source_bytes,
                 finding.message);
  }
  if (!passed) return 0;
  FUZZ_REQUIRE(source.find('\0') == std::string_view::npos, source);
  tinyxml2::XMLDocument document;
  if (document.Parse(source.data(), source.size()) == tinyxml2::XML_SUCCESS) {
    Walk walk;
    document.Accept(&walk);
  }
  return 0;
}
