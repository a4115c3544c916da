// The verdict on a trajectory, in every form in which it is told.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "client/cli/message_json.h"
#include "client/cpp/trajectory_check.h"

namespace torqued::cli {

struct CheckedTrajectory {
  std::string file;
  std::vector<std::string> units;  // of the torques, by joint: "N m" or "N"
  std::vector<double> time;
  client::TrajectoryCheck check;
  double seconds = 0;  // from the first byte sent to the last received
};

/// The verdict as on the wire, numbers as numbers, with the file and the time
/// that it took.
Json VerdictJson(const CheckedTrajectory& checked);
/// A row for each joint.
std::string VerdictCsv(const CheckedTrajectory& checked);
void PrintVerdict(const CheckedTrajectory& checked, std::ostream& out);

/// JUnit's XML: the file is a suite, every kind of limit of every joint a case,
/// which fails with its violations.
std::string VerdictJunit(const CheckedTrajectory& checked);

/// "time", then "<joint>.tau".
std::string TorquesCsv(const CheckedTrajectory& checked);

}  // namespace torqued::cli
