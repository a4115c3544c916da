#include "client/cli/check/run_comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "client/cli/check/passing_numbers.h"
#include "client/cli/check/results_journal.h"
#include "client/cli/errors.h"
#include "client/cli/formats/json_numbers.h"
#include "client/cli/formats/json_tree.h"

namespace torqued::cli {
namespace {

constexpr int kMaxDepth = 32;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Whether more is worse, or less.
enum class Worse : std::uint8_t { kMore, kLess };

struct Number {
  double value = 0;
  Worse worse = Worse::kMore;
  NumberKind kind = NumberKind::kPlain;
};

/// No change: of shares of limits, J and kg alike. A joint at rest has a speed
/// of 0 in one run and of 1e-14 in the other.
constexpr double kRounding = 1e-9;

/// A run as far as it is compared.
struct RunNumbers {
  bool passes = false;
  std::vector<std::pair<std::string, Number>> numbers;  // in order
  Json question;
};

bool LeavesPositions(const Json& joint) {
  const auto count = joint.find("position_violations");
  return count != joint.end() && *count != 0;
}

/// What a summary says of the largest payload.
double LargestPayload(const Json& payload) {
  return payload.at("possible").get<bool>()
             ? RequiredNumberFromJson(payload.at("most"))
             : kNoPayload;
}

/// By what the trajectory of a summary must be slowed down to pass.
double SlowDown(const Json& summary) {
  const Json& pace = summary.at("slow_down");
  const Json& joints = summary.at("joints");
  const bool passes =
      pace.at("possible").get<bool>() &&
      std::none_of(joints.begin(), joints.end(), LeavesPositions);
  return passes ? RequiredNumberFromJson(pace.at("factor")) : kInfinity;
}

/// What counted, whether or not a client wrote what is a default.
Json AskedIn(const Json& summary) {
  Json asked = summary.at("asked");
  asked.erase("tables");
  const Json& echo = summary.at("echo");
  asked["options"] = Json::object();
  for (const char* const option :
       {"terms", "tip_frame", "reference_frame", "precision", "payload"}) {
    asked["options"][option] = echo.value(option, Json());
  }
  asked["operational_space"] = echo.value("operational_space", Json());
  Json& frame = asked["tip_wrench_reference_frame"];
  if (frame == "REFERENCE_FRAME_UNSPECIFIED") frame = "REFERENCE_FRAME_LOCAL";
  return asked;
}

/// Of a summary; nlohmann's exceptions where it is none.
RunNumbers NumbersOf(const Json& summary) {
  RunNumbers run;
  run.passes = summary.at("passes").get<bool>();
  const auto add = [&run](const std::string& what, const Json& value,
                          Worse worse) {
    run.numbers.emplace_back(what,
                             Number{RequiredNumberFromJson(value), worse});
  };
  for (const Json& joint : summary.at("joints")) {
    const std::string name = joint.at("joint").get<std::string>() + ": ";
    for (const auto& [member, what] :
         {std::pair{"torque_use", "torque of its limit"},
          {"velocity_use", "velocity of its limit"}}) {
      const auto use = joint.find(member);
      if (use != joint.end()) add(name + what, use->at("value"), Worse::kMore);
    }
    const auto rms = joint.find("rms_torque_use");
    if (rms != joint.end()) add(name + "RMS torque", *rms, Worse::kMore);
  }
  add("violations", summary.at("violation_count"), Worse::kMore);
  // Which earlier versions do not write.
  const auto remarks = summary.find("remark_count");
  if (remarks != summary.end()) {
    add("remarks on the samples", *remarks, Worse::kMore);
  }
  const auto payload = summary.find("payload");
  if (payload != summary.end()) {
    run.numbers.emplace_back("largest payload [kg]",
                             Number{LargestPayload(*payload), Worse::kLess,
                                    NumberKind::kLargestPayload});
  }
  run.numbers.emplace_back(
      "slow-down that passes",
      Number{SlowDown(summary), Worse::kMore, NumberKind::kSlowDown});
  add("energy given [J]", summary.at("energy_given"), Worse::kMore);
  const auto inertia = summary.find("path_inertia");
  if (inertia != summary.end()) {
    add("sigma_min", inertia->at("sigma_min").at("value"), Worse::kLess);
    add("condition of Lambda", inertia->at("condition").at("value"),
        Worse::kMore);
  }
  run.question = {{"revision", summary.at("echo").at("revision")},
                  {"server_version", summary.at("echo").at("server_version")},
                  {"samples", summary.at("samples")},
                  {"duration", summary.at("duration")},
                  {"derived", summary.at("derived")},
                  {"inputs", summary.value("inputs", Json::object())},
                  {"asked", AskedIn(summary)}};
  // Numbers are compared by the names of joints.
  Json& inputs = run.question["inputs"];
  inputs.erase("joints");
  // `asked` has the frame of a wrench that the file itself brings.
  if (!inputs.contains("wrench") && !inputs.contains("wrench_profile")) {
    inputs.erase("wrench_frame");
    const Json& asked = run.question["asked"];
    const auto frame = asked.find("tip_wrench_reference_frame");
    if (frame != asked.end()) inputs["wrench_frame"] = *frame;
  }
  return run;
}

ComparedNumber Compared(const std::string& what, const Number& before,
                        double after, double tolerance) {
  ComparedNumber number = {.what = what,
                           .before = before.value,
                           .after = after,
                           .kind = before.kind};
  if (before.value == after) return number;
  if (std::isnan(before.value) || std::isnan(after)) {
    number.worse = !std::isnan(before.value);
    return number;
  }
  const double change = before.worse == Worse::kMore ? after - before.value
                                                     : before.value - after;
  // Where one is infinite the other one decides.
  const double scale = std::max(std::abs(before.value), std::abs(after));
  const bool counts = std::isinf(scale) ||
                      std::abs(change) > std::max(tolerance * scale, kRounding);
  number.worse = counts && change > 0;
  number.better = counts && change < 0;
  return number;
}

RunNumbers ReadSummary(std::string_view text, const std::string& name) {
  const Json json = ParseJsonText(text, kMaxDepth, name);
  try {
    return NumbersOf(json);
  } catch (const Json::exception&) {
    throw DataError(name,
                    "is neither a summary nor a file of results of "
                    "`trajectory check`");
  }
}

RunComparison CompareSummaries(const RunNumbers& before,
                               const RunNumbers& after, double tolerance) {
  RunComparison comparison;
  comparison.asked = AskedDifferences(before.question, after.question);
  comparison.passed_before = before.passes;
  comparison.passes_after = after.passes;
  std::map<std::string, double> later;
  for (const auto& [what, number] : after.numbers) {
    later.emplace(what, number.value);
  }
  for (const auto& [what, number] : before.numbers) {
    const auto found = later.find(what);
    if (found == later.end()) {
      comparison.only_before.push_back(what);
      continue;
    }
    comparison.numbers.push_back(
        Compared(what, number, found->second, tolerance));
    later.erase(found);
  }
  for (const auto& [what, number] : after.numbers) {
    if (later.contains(what)) comparison.only_after.push_back(what);
  }
  return comparison;
}

/// A file of results, or the summary of a directory; nothing for anything else.
std::optional<JournalContent> ReadFiles(std::string_view text,
                                        const std::string& name) {
  if (LooksLikeJournal(text)) {
    JournalContent content = ParseJournal(text, name);
    if (!content.question.is_object()) throw DataError(name, "is cut off");
    return content;
  }
  Json json = ParseJsonText(text, kMaxDepth, name);
  if (!json.is_object() || !json.contains("results")) return std::nullopt;
  JournalContent content;
  for (const Json& entry : json["results"]) {
    const auto result = ResultFromJson(entry);
    if (!result) throw DataError(name, "has results that are none");
    content.results.insert_or_assign(result->file, *result);
  }
  content.question = Json::object();
  for (const char* const member :
       {"model", "revision", "server_version", "asked", "inputs"}) {
    if (json.contains(member)) content.question[member] = json[member];
  }
  return content;
}

bool AllPass(const JournalContent& content) {
  return std::all_of(content.results.begin(), content.results.end(),
                     [](const auto& entry) { return entry.second.passes; });
}

RunComparison CompareJournals(const JournalContent& before,
                              const JournalContent& after, double tolerance) {
  RunComparison comparison;
  comparison.of_files = true;
  comparison.asked = AskedDifferences(before.question, after.question);
  comparison.passed_before = AllPass(before);
  comparison.passes_after = AllPass(after);
  for (const auto& [file, earlier] : before.results) {
    const auto found = after.results.find(file);
    if (found == after.results.end()) {
      comparison.only_before.push_back(file);
      continue;
    }
    const FileResult& later = found->second;
    if (earlier.error.empty() && !later.error.empty()) {
      comparison.without_verdict.push_back(file);
    } else if (earlier.passes && !later.passes) {
      comparison.newly_failing.push_back(file);
    }
    if (!earlier.passes && later.passes) {
      comparison.newly_passing.push_back(file);
    }
    if (earlier.error.empty() && later.error.empty()) {
      comparison.numbers.push_back(
          Compared(file, {earlier.severity}, later.severity, tolerance));
      if (earlier.remarks > 0 || later.remarks > 0) {
        comparison.numbers.push_back(
            Compared(file + ": remarks on the samples",
                     {static_cast<double>(earlier.remarks)},
                     static_cast<double>(later.remarks), tolerance));
      }
    }
  }
  for (const auto& [file, later] : after.results) {
    if (!before.results.contains(file)) comparison.only_after.push_back(file);
  }
  return comparison;
}

}  // namespace

bool RunComparison::worse() const {
  // A verdict that is new has nothing to be worse than; one that is missing may
  // be as bad as any.
  return (!of_files && passed_before && !passes_after) ||
         (of_files && !only_before.empty()) || !newly_failing.empty() ||
         !without_verdict.empty() ||
         std::any_of(numbers.begin(), numbers.end(),
                     [](const ComparedNumber& n) { return n.worse; });
}

RunComparison CompareRuns(const std::string& before_name,
                          std::string_view before,
                          const std::string& after_name, std::string_view after,
                          double tolerance) {
  const auto files_before = ReadFiles(before, before_name);
  const auto files_after = ReadFiles(after, after_name);
  const bool of_files = files_before.has_value();
  if (of_files != files_after.has_value()) {
    throw DataError(of_files ? after_name : before_name,
                    "is no run of many files, and the other one is");
  }
  RunComparison comparison =
      of_files ? CompareJournals(*files_before, *files_after, tolerance)
               : CompareSummaries(ReadSummary(before, before_name),
                                  ReadSummary(after, after_name), tolerance);
  comparison.before = before_name;
  comparison.after = after_name;
  return comparison;
}

}  // namespace torqued::cli
