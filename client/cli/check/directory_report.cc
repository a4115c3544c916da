#include "client/cli/check/directory_report.h"

#include <algorithm>
#include <ostream>

#include "client/cli/check/utilization_text.h"
#include "client/cli/evaluation_output.h"
#include "client/cli/formats/csv.h"
#include "client/cli/formats/number_text.h"
#include "client/cli/formats/xml_text.h"
#include "client/cli/terminal/duration_text.h"
#include "client/cli/terminal/plain_text.h"
#include "client/cli/terminal/table.h"

namespace torqued::cli {
namespace {

constexpr std::size_t kWorst = 10;

std::string VerdictOf(const FileResult& result) {
  if (!result.error.empty()) return "none";
  return result.passes ? "pass" : "FAIL";
}

std::string LimitsOf(const FileResult& result) {
  if (!result.error.empty()) return PlainText(result.error);
  return result.joint.empty() ? "No joint has a limit." : result.worst;
}

std::string SentenceOf(const FileResult& result) {
  std::string limits = LimitsOf(result);
  if (result.remarks == 0) return limits;
  const std::string remarks = std::to_string(result.remarks) +
                              (result.remarks == 1 ? " remark" : " remarks") +
                              " on the samples, the gravest: " + result.remark;
  // What fails for its samples alone says so first.
  return !result.passes && result.violations == 0 ? remarks + " " + limits
                                                  : limits + " " + remarks;
}

std::string CaseXml(const FileResult& result) {
  std::string text = "    <testcase classname=\"trajectory\" name=\"" +
                     EscapedXml(result.file) + "\"";
  if (result.passes && result.remarks > 0) {
    return text + "><system-out>" + EscapedXml(SentenceOf(result)) +
           "</system-out></testcase>\n";
  }
  if (result.passes) return text + "/>\n";
  const std::string kind = result.error.empty() ? "failure" : "error";
  return text + "><" + kind + " message=\"" + EscapedXml(SentenceOf(result)) +
         "\"/></testcase>\n";
}

}  // namespace

void PrintDirectory(const DirectoryCheck& check, std::ostream& out) {
  out << ModelText(check.question.at("model"), check.question.at("revision"))
      << "  " << check.results.size() << " files";
  if (check.resumed > 0) {
    out << ", " << check.resumed << " of them checked before";
  }
  out << ", in " << DurationText(check.seconds) << "\n";
  out << check.passed() << " pass, " << check.failed() << " fail, "
      << check.errors() << " have no verdict\n";
  // Those come last.
  const std::size_t judged = check.results.size() - check.errors();
  if (judged > 0) out << "\nThe worst:\n";
  Table table({{"", Align::kRight},
               {"file", Align::kLeft},
               {"verdict", Align::kLeft},
               {"of limit", Align::kRight},
               {"", Align::kLeft}});
  for (std::size_t k = 0; k < std::min(kWorst, judged); ++k) {
    const FileResult& result = check.results[k];
    table.Add({std::to_string(k + 1), PlainText(result.file, 200),
               VerdictOf(result),
               result.joint.empty() ? "-" : UtilizationText(result.severity),
               SentenceOf(result)});
  }
  if (judged > 0) table.Print(out);
  if (check.errors() > 0) out << "\nWithout a verdict:\n";
  for (std::size_t k = 0; k < std::min(kWorst, check.errors()); ++k) {
    out << "  " << SentenceOf(check.results[judged + k]) << "\n";
  }
  if (check.errors() > kWorst) {
    out << "  and " << check.errors() - kWorst << " more\n";
  }
}

Json DirectoryJson(const DirectoryCheck& check) {
  Json json;
  json["directory"] = check.directory;
  json.update(check.question);
  json["asked_words"] = check.asked_words();
  json["files"] = check.results.size();
  json["passed"] = check.passed();
  json["failed"] = check.failed();
  json["errors"] = check.errors();
  json["resumed"] = check.resumed;
  json["seconds"] = check.seconds;
  json["results"] = Json::array();
  for (const FileResult& result : check.results) {
    json["results"].push_back(ToJson(result));
    json["results"].back().erase("asked_words");
  }
  return json;
}

std::string DirectoryCsv(const DirectoryCheck& check) {
  CsvWriter csv({"file", "verdict", "severity", "joint", "violations",
                 "largest_torque_use", "largest_velocity_use",
                 "largest_payload", "slow_down", "samples", "duration", "worst",
                 "remarks", "remark"});
  const auto optional = [&csv](const std::optional<double>& number) {
    if (number) {
      csv.Number(*number);
    } else {
      csv.Text("");
    }
  };
  for (const FileResult& result : check.results) {
    csv.Text(result.file);
    csv.Text(VerdictOf(result));
    csv.Number(result.severity);
    csv.Text(result.joint);
    csv.Text(std::to_string(result.violations));
    csv.Number(result.largest_torque_use);
    csv.Number(result.largest_velocity_use);
    optional(result.largest_payload);
    optional(result.slow_down);
    csv.Text(std::to_string(result.samples));
    csv.Number(result.duration);
    csv.Text(LimitsOf(result));
    csv.Text(std::to_string(result.remarks));
    csv.Text(result.remark);
    csv.EndRow();
  }
  return csv.text();
}

std::string DirectoryJunit(const DirectoryCheck& check) {
  const std::string counts = "tests=\"" + std::to_string(check.results.size()) +
                             "\" failures=\"" + std::to_string(check.failed()) +
                             "\" errors=\"" + std::to_string(check.errors()) +
                             "\"";
  std::string cases;
  for (const FileResult& result : check.results) cases += CaseXml(result);
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites " + counts +
         ">\n  <testsuite name=\"" + EscapedXml(check.directory) + "\" " +
         counts + ">\n" + cases + "  </testsuite>\n</testsuites>\n";
}

}  // namespace torqued::cli
