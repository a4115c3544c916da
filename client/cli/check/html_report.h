// The verdict on a trajectory as a page to look at.
#pragma once

#include <set>
#include <string>

#include "client/cli/check/checked_trajectory.h"

namespace torqued::cli {

/// The tables that the page needs, for Checker::Check.
std::set<v1::TrajectoryTable> TablesForReport(bool derived, bool task);

/// HTML that needs nothing else: verdict, what was asked, a table of the
/// joints, the gravest violations, and the plots.
std::string HtmlReport(const CheckedTrajectory& checked);

}  // namespace torqued::cli
