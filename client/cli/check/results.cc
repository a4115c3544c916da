#include "client/cli/check/results.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <tuple>

#include "client/cli/errors.h"
#include "client/cli/formats/csv.h"
#include "client/cli/formats/file_text.h"
#include "client/cli/formats/number_text.h"

namespace torqued::cli {
namespace {

constexpr const char* kMark = "torqued_results";
constexpr int kVersion = 1;
constexpr int kMaxDepth = 32;

[[noreturn]] void FailSystem(const std::string& name, const char* what) {
  throw DataError(name, std::string(what) + ": " + std::strerror(errno));
}

/// Whether the members have the kinds of examples. A double stands for any
/// number, and an integer for one that 64 bits hold.
bool HasKinds(const Json& json, const Json& examples, bool all) {
  const auto items = examples.items();
  return std::all_of(items.begin(), items.end(), [&](const auto& example) {
    const auto found = json.find(example.key());
    if (found == json.end()) return !all;
    if (example.value().is_number_float()) {
      return NumberFromJson(*found).has_value();
    }
    return example.value().is_number()
               ? found->is_number_integer()
               : found->type() == example.value().type();
  });
}

bool IsResult(const Json& json) {
  static const Json kOfFile = {{"file", ""}, {"bytes", 1}, {"modified", 1}};
  static const Json kOfVerdict = {{"passes", true},
                                  {"severity", 1.5},
                                  {"joint", ""},
                                  {"worst", ""},
                                  {"violations", 1},
                                  {"samples", 1},
                                  {"duration", 1.5},
                                  {"largest_torque_use", 1.5},
                                  {"largest_velocity_use", 1.5}};
  static const Json kMore = {{"error", ""},
                             {"remarks", 1},
                             {"remark", ""},
                             {"payload_possible", true},
                             {"largest_payload", 1.5},
                             {"slow_down", 1.5},
                             {"asked_words", Json::array()}};
  static const Json kWords = {{"title", ""}, {"words", ""}};
  if (!HasKinds(json, kOfFile, true) || !HasKinds(json, kMore, false) ||
      !HasKinds(json, kOfVerdict, HasVerdict(json))) {
    return false;
  }
  const Json asked = json.value("asked_words", Json::array());
  return std::all_of(asked.begin(), asked.end(), [](const Json& words) {
    return HasKinds(words, kWords, true);
  });
}

void AddResult(const Json& json, const std::string& place,
               std::map<std::string, Json>* results) {
  if (!IsResult(json))
    throw DataError(place, "one of the results is not valid");
  results->insert_or_assign(json["file"].get<std::string>(), json);
}

}  // namespace

Json StartResult(const std::filesystem::path& directory,
                 const std::string& file) {
  const std::filesystem::path path = directory / file;
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  std::filesystem::file_time_type time;
  if (!error) time = std::filesystem::last_write_time(path, error);
  if (error) throw DataError(path.string(), error.message());
  const auto modified = std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::file_clock::to_sys(time).time_since_epoch());
  return {{"file", file}, {"bytes", bytes}, {"modified", modified.count()}};
}

void AddVerdict(const v1::TrajectoryVerdict& verdict, Json* result) {
  double severity = 0, torque_use = 0, velocity_use = 0;
  std::string of_joint, worst;
  bool leaves_positions = false;
  for (const v1::JointDemand& joint : verdict.joints()) {
    const auto take = [&](const v1::Peak& use, double* largest) {
      *largest = std::max(*largest, use.value());
      if (!of_joint.empty() && use.value() <= severity) return;
      severity = use.value();
      of_joint = joint.joint();
      worst = joint.message();
    };
    if (joint.has_torque_use()) take(joint.torque_use(), &torque_use);
    if (joint.has_velocity_use()) take(joint.velocity_use(), &velocity_use);
    leaves_positions = leaves_positions || joint.position_violations() > 0;
  }
  // The gravest comes first.
  if (verdict.violations_size() > 0) {
    const v1::LimitViolation& gravest = verdict.violations(0);
    severity = gravest.severity();
    of_joint = gravest.joint();
    worst = gravest.message();
  }
  Json& json = *result;
  json.update({{"passes", verdict.passes()},
               {"severity", NumberJson(severity)},
               {"joint", of_joint},
               {"worst", worst},
               {"violations", verdict.violation_count()},
               {"remarks", verdict.remark_count()}});
  if (verdict.remarks_size() > 0) {
    json["remark"] = verdict.remarks(0).message();
  }
  json.update({{"samples", verdict.samples()},
               {"duration", verdict.duration()},
               {"largest_torque_use", NumberJson(torque_use)},
               {"largest_velocity_use", NumberJson(velocity_use)}});
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

void RankWorstFirst(std::vector<Json>* results) {
  std::sort(results->begin(), results->end(), [](const Json& a, const Json& b) {
    const auto key = [](const Json& result) {
      return std::tuple(
          !HasVerdict(result), Passes(result),
          -NumberFromJson(result.value("severity", Json())).value_or(0),
          result["file"].get<std::string_view>());
    };
    return key(a) < key(b);
  });
}

bool LooksLikeJournal(std::string_view text) {
  return text.starts_with("{\"" + std::string(kMark) + "\"");
}

JournalContent ParseJournal(std::string_view text, const std::string& name) {
  JournalContent content;
  const auto require = [&name](bool holds) {
    if (holds) return;
    throw DataError(name,
                    "the file does not hold results of `trajectory check`");
  };
  require(text.empty() || LooksLikeJournal(text));
  std::size_t end = 0;
  for (int line = 1;
       (end = text.find('\n', content.whole_bytes)) != std::string_view::npos;
       ++line) {
    const std::string place = name + ":" + std::to_string(line);
    const Json json = ParseJsonText(
        text.substr(content.whole_bytes, end - content.whole_bytes), kMaxDepth,
        place);
    if (line == 1) {
      require(json.is_object() && json[kMark] == kVersion &&
              json.contains("question") && json["question"].is_object());
      content.question = json["question"];
    } else {
      AddResult(json, place, &content.results);
    }
    content.whole_bytes = end + 1;
  }
  return content;
}

std::map<std::string, Json> ResultsByFile(const Json& list,
                                          const std::string& name) {
  std::map<std::string, Json> results;
  for (const Json& result : list) {
    AddResult(result, name + ", 'results'", &results);
  }
  return results;
}

ResultsJournal::ResultsJournal(const std::filesystem::path& path,
                               const Json& question)
    : name_(path.string()) {
  file_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND, 0644);
  if (file_ < 0) FailSystem(name_, "the file cannot be opened");
  try {
    if (flock(file_, LOCK_EX | LOCK_NB) != 0) {
      throw DataError(name_, "another run uses the file");
    }
    JournalContent content = ParseJournal(ReadFile(path), name_);
    if (ftruncate(file_, static_cast<off_t>(content.whole_bytes)) != 0) {
      FailSystem(name_, "the file cannot be cut");
    }
    if (content.whole_bytes == 0) {
      Add({{kMark, kVersion}, {"question", question}});
    } else if (content.question != question) {
      throw DataError(
          name_,
          "the file has the results of another question (another model, "
          "revision, server version or option): name another file "
          "or remove this one");
    }
    results_ = std::move(content.results);
  } catch (...) {
    close(file_);
    throw;
  }
}

ResultsJournal::~ResultsJournal() { close(file_); }

void ResultsJournal::Add(const Json& line) {
  // Messages may have bytes of a file that are no UTF-8.
  const std::string text =
      line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t written = write(file_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) FailSystem(name_, "the file cannot be written");
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string UtilizationText(double share) {
  if (!std::isfinite(share)) return "over 100 %";
  double tenths = std::round(1000 * share);
  if (tenths == 1000 && share < 1) tenths = 999;
  if (tenths == 1000 && share > 1) tenths = 1001;
  std::array<char, 340> text;
  std::snprintf(text.data(), text.size(), "%.1f %%", tenths / 10);
  return text.data();
}

std::string LargestPayloadText(double kilograms) {
  return std::isinf(kilograms) ? "any" : ReadableText(kilograms, Side::kBelow);
}

std::string SlowDownFactorText(double factor) {
  return std::isinf(factor) ? "at no pace" : ReadableText(factor, Side::kAbove);
}

std::string CsvOf(const CsvColumns& columns, const Json& rows) {
  std::vector<std::string> titles;
  for (const auto& [title, place] : columns) titles.push_back(title);
  CsvWriter csv(titles);
  for (const Json& row : rows) {
    for (const auto& [title, place] : columns) {
      const Json::json_pointer pointer(place);
      const Json cell = row.contains(pointer) ? row[pointer] : Json("");
      const auto number = NumberFromJson(cell);
      if (cell.is_number_integer()) {
        csv.Text(cell.dump());
      } else if (number) {
        csv.Number(*number);
      } else {
        csv.Text(cell.is_null() ? "" : cell.get<std::string>());
      }
    }
    csv.EndRow();
  }
  return csv.text();
}

}  // namespace torqued::cli
