#include "client/cli/check/run_comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <ostream>
#include <utility>
#include <vector>

#include "client/cli/check/results.h"
#include "client/cli/errors.h"
#include "client/cli/formats/number_text.h"
#include "client/cli/message_json.h"
#include "client/cli/terminal/plain_text.h"

namespace torqued::cli {
namespace {

constexpr int kMaxDepth = 32;
/// Of a list that may be long.
constexpr std::size_t kShown = 10;
/// A smaller change does not count, of shares of limits, J and kg alike: a
/// joint at rest has a speed of 0 in one run and of 1e-14 in the other.
constexpr double kRounding = 1e-9;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Number {
  double value = 0;
  bool less_is_worse = false;
};

struct Run {
  std::map<std::string, std::string> asked = {};  // what, in words
  bool has_words = false;                         // those of the server
  bool passes = true;
  bool of_files = false;
  std::map<std::string, Number> numbers = {};
  Results results = {};  // of files
};

void Add(const Json& of, const char* path, const std::string& what, Run* run,
         bool less_is_worse = false) {
  const Json::json_pointer pointer(path);
  if (!of.contains(pointer)) return;
  run->numbers[what] = {RequiredNumberFromJson(of[pointer]), less_is_worse};
}

void ReadFileRun(Json summary, Run* run) {
  run->passes = summary.at("passes").get<bool>();
  bool leaves_positions = false;
  for (const Json& joint : summary.at("joints")) {
    const std::string name = joint.at("joint").get<std::string>() + ": ";
    Add(joint, "/torque_use/value", name + "torque of its limit", run);
    Add(joint, "/velocity_use/value", name + "velocity of its limit", run);
    Add(joint, "/rms_torque_use", name + "RMS torque", run);
    leaves_positions =
        leaves_positions || joint.value("position_violations", Json(0)) != 0;
  }
  if (summary.contains("payload") && !summary["payload"].at("possible")) {
    summary["payload"]["most"] = NumberJson(-kInfinity);
  }
  if (!summary.at("slow_down").at("possible") || leaves_positions) {
    summary["slow_down"]["factor"] = NumberJson(kInfinity);
  }
  Add(summary, "/violation_count", "violations", run);
  Add(summary, "/remark_count", "remarks on the samples", run);
  Add(summary, "/payload/most", "largest payload [kg]", run, true);
  Add(summary, "/slow_down/factor", "slow-down that passes", run);
  Add(summary, "/energy_given", "energy given [J]", run);
  Add(summary, "/path_inertia/sigma_min/value", "sigma_min", run, true);
  Add(summary, "/path_inertia/condition/value", "condition of Lambda", run);
  for (const char* const member : {"samples", "duration"}) {
    run->asked[member] = summary.at(member).dump();
  }
}

void ReadFilesRun(Results results, Run* run) {
  run->of_files = true;
  for (const auto& [file, result] : results) {
    run->passes = run->passes && Passes(result);
    if (!HasVerdict(result)) continue;
    run->numbers[file].value = RequiredNumberFromJson(result.at("severity"));
    run->numbers[file + ": remarks on the samples"].value =
        result.value("remarks", 0.0);
  }
  run->results = std::move(results);
}

Run ReadRun(std::string_view text, const std::string& name) {
  try {
    Run run;
    Json question;
    if (LooksLikeJournal(text)) {
      JournalContent content = ParseJournal(text, name);
      question = std::move(content.question);
      for (const auto& [file, result] : content.results) {
        // One has them for all.
        if (!result.contains("asked_words")) continue;
        question["asked_words"] = result["asked_words"];
      }
      ReadFilesRun(std::move(content.results), &run);
    } else {
      question = ParseJsonText(text, kMaxDepth, name);
      if (question.contains("results")) {
        Results results;
        for (const Json& result : question["results"]) {
          results[result.at("file").get<std::string>()] = result;
        }
        ReadFilesRun(std::move(results), &run);
      } else {
        ReadFileRun(question, &run);
        const Json echo = question.at("echo");
        question.update(echo);
      }
    }
    for (const char* const member : {"revision", "server_version"}) {
      run.asked[member] = question.at(member).get<std::string>();
    }
    for (const Json& asked : question.value("asked_words", Json())) {
      run.has_words = true;
      run.asked[asked.at("title").get<std::string>()] =
          asked.at("words").get<std::string>();
    }
    return run;
  } catch (const Json::exception&) {
    throw DataError(name,
                    "the file is neither a summary nor a file of results of "
                    "`trajectory check`");
  }
}

/// Empty for a change that does not count.
const char* ChangeOf(const Number& before, double after, double tolerance) {
  if (before.value == after) return "same";
  const double scale = std::max(std::abs(before.value), std::abs(after));
  if (std::isfinite(scale) && std::abs(after - before.value) <=
                                  std::max(tolerance * scale, kRounding)) {
    return "";
  }
  return (after > before.value) == before.less_is_worse ? "better" : "worse";
}

void CompareResults(const Results& before, const Results& after, Json* report) {
  const auto add = [report](const char* list, const std::string& file,
                            bool worse) {
    (*report)[list].push_back(file);
    if (worse) (*report)["worse"] = true;
  };
  for (const auto& [file, earlier] : before) {
    const auto found = after.find(file);
    // A verdict that is missing may be as bad as any.
    if (found == after.end()) {
      add("only_before", file, true);
    } else if (HasVerdict(earlier) && !HasVerdict(found->second)) {
      add("without_verdict", file, true);
    } else if (Passes(earlier) != Passes(found->second)) {
      add(Passes(earlier) ? "newly_failing" : "newly_passing", file,
          Passes(earlier));
    }
  }
  for (const auto& [file, later] : after) {
    if (!before.contains(file)) add("only_after", file, false);
  }
}

/// Of many files the changes alone, the largest first.
std::vector<Json> Shown(const Json& report) {
  std::vector<Json> numbers = report["numbers"];
  if (!report["of_files"]) return numbers;
  std::erase_if(numbers, [](const Json& number) {
    return number["change"] != "worse" && number["change"] != "better";
  });
  const auto more = [](const Json& number) {
    const double change = RequiredNumberFromJson(number["after"]) -
                          RequiredNumberFromJson(number["before"]);
    return std::isnan(change) ? 0 : change;
  };
  std::stable_sort(
      numbers.begin(), numbers.end(),
      [&more](const Json& a, const Json& b) { return more(a) > more(b); });
  numbers.resize(std::min(kShown, numbers.size()));
  return numbers;
}

}  // namespace

const Members kComparedColumns = {"what", "before", "after", "change"};

Json CompareRuns(const std::string& before_name, std::string_view before_text,
                 const std::string& after_name, std::string_view after_text,
                 double tolerance) {
  const Run before = ReadRun(before_text, before_name);
  const Run after = ReadRun(after_text, after_name);
  if (before.of_files != after.of_files) {
    throw DataError(
        before.of_files ? after_name : before_name,
        "the file has not the results of many files, but the other one has");
  }
  Json report = {{"before", before_name},
                 {"after", after_name},
                 {"of_files", before.of_files},
                 {"worse", !before.of_files && before.passes && !after.passes},
                 {"passed_before", before.passes},
                 {"passes_after", after.passes}};
  for (const char* const list :
       {"asked", "only_before", "only_after", "newly_failing", "newly_passing",
        "without_verdict", "numbers"}) {
    report[list] = Json::array();
  }
  std::map<std::string, std::pair<std::string, std::string>> asked;
  for (const auto& [what, words] : before.asked) asked[what].first = words;
  for (const auto& [what, words] : after.asked) asked[what].second = words;
  for (const auto& [what, words] : asked) {
    if (words.first == words.second) continue;
    // Without a verdict there are none.
    const bool is_missing = words.first.empty() || words.second.empty();
    if (is_missing && !(before.has_words && after.has_words)) continue;
    const auto cell = [](const std::string& text) {
      return text.empty() ? Json() : Json(text);
    };
    report["asked"].push_back({{"what", what},
                               {"before", cell(words.first)},
                               {"after", cell(words.second)}});
  }
  for (const auto& [what, number] : before.numbers) {
    const auto found = after.numbers.find(what);
    if (found == after.numbers.end()) continue;
    const double later = found->second.value;
    if (before.of_files && number.value == 0 && later == 0) continue;
    const std::string change = ChangeOf(number, later, tolerance);
    report["numbers"].push_back({{"what", what},
                                 {"before", NumberJson(number.value)},
                                 {"after", NumberJson(later)},
                                 {"change", change}});
    if (change == "worse") report["worse"] = true;
  }
  CompareResults(before.results, after.results, &report);
  return report;
}

void PrintComparison(const Json& report, std::ostream& out) {
  if (!report["asked"].empty()) {
    out << "Asked differently:\n";
    PrintRows({"what", "before", "after"}, report["asked"], out);
    out << "\n";
  }
  constexpr std::pair<const char*, const char*> kLists[] = {
      {"only_before", "Only before"},
      {"only_after", "Only after"},
      {"newly_failing", "Newly failing"},
      {"newly_passing", "Newly passing"},
      {"without_verdict", "No verdict any more"}};
  for (const auto& [member, title] : kLists) {
    const Json& list = report[member];
    for (std::size_t k = 0; k < std::min(kShown, list.size()); ++k) {
      out << title << ": " << PlainText(list[k].get<std::string>(), 200)
          << "\n";
    }
    if (list.size() > kShown) {
      out << title << ": and " << list.size() - kShown << " more\n";
    }
  }
  const std::vector<Json> numbers = Shown(report);
  if (!numbers.empty()) PrintRows(kComparedColumns, numbers, out);
  const auto verdict = [&report](const char* run) {
    return report[run] ? "PASS" : "FAIL";
  };
  out << verdict("passed_before") << " -> " << verdict("passes_after") << ", "
      << (report["worse"] ? "worse" : "not worse") << "\n";
}

}  // namespace torqued::cli
