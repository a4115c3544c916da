// What `trajectory check` asks of a file, and of all files below a directory.
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
#include "client/cli/session.h"
#include "client/cpp/trajectory_check.h"

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

/// Checks the files below a directory whose names end like a container's,
/// `jobs` at a time. Names that begin with a dot and `others`, which the run
/// uses for something else, are left out, and, with a remark, JSON and YAML
/// files that hold no trajectory. With `journal` (a path, or empty) results are
/// kept, and unchanged files with a verdict there are not checked again; a name
/// that is no UTF-8 is not kept. An error of a file is its result; an error of
/// the options or the server ends the run. Throws DataError or client::Error.
/// Returns what `--output json` prints, the worst results first.
Json CheckDirectory(Session& session, const Checker& checker,
                    const std::filesystem::path& directory,
                    const std::vector<std::string>& others,
                    const std::string& journal, int jobs);

// Verdicts on a file, and on those of a directory, in every form.

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
