// The check of one file, and of all files below a directory.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/cli/formats/container.h"
#include "client/cli/request_flags.h"
#include "client/cli/session.h"
#include "client/cpp/trajectory_check.h"

namespace torqued::cli {

struct CheckFlags {
  /// With the flags of CheckTrajectoryStart.
  const CLI::App* command = nullptr;
  std::string model, wrench_profile, limits;
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
  Checker(Session& session, const CheckFlags& flags);

  const v1::ModelInfo& model() const { return model_; }
  /// But for what a file settles: joint order and tables.
  const v1::CheckTrajectoryStart& start() const { return start_; }

  /// Inputs in addition to the start: joint order and wrenches.
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
  /// The value of --joint-names; absent: not given, empty: canonical.
  std::optional<std::vector<std::string>> order_;
  v1::CheckTrajectoryStart start_;
  client::Batch wrench_;  // a row for all, a row a sample, or nothing
};

/// Checks the files below a directory whose names end like a container's,
/// `jobs` at a time, but those whose names begin with a dot, `others`, and,
/// with a remark, JSON and YAML files without a trajectory. Results are kept in
/// `journal` (a path, or empty); unchanged files with a verdict there are not
/// checked again. An error of a file is its result; an error of the options or
/// the server ends the run. Returns what `--output json` prints, the worst
/// results first.
Json CheckDirectory(Session& session, const Checker& checker,
                    const std::filesystem::path& directory,
                    const std::vector<std::string>& others,
                    const std::string& journal, int jobs);

/// The verdict as on the wire, but counts are numbers, with the file and the
/// time that the check took.
Json VerdictJson(const CheckedTrajectory& checked);
/// A row of CSV for each of these results.
Json ResultRows(Json results);
extern const Members kResultColumns;
void PrintVerdict(const CheckedTrajectory& checked, std::ostream& out);
/// "3 pass, 2 fail, 1 have no verdict; checked in 2 s".
std::string TotalsOf(const Json& check);
void PrintDirectory(const Json& check, std::ostream& out);

/// JUnit's XML: the file is a suite, every kind of limit of every joint a case.
std::string VerdictJunit(const CheckedTrajectory& checked);
std::string DirectoryJunit(const Json& check);

/// HTML that needs nothing else. Below 1 MB for up to 30 joints: curves are
/// thinned, and keep their extrema.
std::string ReportPage(const CheckedTrajectory& checked);
/// The same for the worst files, as many as a page has room for.
std::string DirectoryPage(const Json& check);
/// client/report/report.html with the chart library in it.
extern const std::string_view kReportTemplate;

/// CSV: "time", then "<joint>.tau". NPY: torques alone. NPZ: arrays time, q, v,
/// a, tau, joint_names and tip_wrench. JSON: the trajectory with the torques as
/// its effort. Throws DataError naming `name` if that cannot hold the times.
std::string TorquesBytes(const CheckedTrajectory& checked, Container container,
                         const std::string& name);

/// "45.8 %". Never "100.0 %" for a share just below or just above 1.
std::string UtilizationText(double share);

}  // namespace torqued::cli
