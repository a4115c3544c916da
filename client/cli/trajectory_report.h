// What a run of a trajectory gave, in every form in which it is told.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "client/cli/message_json.h"
#include "client/cli/plot/torque_plot.h"
#include "client/cli/plot/torque_summary.h"
#include "client/cpp/evaluation.h"
#include "torqued/v1/model_registry.pb.h"

namespace torqued::cli {

struct TrajectoryRun {
  std::string file;
  std::string model_name;
  std::vector<std::string> joints;
  std::vector<std::string> units;  // "N m" or "N"
  std::vector<double> time;        // may be empty
  client::Evaluation evaluation;
  TorqueSummary summary;
  double seconds = 0;  // from the first byte sent to the last received

  double states_per_second() const;
  /// What the server computed, of all chunks: these overlap, so it may exceed
  /// the time that passed.
  double compute_seconds() const;
};

Json SummaryJson(const TrajectoryRun& run);
std::string SummaryCsv(const TrajectoryRun& run);
void PrintSummary(const TrajectoryRun& run, std::ostream& out);

/// "time" where there is one, then "<joint>.tau".
std::string TorquesCsv(const TrajectoryRun& run);
std::string TorquesSvg(const TrajectoryRun& run, PlotScale scale);

}  // namespace torqued::cli
