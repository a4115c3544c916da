// What `trajectory check` asks of each file.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "client/cli/check/checked_trajectory.h"
#include "client/cli/check/wrench_profile.h"
#include "client/cli/message_json.h"
#include "client/cli/session.h"
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
  /// DataError, LimitsError or client::Error.
  CheckedTrajectory Check(const std::filesystem::path& file,
                          std::span<const v1::TrajectoryTable> tables,
                          const client::Progress& progress = {}) const;

 private:
  const client::Client* client_ = nullptr;
  std::filesystem::path limits_;  // empty: none
  const std::string wrench_file_;
  v1::ModelInfo model_;
  /// Of --joint-names; absent: not given, empty: canonical.
  std::optional<std::vector<std::string>> order_;
  v1::CheckTrajectoryStart start_;
  v1::ReferenceFrame wrench_frame_ = v1::REFERENCE_FRAME_UNSPECIFIED;
  client::Batch wrench_;  // a row for all, a row a sample, or nothing
  std::optional<WrenchProfile> profile_;
};

}  // namespace torqued::cli
