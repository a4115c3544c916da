#include <google/protobuf/util/json_util.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <ostream>
#include <utility>

#include "client/cli/check/runs.h"
#include "client/cli/formats/container.h"
#include "client/cli/formats/text.h"

namespace torqued::cli {
namespace {

constexpr const char* kMark = "torqued_results";
constexpr int kVersion = 1;
constexpr std::size_t kMostListed = 10;
/// A smaller change does not count, of shares of limits, J and kg alike: a
/// joint at rest has a speed of 0 in one run and of 1e-14 in the other.
constexpr double kRounding = 1e-9;
constexpr std::pair<const char*, const char*> kLists[] = {
    {"only_before", "Only before"},
    {"only_after", "Only after"},
    {"newly_failing", "Newly failing"},
    {"newly_passing", "Newly passing"},
    {"without_verdict", "No verdict any more"}};

constexpr const char* kPayload = "largest payload [kg]";
constexpr const char* kSlowDown = "slow-down that passes";
constexpr const char* kSigmaMin = "sigma_min";

struct Run {
  std::map<std::string, std::string> asked = {};  // what, in words
  bool has_words = false;                         // those of the server
  bool passes = true;
  bool of_files = false;
  std::map<std::string, double> numbers = {};
  Results results = {};  // of files
};

void ReadFileRun(const Json& summary, Run* run) {
  const auto add = [run](const Json& of, const char* path,
                         const std::string& what) {
    const Json::json_pointer pointer(path);
    if (of.contains(pointer)) run->numbers[what] = NumberFromJson(of[pointer]);
  };
  run->passes = summary.at("passes").get<bool>();
  bool leaves_positions = false;
  for (const Json& joint : summary.at("joints")) {
    const std::string name = joint.at("joint").get<std::string>() + ": ";
    add(joint, "/torque_use/value", name + "torque of its limit");
    add(joint, "/velocity_use/value", name + "velocity of its limit");
    add(joint, "/rms_torque_use", name + "RMS torque");
    leaves_positions =
        leaves_positions || joint.value("position_violations", Json(0)) != 0;
  }
  add(summary, "/violation_count", "violations");
  add(summary, "/remark_count", "remarks on the samples");
  add(summary, "/payload/most", kPayload);
  if (summary.contains("payload") && !summary["payload"].at("possible")) {
    run->numbers[kPayload] = -HUGE_VAL;
  }
  add(summary, "/slow_down/factor", kSlowDown);
  if (!summary.at("slow_down").at("possible") || leaves_positions) {
    run->numbers[kSlowDown] = HUGE_VAL;
  }
  add(summary, "/energy_given", "energy given [J]");
  add(summary, "/path_inertia/sigma_min/value", kSigmaMin);
  add(summary, "/path_inertia/condition/value", "condition of Lambda");
  for (const char* const member : {"samples", "duration"}) {
    run->asked[member] = summary.at(member).dump();
  }
}

void ReadFilesRun(const Json& results, Run* run) {
  run->of_files = true;
  for (const Json& result : results) {
    const std::string file = result.at("file").get<std::string>();
    run->results[file] = result;
    run->passes = run->passes && Passes(result);
    if (!HasVerdict(result)) continue;
    run->numbers[file] = NumberFromJson(result.at("severity"));
    run->numbers[file + ": remarks on the samples"] =
        result.value("remarks", 0.0);
  }
}

/// A journal becomes what the summary of its run is.
Json SummaryOf(std::string_view text, const std::string& name) {
  if (!text.starts_with(Cat("{\"", kMark, "\""))) {
    return ParseJsonText(text, name);
  }
  const JournalContent content = ParseJournal(text, name);
  Json summary = content.question;
  summary["results"] = Json::array();
  for (const auto& [file, result] : content.results) {
    summary["results"].push_back(result);
    // One has them for all.
    if (!result.contains("asked_words")) continue;
    summary["asked_words"] = result["asked_words"];
  }
  return summary;
}

Run ReadRun(std::string_view text, const std::string& name) {
  try {
    Run run;
    Json summary = SummaryOf(text, name);
    if (summary.contains("results")) {
      ReadFilesRun(summary["results"], &run);
    } else {
      ReadFileRun(summary, &run);
      const Json echo = summary.at("echo");
      summary.update(echo);
    }
    for (const char* const member : {"revision", "server_version"}) {
      run.asked[member] = summary.at(member).get<std::string>();
    }
    for (const Json& asked : summary.value("asked_words", Json())) {
      run.has_words = true;
      run.asked[asked.at("title").get<std::string>()] =
          asked.at("words").get<std::string>();
    }
    const Json::json_pointer wrenches("/inputs/wrench");
    if (summary.contains(wrenches)) {
      // The words of the server do not tell them apart.
      const Json& rows = summary[wrenches];
      run.asked["wrenches of the samples"] =
          Cat(rows.size(), " rows, checksum ",
              std::hash<std::string>()(rows.dump()));
    }
    return run;
  } catch (const Json::exception&) {
    throw DataError(name,
                    "the file is neither a summary nor a file of results of "
                    "`trajectory check`");
  }
}

/// Empty for a change that does not count.
const char* ChangeOf(const std::string& what, double before, double after,
                     double tolerance) {
  if (before == after) return "same";
  const double scale = std::max(std::abs(before), std::abs(after));
  if (std::isfinite(scale) &&
      std::abs(after - before) <= std::max(tolerance * scale, kRounding)) {
    return "";
  }
  const bool less_is_worse = what == kPayload || what == kSigmaMin;
  return (after > before) == less_is_worse ? "better" : "worse";
}

void CompareResults(const Results& before, const Results& after, Json* report) {
  for (const auto& [file, earlier] : before) {
    const auto found = after.find(file);
    const char* list = nullptr;
    // A verdict that is missing may be as bad as any.
    if (found == after.end()) {
      list = "only_before";
    } else if (HasVerdict(earlier) && !HasVerdict(found->second)) {
      list = "without_verdict";
    } else if (Passes(earlier) != Passes(found->second)) {
      list = Passes(earlier) ? "newly_failing" : "newly_passing";
    }
    if (list == nullptr) continue;
    (*report)[list].push_back(file);
    if (std::string_view(list) != "newly_passing") (*report)["worse"] = true;
  }
  for (const auto& [file, later] : after) {
    if (!before.contains(file)) (*report)["only_after"].push_back(file);
  }
}

/// For many files only the changes, the largest first.
std::vector<Json> Shown(const Json& report) {
  std::vector<Json> numbers = report["numbers"];
  if (!report["of_files"]) return numbers;
  std::erase_if(numbers, [](const Json& number) {
    return number["change"] != "worse" && number["change"] != "better";
  });
  const auto more = [](const Json& number) {
    const double change =
        NumberFromJson(number["after"]) - NumberFromJson(number["before"]);
    return std::isnan(change) ? 0 : change;
  };
  std::stable_sort(
      numbers.begin(), numbers.end(),
      [&more](const Json& a, const Json& b) { return more(a) > more(b); });
  numbers.resize(std::min(kMostListed, numbers.size()));
  return numbers;
}

}  // namespace

void ParseLimits(std::string_view text, const std::string& name,
                 v1::CheckTrajectoryStart* start) {
  const auto require = [&name](bool holds, const std::string& problem) {
    RequireData(
        holds, name, problem,
        R"(; limits are written like {"drives": [{"dof": "elbow_joint", )"
        R"("velocity_limit": 2, "effort_limit": 120}], "position_limits": )"
        R"([{"coordinate": "elbow_joint", "lower": -3, "upper": 3}]})");
  };
  require(text.find("joint_limits:") == std::string_view::npos,
          "this is a joint_limits.yaml of MoveIt, which is not read");
  const auto json = ParseJsonText(text, name);
  require(json.is_object(), "this is not a JSON object");
  v1::CheckTrajectoryStart limits;
  const auto status =
      google::protobuf::util::JsonStringToMessage(json.dump(), &limits);
  require(status.ok(), Printable(std::string(status.message()), 400));
  start->mutable_drives()->Swap(limits.mutable_drives());
  start->mutable_position_limits()->Swap(limits.mutable_position_limits());
  limits.clear_drives();
  limits.clear_position_limits();
  require(limits.ByteSizeLong() == 0, "only these two members are limits");
}

void ReadWrenchProfile(const std::filesystem::path& path,
                       v1::CheckTrajectoryStart* start) {
  const std::vector<std::string> kColumns = {"time", "mx", "my", "mz",
                                             "fx",   "fy", "fz"};
  const std::string name = path.string();
  const CsvTable table = ParseTable(ReadFile(path), name);
  RequireData(
      table.numbers.rows() > 0 &&
          (!table.header.empty() || table.numbers.cols() == 7),
      name,
      "a wrench profile is CSV or NPY with rows of time, mx, my, mz, fx, fy, "
      "fz");
  const auto columns =
      PlacesOf(kColumns, table.header.empty() ? kColumns : table.header,
               {kColumns.begin(), kColumns.end()}, "column", name);
  for (const auto& row : table.numbers.rowwise()) {
    v1::WrenchPoint* point = start->add_tip_wrench_profile();
    point->set_time(row[columns[0]]);
    for (std::size_t k = 1; k < columns.size(); ++k) {
      point->mutable_wrench()->Add(row[columns[k]]);
    }
  }
}

void AddVerdict(const v1::TrajectoryVerdict& verdict, Json* result) {
  double torque_use = 0, velocity_use = 0, most = 0;
  std::string name, sentence;
  bool leaves_positions = false;
  for (const v1::JointDemand& joint : verdict.joints()) {
    torque_use = std::max(torque_use, joint.torque_use().value());
    velocity_use = std::max(velocity_use, joint.velocity_use().value());
    const double use = std::max(torque_use, velocity_use);
    const bool has_limit = joint.has_torque_use() || joint.has_velocity_use();
    if (has_limit && (name.empty() || use > most)) {
      name = joint.joint();
      sentence = joint.message();
    }
    most = use;
    leaves_positions = leaves_positions || joint.position_violations() > 0;
  }
  Json& json = *result;
  json.update({{"passes", verdict.passes()},
               {"severity", NumberJson(most)},
               {"joint", name},
               {"worst", sentence},
               {"violations", verdict.violation_count()},
               {"remarks", verdict.remark_count()},
               {"samples", verdict.samples()},
               {"duration", verdict.duration()},
               {"largest_torque_use", NumberJson(torque_use)},
               {"largest_velocity_use", NumberJson(velocity_use)}});
  if (verdict.violations_size() > 0) {
    // The most severe comes first.
    const v1::LimitViolation& gravest = verdict.violations(0);
    json["severity"] = NumberJson(gravest.severity());
    json["joint"] = gravest.joint();
    json["worst"] = gravest.message();
  }
  if (verdict.remarks_size() > 0) {
    json["remark"] = verdict.remarks(0).message();
  }
  if (verdict.has_payload()) {
    json["payload_possible"] = verdict.payload().possible();
    if (verdict.payload().possible()) {
      json["largest_payload"] = NumberJson(verdict.payload().most());
    }
  }
  const bool passes_slower =
      verdict.slow_down().possible() && !leaves_positions;
  json["slow_down_possible"] = passes_slower;
  if (passes_slower) json["slow_down"] = verdict.slow_down().factor();
}

bool HasVerdict(const Json& result) { return !result.contains("error"); }

bool Passes(const Json& result) { return result.value("passes", false); }

JournalContent ParseJournal(std::string_view text, const std::string& name) {
  const DataError problem(
      name, "the file does not hold results of `trajectory check`");
  JournalContent content;
  try {
    for (int line = 1; !text.empty(); ++line) {
      const std::size_t end = text.find('\n');
      if (end == std::string_view::npos && line > 1) break;
      if (end == std::string_view::npos) throw problem;
      const Json json =
          ParseJsonText(text.substr(0, end), Cat(name, ":", line));
      if (line > 1) {
        content.results[json.at("file").get<std::string>()] = json;
      } else if (json.at(kMark) == kVersion) {
        content.question = json.at("question");
      }
      if (!content.question.is_object()) throw problem;
      text.remove_prefix(end + 1);
    }
    return content;
  } catch (const Json::exception&) {
    throw problem;
  }
}

ResultsJournal::ResultsJournal(const std::filesystem::path& path,
                               const Json& question)
    : name_(path.string()), file_(std::fopen(path.c_str(), "ae"), std::fclose) {
  RequireData(file_ != nullptr, name_,
              "the file cannot be opened: ", std::strerror(errno));
  RequireData(flock(fileno(file_.get()), LOCK_EX | LOCK_NB) == 0, name_,
              "another run uses the file");
  const std::string text = ReadFile(path);
  JournalContent content = ParseJournal(text, name_);
  if (text.empty()) {
    Add({{kMark, kVersion}, {"question", question}});
    return;
  }
  RequireData(
      content.question == question, name_,
      "the file has the results of another question (another model, revision, "
      "server version or option): name another file or remove this one");
  results_ = std::move(content.results);
  std::filesystem::resize_file(path, text.rfind('\n') + 1);
}

void ResultsJournal::Add(const Json& line) {
  // Messages may have bytes of a file that are not UTF-8.
  const std::string text =
      line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  RequireData(std::fputs(text.c_str(), file_.get()) >= 0 &&
                  std::fflush(file_.get()) == 0,
              name_, "the file cannot be written: ", std::strerror(errno));
}

const Members kComparedColumns = {"what", "before", "after", "change"};

Json CompareRuns(const std::string& before_name, std::string_view before_text,
                 const std::string& after_name, std::string_view after_text,
                 double tolerance) {
  const Run before = ReadRun(before_text, before_name);
  const Run after = ReadRun(after_text, after_name);
  RequireData(
      before.of_files == after.of_files,
      before.of_files ? after_name : before_name,
      "the file has not the results of many files, but the other one has");
  Json report = {{"before", before_name},
                 {"after", after_name},
                 {"of_files", before.of_files},
                 {"worse", !before.of_files && before.passes && !after.passes},
                 {"passed_before", before.passes},
                 {"passes_after", after.passes},
                 {"asked", Json::array()}};
  for (const auto& [list, title] : kLists) report[list] = Json::array();
  report["numbers"] = Json::array();
  // Null in a run that has no words for it.
  std::map<std::string, std::pair<Json, Json>> asked;
  for (const auto& [what, words] : before.asked) asked[what].first = words;
  for (const auto& [what, words] : after.asked) asked[what].second = words;
  for (const auto& [what, words] : asked) {
    if (words.first == words.second) continue;
    // Empty without a verdict.
    const bool is_missing = words.first.is_null() || words.second.is_null();
    if (is_missing && !(before.has_words && after.has_words)) continue;
    report["asked"].push_back(
        {{"what", what}, {"before", words.first}, {"after", words.second}});
  }
  for (const auto& [what, number] : before.numbers) {
    const auto found = after.numbers.find(what);
    if (found == after.numbers.end()) continue;
    const double later = found->second;
    if (before.of_files && number == 0 && later == 0) continue;
    const std::string change = ChangeOf(what, number, later, tolerance);
    report["numbers"].push_back({{"what", what},
                                 {"before", NumberJson(number)},
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
  for (const auto& [member, title] : kLists) {
    const Json& list = report[member];
    for (std::size_t k = 0; k < std::min(kMostListed, list.size()); ++k) {
      out << title << ": " << PlainText(list[k].get<std::string>(), 200)
          << "\n";
    }
    if (list.size() > kMostListed) {
      out << title << ": and " << list.size() - kMostListed << " more\n";
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
