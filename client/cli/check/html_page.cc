#include "client/cli/check/html_page.h"

#include "client/cli/formats/xml_text.h"

namespace torqued::cli {
namespace {

// Pictures have their colours as attributes, which the style of the dark page
// outdoes.
constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --page: #eef1f4; --card: #fff; --ink: #1f2933;
  --muted: #61707f; --line: #dfe4e9; --thin: #f0f2f5; --over: #c8372d;
  --good: #23794a; --curve: #1f6fb4; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 14px/1.5 Inter, "Helvetica Neue", Arial, "DejaVu Sans", sans-serif; }
main { max-width: 1600px; margin: 0 auto; padding: 28px 24px 60px; }
h1 { font-size: 22px; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 16px; margin: 34px 0 10px; }
h3 { font-size: 14px; margin: 0 0 6px; display: flex; flex-wrap: wrap;
  justify-content: space-between; gap: 2px 16px; overflow-wrap: anywhere; }
h3 span { font-weight: 400; color: var(--muted); }
.over, h3 span.over { color: var(--over); font-weight: 600; }
.verdict { display: inline-block; padding: 2px 12px; border-radius: 4px;
  color: #fff; font-weight: 600; margin-right: 8px; }
.pass { background: #23794a; } .fail { background: #c8372d; }
.muted { color: var(--muted); overflow-wrap: anywhere; }
section { background: var(--card); border: 1px solid var(--line);
  border-radius: 6px; padding: 16px 18px; margin-top: 12px; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 13px;
  font-variant-numeric: tabular-nums; }
th { text-align: right; font-weight: 600; color: var(--muted);
  border-bottom: 1px solid var(--line); padding: 4px 6px; }
th.group { text-align: center; border-bottom: 0; padding-bottom: 0;
  font-weight: 400; }
td { text-align: right; padding: 4px 6px; border-bottom: 1px solid var(--thin);
  white-space: nowrap; }
th:first-child, td:first-child, .left { text-align: left; }
.words { white-space: normal; overflow-wrap: break-word; text-align: left;
  max-width: 480px; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 18px;
  margin: 0; }
dt { color: var(--muted); } dd { margin: 0; overflow-wrap: anywhere; }
.cards { display: grid; gap: 12px; margin-top: 12px;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 460px), 1fr)); }
.cards section { margin-top: 0; }
.cards h2 { margin: 0 0 8px; }
.numbers { display: flex; flex-wrap: wrap; gap: 8px 36px; }
.numbers b { display: block; font-size: 24px; font-weight: 600; }
.plots { display: grid; grid-template-columns: 2fr 1fr; gap: 4px 10px; }
.plots.pair { grid-template-columns: 1fr 1fr; }
.plots.one { grid-template-columns: 1fr; }
.plots svg { width: 100%; height: auto; }
summary { cursor: pointer; color: var(--muted); padding: 6px 0; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 12px; }
.key { display: inline-block; width: 22px; height: 10px; margin: 0 6px 0 14px;
  vertical-align: baseline; }
.torque { background: rgba(200, 55, 45, 0.35); }
.velocity { background: rgba(222, 139, 16, 0.4); }
.position { background: rgba(112, 72, 178, 0.35); }
@media screen and (prefers-color-scheme: dark) {
  :root { --page: #12171c; --card: #1b2229; --ink: #dde3e9; --muted: #93a1af;
    --line: #313b45; --thin: #262f38; --over: #ff7a6e; --good: #5fc98d;
    --curve: #58a6e8; }
  svg rect[fill="#ffffff"] { fill: #1b2229; }
  svg rect[fill="#f8f9fb"] { fill: #161c22; }
  svg [stroke="#e4e8ec"] { stroke: #2a333c; }
  svg [stroke="#b9c2cb"] { stroke: #55626f; }
  svg text { fill: #93a1af; }
  svg [stroke="#1f6fb4"] { stroke: #58a6e8; }
  svg [fill="#1f2933"] { fill: #dde3e9; }
  svg [stroke="#1f2933"] { stroke: #dde3e9; }
  svg [stroke="#c8372d"] { stroke: #ff7a6e; }
}
@media print { body { background: #fff; } section { break-inside: avoid; } }
)";

}  // namespace

std::string HtmlPage(std::string_view title, const std::string& body) {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
         "<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width\">\n<title>" +
         EscapedXml(title) + "</title>\n<style>" + std::string(kStyle) +
         "</style>\n</head>\n<body>\n<main>\n" + body +
         "</main>\n</body>\n</html>\n";
}

std::string HtmlVerdict(std::string_view title, bool passes,
                        std::string_view sentence) {
  return "<h1>" + EscapedXml(title) + "</h1>\n<p><span class=\"verdict " +
         (passes ? "pass" : "fail") + "\">" + (passes ? "PASS" : "FAIL") +
         "</span>" + EscapedXml(sentence) + "</p>\n";
}

std::string HtmlCell(std::string_view text, std::string_view kind) {
  std::string cell = "<td";
  if (!kind.empty()) cell += " class=\"" + std::string(kind) + "\"";
  return cell + ">" + EscapedXml(text) + "</td>";
}

std::string HtmlHead(const std::vector<HtmlTitle>& titles) {
  std::string text = "<tr>";
  for (const HtmlTitle& title : titles) {
    text += "<th";
    if (!title.kind.empty()) {
      text += " class=\"" + std::string(title.kind) + "\"";
    }
    text += ">" + EscapedXml(title.text) + "</th>";
  }
  return text + "</tr>\n";
}

std::string HtmlFact(std::string_view name, std::string_view text) {
  if (text.empty()) return "";
  return "<dt>" + EscapedXml(name) + "</dt><dd>" + EscapedXml(text) + "</dd>\n";
}

std::string HtmlFolded(std::string_view title, const std::string& content) {
  return "<details><summary>" + EscapedXml(title) + "</summary>\n" + content +
         "</details>\n";
}

}  // namespace torqued::cli
