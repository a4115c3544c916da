// Verdicts on a trajectory, and on those of a directory (see CheckDirectory),
// in every form.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "client/cli/check/checker.h"
#include "client/cli/formats/container.h"

namespace torqued::cli {

/// The verdict as on the wire, but counts are numbers, with the file and the
/// time that the check took.
Json VerdictJson(const CheckedTrajectory& checked);
/// A row for each of these results.
std::string ResultsCsv(const Json& results);
void PrintVerdict(const CheckedTrajectory& checked, std::ostream& out);
/// "3 pass, 2 fail, 1 have no verdict; checked in 2.0 s".
std::string TotalsOf(const Json& check);
/// The totals, and the ten worst.
void PrintDirectory(const Json& check, std::ostream& out);

/// JUnit's XML: the file is a suite, every kind of limit of every joint a case.
std::string VerdictJunit(const CheckedTrajectory& checked);
/// The directory is a suite, a file a case.
std::string DirectoryJunit(const Json& check);

/// HTML that needs nothing else. Below 1 MB for up to 30 joints: curves are
/// thinned, and keep their extrema.
std::string ReportPage(const CheckedTrajectory& checked);
/// The same for the worst files, as many as a page has room for.
std::string DirectoryPage(const Json& check);
/// client/report/report.html with the chart library in it.
extern const std::string_view kReportTemplate;

/// CSV: "time", then "<joint>.tau". NPY: torques alone. NPZ: arrays time, q, v,
/// a, tau and joint_names, and tip_wrench if the file had one. JSON: the
/// trajectory_msgs/JointTrajectory with the torques as its effort. Throws
/// DataError naming `name` if the message cannot hold the times.
std::string TorquesBytes(const CheckedTrajectory& checked, Container container,
                         const std::string& name);

/// "45.8 %". Never "100.0 %" for a share just below or just above 1.
std::string UtilizationText(double share);

}  // namespace torqued::cli
