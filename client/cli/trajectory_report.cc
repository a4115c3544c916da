#include "client/cli/trajectory_report.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <ostream>

#include "client/cli/evaluation_output.h"
#include "client/cli/formats/csv_writer.h"
#include "client/cli/formats/number_text.h"
#include "client/cli/terminal/progress_meter.h"
#include "client/cli/terminal/table.h"
#include "client/cpp/duration.h"

namespace torqued::cli {
namespace {

template <class T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

std::string OrDash(const std::optional<double>& value) {
  return value ? ReadableText(*value) : "-";
}

std::string PercentText(const std::optional<double>& fraction) {
  return fraction ? UtilizationText(*fraction) : "-";
}

bool HasLimit(const JointLoad& load) { return load.effort_limit.has_value(); }

/// Absent where no limit is exceeded, but some states have no torque.
std::optional<bool> WithinLimits(const TrajectoryRun& run) {
  if (run.summary.exceeds_limits()) return false;
  if (run.evaluation.rows_not_ok > 0) return std::nullopt;
  return true;
}

std::string Verdict(const TrajectoryRun& run) {
  const TorqueSummary& summary = run.summary;
  std::string over;
  for (const JointLoad& load : summary.joints) {
    if (load.samples_over_limit > 0) {
      over += (over.empty() ? "" : ", ") + load.joint;
    }
  }
  if (!over.empty()) return "over the effort limit: " + over;
  if (std::none_of(summary.joints.begin(), summary.joints.end(), HasLimit)) {
    return "no joint has an effort limit";
  }
  std::string verdict = "within the effort limits";
  if (!WithinLimits(run)) {
    verdict = "not decided: " + std::to_string(run.evaluation.rows_not_ok) +
              " of " + std::to_string(run.evaluation.rows) +
              " states have no torque";
  }
  if (const std::optional<std::size_t> most = summary.most_loaded()) {
    verdict += "; most loaded: " + summary.joints[*most].joint + " at " +
               PercentText(summary.joints[*most].utilization());
  }
  return verdict;
}

}  // namespace

double TrajectoryRun::states_per_second() const {
  return seconds > 0 ? static_cast<double>(evaluation.rows) / seconds : 0;
}

double TrajectoryRun::compute_seconds() const {
  return std::chrono::duration<double>(
             client::ToNanoseconds(evaluation.echo.timing().compute())
                 .value_or(std::chrono::nanoseconds::zero()))
      .count();
}

Json SummaryJson(const TrajectoryRun& run) {
  const v1::Echo& echo = run.evaluation.echo;
  Json json;
  json["trajectory"] = run.file;
  json["model"] = run.model_name;
  json["revision"] = echo.revision();
  json["states"] = run.evaluation.rows;
  json["duration_s"] =
      run.time.empty() ? Json() : Json(run.time.back() - run.time.front());
  json["within_effort_limits"] = OrNull(WithinLimits(run));
  const std::optional<std::size_t> most = run.summary.most_loaded();
  json["most_loaded_joint"] =
      most ? Json(run.summary.joints[*most].joint) : Json();
  Json& joints = json["joints"] = Json::array();
  for (std::size_t k = 0; k < run.summary.joints.size(); ++k) {
    const JointLoad& load = run.summary.joints[k];
    Json joint;
    joint["joint"] = load.joint;
    joint["unit"] = run.units[k];
    joint["max_abs_tau"] = load.peak ? Json(std::abs(*load.peak)) : Json();
    joint["tau"] = OrNull(load.peak);
    joint["effort_limit"] = OrNull(load.effort_limit);
    joint["utilization"] = OrNull(load.utilization());
    joint["sample"] = load.peak ? Json(load.peak_sample) : Json();
    joint["time_s"] = OrNull(load.peak_time);
    joint["samples_over_limit"] = load.samples_over_limit;
    joints.push_back(std::move(joint));
  }
  json["seconds"] = run.seconds;
  json["states_per_second"] = run.states_per_second();
  json["compute_seconds"] = run.compute_seconds();
  json["rows_not_ok"] = run.evaluation.rows_not_ok;
  json["row_status"] = Json::array();
  for (const v1::RowStatus& status : run.evaluation.row_status) {
    json["row_status"].push_back(ToJson(status));
  }
  json["echo"] = ToJson(echo);
  return json;
}

std::string SummaryCsv(const TrajectoryRun& run) {
  CsvWriter csv({"joint", "unit", "max_abs_tau", "tau", "effort_limit",
                 "utilization", "sample", "time", "samples_over_limit"});
  const auto number = [&csv](const std::optional<double>& value) {
    if (value) {
      csv.Number(*value);
    } else {
      csv.Text("");
    }
  };
  for (std::size_t k = 0; k < run.summary.joints.size(); ++k) {
    const JointLoad& load = run.summary.joints[k];
    csv.Text(load.joint);
    csv.Text(run.units[k]);
    number(load.peak ? std::optional(std::abs(*load.peak)) : std::nullopt);
    number(load.peak);
    number(load.effort_limit);
    number(load.utilization());
    csv.Text(load.peak ? std::to_string(load.peak_sample) : "");
    number(load.peak_time);
    csv.Text(std::to_string(load.samples_over_limit));
    csv.EndRow();
  }
  return csv.text();
}

void PrintSummary(const TrajectoryRun& run, std::ostream& out) {
  const v1::Echo& echo = run.evaluation.echo;
  out << ModelText(run.model_name, echo.revision()) << "  "
      << run.evaluation.rows << " states";
  if (!run.time.empty()) {
    out << " over " << ReadableText(run.time.back() - run.time.front()) << " s";
  }
  out << ", answered in " << DurationText(run.seconds) << " ("
      << CountText(run.states_per_second()) << " states/s; computing "
      << DurationText(run.compute_seconds()) << " in all, target "
      << echo.target() << ")\n\n";

  Table table({{"joint", Align::kLeft},
               {"max |tau|", Align::kRight},
               {"limit", Align::kRight},
               {"", Align::kLeft},
               {"of limit", Align::kRight},
               {"sample", Align::kRight},
               {"time [s]", Align::kRight},
               {"", Align::kLeft}});
  for (std::size_t k = 0; k < run.summary.joints.size(); ++k) {
    const JointLoad& load = run.summary.joints[k];
    table.Add(
        {load.joint, load.peak ? ReadableText(std::abs(*load.peak)) : "-",
         OrDash(load.effort_limit), run.units[k],
         PercentText(load.utilization()),
         load.peak ? std::to_string(load.peak_sample) : "-",
         OrDash(load.peak_time),
         load.samples_over_limit > 0
             ? "OVER in " + std::to_string(load.samples_over_limit) + " samples"
             : ""});
  }
  table.Print(out);
  out << "\n" << Verdict(run) << "\n";
}

std::string TorquesCsv(const TrajectoryRun& run) {
  std::vector<std::string> header;
  if (!run.time.empty()) header.emplace_back("time");
  for (const std::string& joint : run.joints) header.push_back(joint + ".tau");
  CsvWriter csv(header);
  for (Eigen::Index row = 0; row < run.evaluation.tau.rows(); ++row) {
    if (!run.time.empty()) csv.Number(run.time[static_cast<std::size_t>(row)]);
    for (const double tau : run.evaluation.tau.row(row)) csv.Number(tau);
    csv.EndRow();
  }
  return csv.text();
}

std::string TorquesSvg(const TrajectoryRun& run, PlotScale scale) {
  const v1::Echo& echo = run.evaluation.echo;
  TorquePlot plot;
  plot.title = "Joint torques of " + ModelText(run.model_name, echo.revision());
  plot.subtitle = std::filesystem::path(run.file).filename().string() +
                  " \u00b7 " + std::to_string(run.evaluation.rows) + " states";
  if (!run.time.empty()) {
    plot.subtitle +=
        " \u00b7 " + ReadableText(run.time.back() - run.time.front()) + " s";
  }
  if (echo.terms().gravity_size() == 3) {
    plot.subtitle += " \u00b7 gravity (";
    for (int k = 0; k < 3; ++k) {
      plot.subtitle +=
          (k == 0 ? "" : " ") + ReadableText(echo.terms().gravity(k));
    }
    plot.subtitle += ") m/s\u00b2";
  }
  plot.time = run.time;
  plot.tau = run.evaluation.tau;
  plot.summary = run.summary;
  plot.units = run.units;
  plot.scale = scale;
  return DrawTorquePlot(plot);
}

}  // namespace torqued::cli
