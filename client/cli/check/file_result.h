// What remains of the verdict on one of many files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "client/cli/check/checked_trajectory.h"
#include "client/cli/message_json.h"

namespace torqued::cli {

/// A file as it was when it was read.
struct FileStamp {
  std::uint64_t bytes = 0;
  std::int64_t modified = 0;  // ns since 1970

  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

/// Throws DataError.
FileStamp StampOf(const std::filesystem::path& file);

struct FileResult {
  std::string file;  // below the directory
  FileStamp stamp;
  bool is_trajectory = true;  // else it is no part of the run
  /// Why there is no verdict; empty: there is one.
  std::string error;
  bool passes = false;
  /// The largest share of any limit that is used, or by which it is exceeded: a
  /// file is the worse the larger this is.
  double severity = 0;
  std::string joint;  // of that; empty: none has a limit
  std::string worst;  // a sentence about it
  std::uint64_t violations = 0;
  /// On samples that contradict each other, and a sentence about the gravest.
  std::uint64_t remarks = 0;
  std::string remark;
  std::uint64_t samples = 0;
  double duration = 0;
  double largest_torque_use = 0;
  double largest_velocity_use = 0;
  /// Whether the file passes with some payload; absent: not looked at.
  std::optional<bool> payload_possible;
  /// kg, possibly infinite; absent: not looked at, or none passes.
  std::optional<double> largest_payload;
  /// Looked at always; absent: no pace passes, as where positions are outside
  /// their limits.
  std::optional<double> slow_down;
  /// Of the first verdict of a run, for all: its question in words, a list of
  /// `title` and `words`.
  Json asked_words;
};

FileResult ResultOf(std::string file, const FileStamp& stamp,
                    const v1::TrajectoryVerdict& verdict);

/// Infinite numbers are the string "Infinity".
Json ToJson(const FileResult& result);
/// Nothing where the value is no such result.
std::optional<FileResult> ResultFromJson(const Json& json);

/// What fails by severity, then what passes, and last what has no verdict.
void RankWorstFirst(std::vector<FileResult>* results);

}  // namespace torqued::cli
