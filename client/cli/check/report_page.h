// Verdicts as a page to look at.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "client/cli/check/checked_trajectory.h"
#include "client/cli/check/directory_check.h"

namespace torqued::cli {

/// client/report/report.html with the chart library in it.
extern const std::string_view kReportTemplate;

/// The tables that the page needs, for Checker::Check.
std::set<v1::TrajectoryTable> TablesForReport(bool derived, bool task);

/// HTML that needs nothing else. Below 1 MB for up to 30 joints: curves are
/// thinned, and keep their extrema.
std::string ReportPage(const CheckedTrajectory& checked);
/// The same for the worst files, as many as a page has room for.
std::string ReportPage(const DirectoryCheck& check);

}  // namespace torqued::cli
