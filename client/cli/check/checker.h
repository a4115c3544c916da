// What `trajectory check` asks of each file.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "client/cli/message_json.h"
#include "client/cli/session.h"
#include "client/cpp/trajectory_check.h"
#include "torqued/v1/model_registry.pb.h"

namespace CLI {
class App;
}  // namespace CLI

namespace torqued::cli {

struct CheckFlags {
  /// With the flags of CheckTrajectoryStart.
  const CLI::App* command = nullptr;
  std::string model;
  std::string wrench_profile;
  std::string limits;
  bool task = false;
};
void AddCheckFlags(CLI::App* command, CheckFlags* flags);

struct CheckedTrajectory {
  std::string file;
  std::vector<std::string> unused;  // columns of the file without meaning here
  client::TrajectorySamples samples;
  bool brings_wrench = false;  // the file has the wrenches of the samples
  /// Files that the server does not know: what they hold, and their paths.
  std::vector<std::pair<std::string, std::string>> files;
  client::TrajectoryCheck check;
  Json inputs;         // Checker::OtherInputs
  double seconds = 0;  // from the first byte sent to the last received

  /// Those of the file or, if they were derived and asked for, of the check.
  const client::Batch& v() const {
    return samples.v.rows() > 0 ? samples.v : check.v;
  }
  const client::Batch& a() const {
    return samples.a.rows() > 0 ? samples.a : check.a;
  }
};

/// One model and one set of options for any number of files.
class Checker {
 public:
  /// Throws UsageError, DataError or client::Error.
  Checker(Session& session, const CheckFlags& flags);

  const v1::ModelInfo& model() const { return model_; }
  /// But for what a file settles: joint order and tables.
  const v1::CheckTrajectoryStart& start() const { return start_; }

  /// What counts beside the start: joint order and wrenches.
  Json OtherInputs() const;

  /// Reads and checks a file. Any number of threads may do so at a time. Throws
  /// DataError or client::Error.
  CheckedTrajectory Check(const std::filesystem::path& file,
                          std::span<const v1::TrajectoryTable> tables,
                          const client::Progress& progress = {}) const;

 private:
  const client::Client* client_ = nullptr;
  std::vector<std::pair<std::string, std::string>> files_;
  v1::ModelInfo model_;
  /// Of --joint-names; absent: not given, empty: canonical.
  std::optional<std::vector<std::string>> order_;
  v1::CheckTrajectoryStart start_;
  v1::ReferenceFrame wrench_frame_ = v1::REFERENCE_FRAME_UNSPECIFIED;
  client::Batch wrench_;  // a row for all, a row a sample, or nothing
};

}  // namespace torqued::cli
