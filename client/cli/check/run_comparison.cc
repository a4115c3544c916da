#include "client/cli/check/run_comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <ostream>
#include <tuple>
#include <utility>
#include <vector>

#include "client/cli/check/results.h"
#include "client/cli/errors.h"
#include "client/cli/formats/number_text.h"
#include "client/cli/terminal/plain_text.h"
#include "client/cli/terminal/table.h"

namespace torqued::cli {
namespace {

constexpr int kMaxDepth = 32;
/// Of a list that may be long.
constexpr std::size_t kShown = 10;
constexpr std::size_t kWordBytes = 300;
/// A smaller change does not count, of shares of limits, J and kg alike: a
/// joint at rest has a speed of 0 in one run and of 1e-14 in the other.
constexpr double kRounding = 1e-9;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr const char* kPayload = "largest payload [kg]";
constexpr const char* kSlowDown = "slow-down that passes";

struct Measure {
  const char* path;
  const char* words;
  bool less_is_worse = false;
};
constexpr Measure kOfJoint[] = {
    {"/torque_use/value", "torque of its limit"},
    {"/velocity_use/value", "velocity of its limit"},
    {"/rms_torque_use", "RMS torque"}};
constexpr Measure kOfRun[] = {
    {"/violation_count", "violations"},
    {"/remark_count", "remarks on the samples"},
    {"/payload/most", kPayload, true},
    {"/slow_down/factor", kSlowDown},
    {"/energy_given", "energy given [J]"},
    {"/path_inertia/sigma_min/value", "sigma_min", true},
    {"/path_inertia/condition/value", "condition of Lambda"}};

struct Number {
  std::string what;
  double value = 0;
  bool less_is_worse = false;
};

struct Run {
  Json question;
  bool passes = true;
  std::vector<Number> numbers = {};
  bool of_files = false;
  /// The results of files, or an empty object for each number.
  std::map<std::string, Json> items = {};
};

/// A list is an object by the names of joints, which need no common order, or
/// by the numbers of its items; any other value is itself.
Json ByName(const Json& json) {
  if (!json.is_array()) return json;
  Json named = Json::object();
  for (std::size_t k = 0; k < json.size(); ++k) {
    Json item = json[k];
    std::string name = std::to_string(k);
    for (const char* const member : {"joint", "dof", "coordinate"}) {
      if (!item.is_object() || !item.value(member, Json()).is_string())
        continue;
      name = item[member].get<std::string>();
      item.erase(member);
    }
    named[name] = std::move(item);
  }
  return named;
}

/// "asked.options.payload.mass", with its values or "none", for each member
/// that differs. `groups` are "asked.options" and the like, each once.
void AddDifferences(const Json& left, const Json& right,
                    const std::string& path, Json* differences, Json* groups) {
  const Json before = ByName(left), after = ByName(right);
  // The revision says which model it was.
  if (before == after || path == "asked.model") return;
  if (before.is_object() && after.is_object()) {
    Json members = before;
    members.update(after);
    for (const auto& [name, value] : members.items()) {
      std::string member = path.empty() ? "" : path + ".";
      member += name;
      AddDifferences(before.value(name, Json()), after.value(name, Json()),
                     member, differences, groups);
    }
    return;
  }
  const auto text = [](const Json& json) {
    if (json.empty()) return std::string("none");
    return json.is_string() ? json.get<std::string>() : json.dump();
  };
  differences->push_back(
      {{"what", path}, {"before", text(left)}, {"after", text(right)}});
  const std::size_t begin = path.starts_with("asked.") ? 6 : 0;
  const Json group = path.substr(0, path.find('.', begin));
  if (groups->empty() || groups->back() != group) groups->push_back(group);
}

/// What counted, whether or not a client wrote what is a default.
Json QuestionOf(const Json& summary) {
  const Json& echo = summary.at("echo");
  Json asked = summary.at("asked");
  asked.erase("tables");
  asked["options"] = Json::object();
  for (const char* const option :
       {"terms", "tip_frame", "reference_frame", "precision", "payload"}) {
    asked["options"][option] = echo.value(option, Json());
  }
  asked["operational_space"] = echo.value("operational_space", Json());
  Json& frame = asked["tip_wrench_reference_frame"];
  if (frame == "REFERENCE_FRAME_UNSPECIFIED") frame = "REFERENCE_FRAME_LOCAL";
  Json inputs = summary.value("inputs", Json::object());
  // Numbers are compared by the names of joints.
  inputs.erase("joints");
  // `asked` has the frame of a wrench that the file itself brings.
  if (!inputs.contains("wrench") && !inputs.contains("wrench_profile")) {
    inputs["wrench_frame"] = frame;
  }
  return {{"revision", echo.at("revision")},
          {"server_version", echo.at("server_version")},
          {"samples", summary.at("samples")},
          {"duration", summary.at("duration")},
          {"derived", summary.at("derived")},
          {"inputs", inputs},
          {"asked", asked}};
}

Run RunOfFile(Json summary) {
  Run run = {.question = QuestionOf(summary),
             .passes = summary.at("passes").get<bool>()};
  const auto add = [&run](const Json& of, const Measure& measure,
                          const std::string& name) {
    const Json::json_pointer path(measure.path);
    if (!of.contains(path)) return;
    run.numbers.push_back({name + measure.words,
                           RequiredNumberFromJson(of[path]),
                           measure.less_is_worse});
  };
  bool leaves_positions = false;
  for (const Json& joint : summary.at("joints")) {
    const std::string name = joint.at("joint").get<std::string>() + ": ";
    for (const Measure& measure : kOfJoint) add(joint, measure, name);
    leaves_positions =
        leaves_positions || joint.value("position_violations", Json(0)) != 0;
  }
  if (summary.contains("payload") && !summary["payload"].at("possible")) {
    summary["payload"]["most"] = NumberJson(-kInfinity);
  }
  if (!summary.at("slow_down").at("possible") || leaves_positions) {
    summary["slow_down"]["factor"] = NumberJson(kInfinity);
  }
  for (const Measure& measure : kOfRun) add(summary, measure, "");
  for (const Number& number : run.numbers) {
    run.items.emplace(number.what, Json::object());
  }
  return run;
}

Run RunOfFiles(JournalContent content) {
  Run run = {.question = std::move(content.question), .of_files = true};
  for (const auto& [file, result] : content.results) {
    run.passes = run.passes && Passes(result);
    if (!HasVerdict(result)) continue;
    run.numbers.push_back({file, RequiredNumberFromJson(result["severity"])});
    run.numbers.push_back(
        {file + ": remarks on the samples", result.value("remarks", 0.0)});
  }
  run.items = std::move(content.results);
  return run;
}

Run ReadRun(std::string_view text, const std::string& name) {
  if (LooksLikeJournal(text)) {
    JournalContent content = ParseJournal(text, name);
    if (!content.question.is_object())
      throw DataError(name, "the file is cut off");
    return RunOfFiles(std::move(content));
  }
  Json json = ParseJsonText(text, kMaxDepth, name);
  try {
    if (!json.contains("results")) return RunOfFile(std::move(json));
    JournalContent content = {.question = Json::object(),
                              .results = ResultsByFile(json["results"], name)};
    for (const char* const member :
         {"model", "revision", "server_version", "asked", "inputs"}) {
      if (json.contains(member)) content.question[member] = json[member];
    }
    return RunOfFiles(std::move(content));
  } catch (const Json::exception&) {
    throw DataError(name,
                    "the file is neither a summary nor a file of results of "
                    "`trajectory check`");
  }
}

/// Empty for a change that does not count.
const char* ChangeOf(const Number& before, double after, double tolerance) {
  if (before.value == after) return "same";
  if (std::isnan(before.value)) return "";
  const double scale = std::max(std::abs(before.value), std::abs(after));
  const double more = after - before.value;
  if (std::isfinite(scale) &&
      std::abs(more) <= std::max(tolerance * scale, kRounding)) {
    return "";
  }
  return (more > 0) == before.less_is_worse && !std::isnan(after) ? "better"
                                                                  : "worse";
}

void CompareNumbers(const Run& before, const Run& after, double tolerance,
                    Json* report) {
  std::map<std::string, double> later;
  for (const Number& number : after.numbers) {
    later.emplace(number.what, number.value);
  }
  for (const Number& number : before.numbers) {
    const auto found = later.find(number.what);
    if (found == later.end()) continue;
    if (before.of_files && number.value == 0 && found->second == 0) continue;
    const auto json = [&number](double one) {
      return number.what == kPayload && one == -kInfinity ? Json()
                                                          : NumberJson(one);
    };
    const std::string change = ChangeOf(number, found->second, tolerance);
    (*report)["numbers"].push_back({{"what", number.what},
                                    {"before", json(number.value)},
                                    {"after", json(found->second)},
                                    {"change", change}});
    if (change == "worse") (*report)["worse"] = true;
  }
}

void CompareItems(const Run& before, const Run& after, Json* report) {
  const auto add = [&](const char* list, const std::string& item, bool worse) {
    (*report)[list].push_back(item);
    if (worse && before.of_files) (*report)["worse"] = true;
  };
  for (const auto& [item, earlier] : before.items) {
    const auto found = after.items.find(item);
    // A verdict that is missing may be as bad as any.
    if (found == after.items.end()) {
      add("only_before", item, true);
    } else if (HasVerdict(earlier) && !HasVerdict(found->second)) {
      add("without_verdict", item, true);
    } else if (Passes(earlier) && !Passes(found->second)) {
      add("newly_failing", item, true);
    } else if (!Passes(earlier) && Passes(found->second)) {
      add("newly_passing", item, false);
    }
  }
  for (const auto& [item, later] : after.items) {
    if (!before.items.contains(item)) add("only_after", item, false);
  }
}

void PrintList(const char* title, const Json& list, std::ostream& out) {
  if (list.empty()) return;
  out << title << " (" << list.size() << "):";
  for (std::size_t k = 0; k < std::min(kShown, list.size()); ++k) {
    out << (k == 0 ? " " : ", ") << PlainText(list[k].get<std::string>(), 200);
  }
  out << (list.size() > kShown ? ", ...\n" : "\n");
}

std::string NumberText(const std::string& what, const Json& number) {
  if (number.is_null()) return "none";
  const double value = RequiredNumberFromJson(number);
  if (what == kPayload) return LargestPayloadText(value);
  return what == kSlowDown ? SlowDownFactorText(value) : ReadableText(value);
}

/// Of many files the changes alone, the largest first.
std::vector<Json> Shown(const Json& report) {
  std::vector<Json> numbers = report["numbers"];
  if (!report["of_files"]) return numbers;
  std::erase_if(numbers, [](const Json& number) {
    return number["change"] != "worse" && number["change"] != "better";
  });
  const auto key = [](const Json& number) {
    return std::tuple(RequiredNumberFromJson(number["before"]) -
                          RequiredNumberFromJson(number["after"]),
                      number["what"].get<std::string>());
  };
  std::sort(numbers.begin(), numbers.end(),
            [&key](const Json& a, const Json& b) { return key(a) < key(b); });
  if (numbers.size() > kShown) numbers.resize(kShown);
  return numbers;
}

}  // namespace

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
       {"differences", "asked", "only_before", "only_after", "newly_failing",
        "newly_passing", "without_verdict", "numbers"}) {
    report[list] = Json::array();
  }
  AddDifferences(before.question, after.question, "", &report["asked"],
                 &report["differences"]);
  CompareNumbers(before, after, tolerance, &report);
  CompareItems(before, after, &report);
  return report;
}

void PrintComparison(const Json& report, std::ostream& out) {
  const Json& asked = report["asked"];
  if (!asked.empty()) out << "Asked differently (" << asked.size() << "):\n";
  for (std::size_t k = 0; k < std::min(kShown, asked.size()); ++k) {
    const auto text = [&asked, k](const char* member) {
      return PlainText(asked[k][member].get<std::string>(), kWordBytes);
    };
    out << "  " << text("what") << ": " << text("before") << " -> "
        << text("after") << "\n";
  }
  if (asked.size() > kShown) {
    out << "  and " << asked.size() - kShown << " more\n";
  }
  PrintList("Only before", report["only_before"], out);
  PrintList("Only after", report["only_after"], out);
  PrintList("Newly failing", report["newly_failing"], out);
  PrintList("Newly passing", report["newly_passing"], out);
  PrintList("No verdict any more", report["without_verdict"], out);
  Table table(
      {{report["of_files"] ? "largest share of a limit" : "", Align::kLeft},
       {"before", Align::kRight},
       {"after", Align::kRight},
       {"", Align::kLeft}});
  for (const Json& number : Shown(report)) {
    const auto what = number["what"].get<std::string>();
    table.Add({PlainText(what, 200), NumberText(what, number["before"]),
               NumberText(what, number["after"]),
               number["change"].get<std::string>()});
  }
  if (!table.empty()) table.Print(out);
  const auto verdict = [&report](const char* run) {
    return report[run] ? "PASS" : "FAIL";
  };
  out << verdict("passed_before") << " -> " << verdict("passes_after") << ", "
      << (report["worse"] ? "worse" : "not worse") << "\n";
}

std::string ComparisonCsv(const Json& report) {
  return CsvOf({{"what", "/what"},
                {"before", "/before"},
                {"after", "/after"},
                {"change", "/change"}},
               report["numbers"]);
}

}  // namespace torqued::cli
