// The verdict on a trajectory, in every form in which it is told.
#pragma once

#include <iosfwd>
#include <string>

#include "client/cli/check/checked_trajectory.h"
#include "client/cli/message_json.h"

namespace torqued::cli {

/// The verdict as on the wire, numbers as numbers, with the file and the time
/// that it took.
Json VerdictJson(const CheckedTrajectory& checked);
/// A row for each joint.
std::string VerdictCsv(const CheckedTrajectory& checked);
void PrintVerdict(const CheckedTrajectory& checked, std::ostream& out);

/// JUnit's XML: the file is a suite, every kind of limit of every joint a case,
/// which fails with its violations.
std::string VerdictJunit(const CheckedTrajectory& checked);

}  // namespace torqued::cli
