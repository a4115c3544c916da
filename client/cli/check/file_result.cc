#include "client/cli/check/file_result.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <system_error>
#include <tuple>
#include <utility>

#include "client/cli/check/passing_numbers.h"
#include "client/cli/errors.h"
#include "client/cli/formats/json_numbers.h"

namespace torqued::cli {
namespace {

std::optional<double> OptionalFrom(const Json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end()) return std::nullopt;
  return RequiredNumberFromJson(*found);
}

/// Whether the members that count are whole numbers, as far as they are there.
/// Of another one, which may be beyond all counts, none is made.
bool HasWholeCounts(const Json& json) {
  for (const char* const member :
       {"bytes", "modified", "violations", "remarks", "samples"}) {
    const auto found = json.find(member);
    if (found != json.end() && !found->is_number_integer()) return false;
  }
  return true;
}

/// The most that a joint takes of a limit.
void TakeUse(const v1::JointDemand& joint, const v1::Peak& use, double* largest,
             FileResult* result) {
  *largest = std::max(*largest, use.value());
  if (!result->joint.empty() && use.value() <= result->severity) return;
  result->severity = use.value();
  result->joint = joint.joint();
  result->worst = joint.message();
}

}  // namespace

FileStamp StampOf(const std::filesystem::path& file) {
  std::error_code error;
  FileStamp stamp;
  stamp.bytes = std::filesystem::file_size(file, error);
  if (!error) {
    const auto time = std::filesystem::last_write_time(file, error);
    stamp.modified =
        std::chrono::duration_cast<std::chrono::nanoseconds>(
            std::chrono::file_clock::to_sys(time).time_since_epoch())
            .count();
  }
  if (error) throw DataError(file.string(), error.message());
  return stamp;
}

FileResult ResultOf(std::string file, const FileStamp& stamp,
                    const v1::TrajectoryVerdict& verdict) {
  FileResult result;
  result.file = std::move(file);
  result.stamp = stamp;
  result.passes = verdict.passes();
  result.violations = verdict.violation_count();
  result.remarks = verdict.remark_count();
  if (verdict.remarks_size() > 0) {
    result.remark = verdict.remarks(0).message();
  }
  result.samples = verdict.samples();
  result.duration = verdict.duration();
  for (const v1::JointDemand& joint : verdict.joints()) {
    if (joint.has_torque_use()) {
      TakeUse(joint, joint.torque_use(), &result.largest_torque_use, &result);
    }
    if (joint.has_velocity_use()) {
      TakeUse(joint, joint.velocity_use(), &result.largest_velocity_use,
              &result);
    }
  }
  // The gravest comes first.
  if (verdict.violations_size() > 0) {
    const v1::LimitViolation& gravest = verdict.violations(0);
    result.severity = gravest.severity();
    result.joint = gravest.joint();
    result.worst = gravest.message();
  }
  if (verdict.has_payload()) {
    result.payload_possible = verdict.payload().possible();
    if (verdict.payload().possible()) {
      result.largest_payload = verdict.payload().most();
    }
  }
  const double slow_down = SlowDownThatPasses(verdict);
  if (std::isfinite(slow_down)) result.slow_down = slow_down;
  return result;
}

Json ToJson(const FileResult& result) {
  Json json;
  json["file"] = result.file;
  json["bytes"] = result.stamp.bytes;
  json["modified"] = result.stamp.modified;
  if (!result.error.empty()) {
    json["error"] = result.error;
    return json;
  }
  json["passes"] = result.passes;
  json["severity"] = NumberJson(result.severity);
  json["joint"] = result.joint;
  json["worst"] = result.worst;
  json["violations"] = result.violations;
  json["remarks"] = result.remarks;
  if (result.remarks > 0) json["remark"] = result.remark;
  json["samples"] = result.samples;
  json["duration"] = result.duration;
  json["largest_torque_use"] = NumberJson(result.largest_torque_use);
  json["largest_velocity_use"] = NumberJson(result.largest_velocity_use);
  if (result.payload_possible) {
    json["payload_possible"] = *result.payload_possible;
  }
  if (result.largest_payload) {
    json["largest_payload"] = NumberJson(*result.largest_payload);
  }
  json["slow_down_possible"] = result.slow_down.has_value();
  if (result.slow_down) json["slow_down"] = NumberJson(*result.slow_down);
  if (!result.asked_words.empty()) json["asked_words"] = result.asked_words;
  return json;
}

std::optional<FileResult> ResultFromJson(const Json& json) {
  if (!HasWholeCounts(json)) return std::nullopt;
  try {
    FileResult result;
    result.file = json.at("file").get<std::string>();
    result.stamp.bytes = json.at("bytes").get<std::uint64_t>();
    result.stamp.modified = json.at("modified").get<std::int64_t>();
    if (json.contains("error")) {
      result.error = json["error"].get<std::string>();
      return result;
    }
    result.passes = json.at("passes").get<bool>();
    result.severity = RequiredNumberFromJson(json.at("severity"));
    result.joint = json.at("joint").get<std::string>();
    result.worst = json.at("worst").get<std::string>();
    result.violations = json.at("violations").get<std::uint64_t>();
    // Which earlier versions do not write.
    result.remarks = json.value("remarks", std::uint64_t{0});
    result.remark = json.value("remark", std::string());
    result.samples = json.at("samples").get<std::uint64_t>();
    result.duration = json.at("duration").get<double>();
    result.largest_torque_use =
        RequiredNumberFromJson(json.at("largest_torque_use"));
    result.largest_velocity_use =
        RequiredNumberFromJson(json.at("largest_velocity_use"));
    result.largest_payload = OptionalFrom(json, "largest_payload");
    result.slow_down = OptionalFrom(json, "slow_down");
    if (json.contains("payload_possible")) {
      result.payload_possible = json["payload_possible"].get<bool>();
    }
    for (const Json& asked : json.value("asked_words", Json::array())) {
      result.asked_words.push_back(
          {{"title", asked.at("title").get<std::string>()},
           {"words", asked.at("words").get<std::string>()}});
    }
    return result;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

void RankWorstFirst(std::vector<FileResult>* results) {
  std::sort(results->begin(), results->end(),
            [](const FileResult& a, const FileResult& b) {
              const auto key = [](const FileResult& result) {
                return std::tuple(!result.error.empty(), result.passes,
                                  -result.severity,
                                  std::string_view(result.file));
              };
              return key(a) < key(b);
            });
}

}  // namespace torqued::cli
