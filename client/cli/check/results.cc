#include "client/cli/check/results.h"

#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "client/cli/errors.h"
#include "client/cli/formats/file_text.h"
#include "client/cli/formats/number_text.h"
#include "client/cli/message_json.h"

namespace torqued::cli {
namespace {

constexpr const char* kMark = "torqued_results";
constexpr int kVersion = 1;
constexpr int kMaxDepth = 32;

}  // namespace

void AddVerdict(const v1::TrajectoryVerdict& verdict, Json* result) {
  double torque_use = 0, velocity_use = 0;
  const v1::JointDemand* joint = nullptr;
  bool leaves_positions = false;
  for (const v1::JointDemand& one : verdict.joints()) {
    const double before = std::max(torque_use, velocity_use);
    torque_use = std::max(torque_use, one.torque_use().value());
    velocity_use = std::max(velocity_use, one.velocity_use().value());
    const bool is_limited = one.has_torque_use() || one.has_velocity_use();
    if (is_limited &&
        (joint == nullptr || std::max(torque_use, velocity_use) > before)) {
      joint = &one;
    }
    leaves_positions = leaves_positions || one.position_violations() > 0;
  }
  Json& json = *result;
  json.update({{"passes", verdict.passes()},
               {"severity", NumberJson(std::max(torque_use, velocity_use))},
               {"joint", joint == nullptr ? "" : joint->joint()},
               {"worst", joint == nullptr ? "" : joint->message()},
               {"violations", verdict.violation_count()},
               {"remarks", verdict.remark_count()},
               {"samples", verdict.samples()},
               {"duration", verdict.duration()},
               {"largest_torque_use", NumberJson(torque_use)},
               {"largest_velocity_use", NumberJson(velocity_use)}});
  if (verdict.violations_size() > 0) {
    // The gravest comes first.
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

bool LooksLikeJournal(std::string_view text) {
  return text.starts_with("{\"" + std::string(kMark) + "\"");
}

JournalContent ParseJournal(std::string_view text, const std::string& name) {
  const DataError problem(
      name, "the file does not hold results of `trajectory check`");
  JournalContent content;
  try {
    std::size_t end = 0;
    for (int line = 1;
         (end = text.find('\n', content.whole_bytes)) != std::string_view::npos;
         ++line) {
      const Json json = ParseJsonText(
          text.substr(content.whole_bytes, end - content.whole_bytes),
          kMaxDepth, name + ":" + std::to_string(line));
      if (line > 1) {
        content.results[json.at("file").get<std::string>()] = json;
      } else if (json.at(kMark) == kVersion &&
                 json.at("question").is_object()) {
        content.question = json["question"];
      } else {
        break;
      }
      content.whole_bytes = end + 1;
    }
    if (text.empty() || content.question.is_object()) return content;
    throw problem;
  } catch (const Json::exception&) {
    throw problem;
  }
}

ResultsJournal::ResultsJournal(const std::filesystem::path& path,
                               const Json& question)
    : name_(path.string()), file_(std::fopen(path.c_str(), "a+e")) {
  if (!file_) Fail("the file cannot be opened");
  if (flock(fileno(file_.get()), LOCK_EX | LOCK_NB) != 0) {
    throw DataError(name_, "another run uses the file");
  }
  JournalContent content = ParseJournal(ReadFile(path), name_);
  if (ftruncate(fileno(file_.get()), static_cast<off_t>(content.whole_bytes)) !=
      0) {
    Fail("the file cannot be cut");
  }
  if (content.whole_bytes == 0) {
    Add({{kMark, kVersion}, {"question", question}});
  } else if (content.question != question) {
    throw DataError(
        name_,
        "the file has the results of another question (another model, "
        "revision, server version or option): name another file or remove "
        "this one");
  }
  results_ = std::move(content.results);
}

void ResultsJournal::Add(const Json& line) {
  // Messages may have bytes of a file that are no UTF-8.
  const std::string text =
      line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  if (std::fputs(text.c_str(), file_.get()) < 0 ||
      std::fflush(file_.get()) != 0) {
    Fail("the file cannot be written");
  }
}

void ResultsJournal::Fail(const char* what) const {
  throw DataError(name_, std::string(what) + ": " + std::strerror(errno));
}

}  // namespace torqued::cli
