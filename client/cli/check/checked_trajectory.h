// A trajectory and the verdict on it.
#pragma once

#include <string>
#include <vector>

#include "client/cli/message_json.h"
#include "client/cpp/trajectory_check.h"

namespace torqued::cli {

struct CheckedTrajectory {
  std::string file;
  std::vector<std::string> unused;  // columns of the file without meaning here
  client::TrajectorySamples samples;
  bool brings_wrench = false;  // the file has the wrenches of the samples
  std::string limits_file;     // as it was given; empty: none
  std::string wrench_file;  // of a wrench that changes with time; empty: none
  client::TrajectoryCheck check;
  Json inputs;         // Checker::OtherInputs
  double seconds = 0;  // from the first byte sent to the last received

  /// Those of the file or, where they were derived and asked for, those.
  const client::Batch& v() const {
    return samples.v.rows() > 0 ? samples.v : check.v;
  }
  const client::Batch& a() const {
    return samples.a.rows() > 0 ? samples.a : check.a;
  }
};

}  // namespace torqued::cli
