// Pieces of pages that need nothing but themselves. All texts are escaped here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace torqued::cli {

/// A whole page; `body` is HTML.
std::string HtmlPage(std::string_view title, const std::string& body);

/// The page's head line, with PASS or FAIL and a sentence beside it.
std::string HtmlVerdict(std::string_view title, bool passes,
                        std::string_view sentence);

/// `kind` is a class of the style or empty: "over", of a number over its limit;
/// "left" or "words", of a column of text, whose lines may be broken.
std::string HtmlCell(std::string_view text, std::string_view kind = {});
struct HtmlTitle {
  std::string_view text;
  std::string_view kind = {};
};
std::string HtmlHead(const std::vector<HtmlTitle>& titles);

/// A row of a list of facts; empty for an empty text.
std::string HtmlFact(std::string_view name, std::string_view text);

/// `content` is HTML, folded away under a title until somebody opens it.
std::string HtmlFolded(std::string_view title, const std::string& content);

}  // namespace torqued::cli
