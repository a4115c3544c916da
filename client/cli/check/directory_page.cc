#include "client/cli/check/directory_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

#include "client/cli/check/html_asked.h"
#include "client/cli/check/html_page.h"
#include "client/cli/check/passing_numbers.h"
#include "client/cli/check/verdict_text.h"
#include "client/cli/formats/number_text.h"
#include "client/cli/formats/xml_text.h"
#include "client/cli/plot/torque_summary.h"
#include "client/cli/terminal/progress_meter.h"

namespace torqued::cli {
namespace {

constexpr std::size_t kWorst = 10;
/// A page of thousands of rows is read by nobody and slow in a browser.
constexpr std::size_t kListed = 500;
constexpr std::size_t kListedErrors = 100;

std::string Pixels(double number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", number);
  return text.data();
}

std::string Number(std::size_t count, const char* what) {
  return "<div><b>" + std::to_string(count) + "</b>" + EscapedXml(what) +
         "</div>\n";
}

std::string Totals(const DirectoryCheck& check) {
  return "<section class=\"numbers\">\n" +
         Number(check.results.size(), "files") +
         Number(check.passed(), "pass") + Number(check.failed(), "fail") +
         Number(check.errors(), "without a verdict") + "</section>\n";
}

std::string ShareOf(const FileResult& result) {
  return result.joint.empty() ? "-" : UtilizationText(result.severity);
}

/// A bar up to the limit and beyond; the limit is the line in the middle.
std::string Bar(const FileResult& result) {
  constexpr double kWidth = 160;
  const double share = std::clamp(
      std::isfinite(result.severity) ? result.severity : 2, 0.0, 2.0);
  return "<td><svg width=\"160\" height=\"12\" viewBox=\"0 0 160 12\">"
         "<rect x=\"0\" y=\"2\" width=\"" +
         Pixels(share / 2 * kWidth) + "\" height=\"8\" fill=\"" +
         (result.passes ? "#1f6fb4" : "#c8372d") +
         "\"/><line x1=\"80\" y1=\"0\" x2=\"80\" y2=\"12\" "
         "stroke=\"#1f2933\" stroke-width=\"2\"/></svg></td>";
}

std::string PayloadText(const FileResult& result) {
  if (result.largest_payload)
    return LargestPayloadText(*result.largest_payload);
  // "-": nobody looked.
  return result.payload_possible == false ? LargestPayloadText(kNoPayload)
                                          : "-";
}

struct Column {
  HtmlTitle title;
  std::string (*cell)(std::size_t rank, const FileResult& result);  // HTML
  bool is_bar = false;
};

constexpr HtmlTitle kUntitled = {""};

std::vector<Column> Columns(bool with_bar) {
  using Result = const FileResult&;
  std::vector<Column> columns = {
      {kUntitled,
       [](std::size_t rank, Result) { return HtmlCell(std::to_string(rank)); }},
      {{"file", "words"},
       [](std::size_t, Result result) {
         return HtmlCell(result.file, "words");
       }},
      {{"verdict"},
       [](std::size_t, Result result) {
         return HtmlCell(result.passes ? "pass" : "FAIL",
                         result.passes ? "" : "over");
       }},
      {{"of limit"},
       [](std::size_t, Result result) { return HtmlCell(ShareOf(result)); }},
      {kUntitled, [](std::size_t, Result result) { return Bar(result); }, true},
      {{"worst", "words"},
       [](std::size_t, Result result) {
         return HtmlCell(
             result.joint.empty() ? "no joint has a limit" : result.worst,
             "words");
       }},
      {{"remarks", "words"},
       [](std::size_t, Result result) {
         return HtmlCell(result.remarks == 0
                             ? "no remark"
                             : RemarkCountText(result.remarks) +
                                   ", the gravest: " + result.remark,
                         "words");
       }},
      {{"violations"},
       [](std::size_t, Result result) {
         return HtmlCell(std::to_string(result.violations));
       }},
      {{"payload [kg]"},
       [](std::size_t, Result result) {
         return HtmlCell(PayloadText(result));
       }},
      {{"slow-down"},
       [](std::size_t, Result result) {
         return HtmlCell(SlowDownFactorText(result.slow_down.value_or(
             std::numeric_limits<double>::infinity())));
       }},
      {{"duration [s]"}, [](std::size_t, Result result) {
         return HtmlCell(ReadableText(result.duration));
       }}};
  if (!with_bar) {
    std::erase_if(columns, [](const Column& column) { return column.is_bar; });
  }
  return columns;
}

/// Of the first `count` results.
std::string Ranked(const std::vector<FileResult>& results, std::size_t count,
                   bool with_bar) {
  const std::vector<Column> columns = Columns(with_bar);
  std::vector<HtmlTitle> titles;
  titles.reserve(columns.size());
  for (const Column& column : columns) titles.push_back(column.title);
  std::string text = "<table>\n" + HtmlHead(titles);
  for (std::size_t k = 0; k < count; ++k) {
    text += "<tr>";
    for (const Column& column : columns) {
      text += column.cell(k + 1, results[k]);
    }
    text += "</tr>\n";
  }
  return text + "</table>\n";
}

std::string More(std::size_t all, std::size_t shown, const char* what) {
  if (all <= shown) return "";
  return "<p class=\"muted\">and " + std::to_string(all - shown) + " " + what +
         ": the file of --summary has all of them</p>\n";
}

/// The last ones of the results.
std::string Errors(const DirectoryCheck& check) {
  const std::size_t errors = check.errors();
  if (errors == 0) return "";
  const std::size_t judged = check.results.size() - errors;
  std::string text = "<h2>Without a verdict</h2>\n<section>\n<table>\n" +
                     HtmlHead({{"file", "words"}, {"why", "words"}});
  const std::size_t shown = std::min(kListedErrors, errors);
  for (std::size_t k = judged; k < judged + shown; ++k) {
    const FileResult& result = check.results[k];
    text += "<tr>" + HtmlCell(result.file, "words") +
            HtmlCell(result.error, "words") + "</tr>\n";
  }
  return text + "</table>\n" + More(errors, shown, "more") + "</section>\n";
}

/// A member of the question, which is always text.
std::string Told(const DirectoryCheck& check, const char* member) {
  return check.question.value(member, std::string());
}

std::string Asked(const DirectoryCheck& check) {
  const Json& question = check.question;
  return "<h2>Asked</h2>\n<section>\n<dl>\n" +
         HtmlFact("Model",
                  Told(check, "model") + "@" + Told(check, "revision")) +
         AskedFacts(
             AskedItems(StartFromJson(question.value("asked", Json::object())),
                        question.value("inputs", Json::object()))) +
         HtmlFact("Server", Told(check, "server_version")) + "</dl>\n" +
         HtmlFolded("the whole request",
                    "<pre>" + EscapedXml(ToText(question)) + "</pre>\n") +
         "</section>\n";
}

std::string Sentence(const DirectoryCheck& check) {
  const bool limits_alone = std::none_of(
      check.results.begin(), check.results.end(), [](const FileResult& result) {
        return result.error.empty() && !result.passes && result.violations == 0;
      });
  std::string text =
      check.failed() + check.errors() == 0 ? "all files keep all limits"
      : check.failed() == 0
          ? "no limit is broken, and some files have no verdict"
          : std::to_string(check.failed()) + " of " +
                std::to_string(check.results.size()) +
                (limits_alone
                     ? " files break a limit"
                     : " files break a limit or have samples that contradict "
                       "each other");
  if (check.resumed > 0) {
    text += "; " + std::to_string(check.resumed) + " were checked before";
  }
  return text + "; checked in " + DurationText(check.seconds);
}

}  // namespace

std::string DirectoryPage(const DirectoryCheck& check) {
  const bool passes = check.failed() + check.errors() == 0;
  const std::size_t judged = check.results.size() - check.errors();
  std::string body = HtmlVerdict(check.directory, passes, Sentence(check)) +
                     Totals(check) + Asked(check);
  if (judged > 0) {
    body += "<h2>The worst</h2>\n<section>\n" +
            Ranked(check.results, std::min(kWorst, judged), true) +
            "</section>\n";
  }
  body += Errors(check);
  if (judged > kWorst) {
    const std::size_t shown = std::min(kListed, judged);
    body += "<h2>All files, the worst first</h2>\n<section>\n" +
            Ranked(check.results, shown, false) +
            More(judged, shown, "files more, which do better") + "</section>\n";
  }
  return HtmlPage((passes ? "PASS " : "FAIL ") + check.directory, body);
}

}  // namespace torqued::cli
