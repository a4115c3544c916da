#include "client/cli/check/reports.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "client/cli/check/results.h"
#include "client/cli/evaluation_output.h"
#include "client/cli/formats/csv.h"
#include "client/cli/formats/number_text.h"
#include "client/cli/terminal/plain_text.h"
#include "client/cli/terminal/table.h"

namespace torqued::cli {
namespace {

/// Of a list on a terminal.
constexpr std::size_t kShown = 10;

/// In protobuf's form 64-bit integers are strings.
void CountsAsNumbers(const google::protobuf::Descriptor& type, Json& json) {
  for (const auto& [name, value] : json.items()) {
    const auto* const field = type.FindFieldByName(name);
    if (field->cpp_type() == field->CPPTYPE_UINT64) {
      value = std::stoull(value.get<std::string>());
    } else if (field->cpp_type() == field->CPPTYPE_MESSAGE) {
      if (value.is_object()) CountsAsNumbers(*field->message_type(), value);
      if (!value.is_array()) continue;
      for (Json& item : value) CountsAsNumbers(*field->message_type(), item);
    }
  }
}

/// "-" if it is absent.
std::string UseText(bool present, double use) {
  return present ? UtilizationText(use) : "-";
}

void PrintJoints(const v1::TrajectoryVerdict& verdict, std::ostream& out) {
  Table table({{"joint", Align::kLeft},
               {"max |tau|", Align::kRight},
               {"at [s]", Align::kRight},
               {"limit", Align::kRight},
               {"", Align::kLeft},
               // May stand at another instant: limits may fall with speed.
               {"most of limit", Align::kRight},
               {"at [s]", Align::kRight},
               {"RMS", Align::kRight},
               {"max |v|", Align::kRight},
               {"of limit", Align::kRight},
               {"energy [J]", Align::kRight}});
  for (const v1::JointDemand& joint : verdict.joints()) {
    table.Add(
        {joint.joint(), ReadableText(std::abs(joint.torque().value())),
         ReadableText(joint.torque().time()),
         joint.has_torque_limit() ? ReadableText(joint.torque_limit()) : "-",
         joint.effort_unit(),
         UseText(joint.has_torque_use(), joint.torque_use().value()),
         joint.has_torque_use() ? ReadableText(joint.torque_use().time()) : "-",
         UseText(joint.has_rms_torque_use(), joint.rms_torque_use()),
         ReadableText(std::abs(joint.velocity().value())),
         UseText(joint.has_velocity_use(), joint.velocity_use().value()),
         ReadableText(joint.energy_given() - joint.energy_taken())});
  }
  table.Print(out);
}

/// The first of `listed`, a line each, and how many of `count` are left.
void PrintFirst(const auto& listed, std::uint64_t count, std::ostream& out) {
  const int shown = std::min(static_cast<int>(kShown), listed.size());
  for (int k = 0; k < shown; ++k) {
    out << "  " << listed[k].message() << "\n";
  }
  const auto more = count - static_cast<std::uint64_t>(shown);
  if (more > 0) out << "  and " << more << " more\n";
}

std::string VerdictOf(const Json& result) {
  if (!HasVerdict(result)) return "none";
  return Passes(result) ? "pass" : "FAIL";
}

bool IsUnlimited(const Json& result) {
  return result["joint"].get<std::string_view>().empty();
}

std::string LimitsOf(const Json& result) {
  if (!HasVerdict(result)) return PlainText(result["error"].get<std::string>());
  return IsUnlimited(result) ? "No joint has a limit."
                             : result["worst"].get<std::string>();
}

StateBlocks BlocksOf(const CheckedTrajectory& checked) {
  StateBlocks blocks;
  blocks.joints.emplace();
  for (const v1::JointDemand& joint : checked.check.verdict.joints()) {
    blocks.joints->push_back(joint.joint());
  }
  blocks.time = checked.samples.time;
  blocks.tables["q"] = checked.samples.q;
  blocks.tables["v"] = checked.v();
  blocks.tables["a"] = checked.a();
  blocks.tables["tau"] = checked.check.tau;
  if (checked.brings_wrench) {
    blocks.tip_wrench = checked.samples.tip_wrench_on_environment;
  }
  return blocks;
}

std::string TorquesCsv(const StateBlocks& blocks) {
  std::vector<std::string> header = {"time"};
  for (const std::string& joint : *blocks.joints) {
    header.push_back(joint + ".tau");
  }
  CsvWriter csv(header);
  const client::Batch& tau = blocks.tables.at("tau");
  for (std::size_t row = 0; row < blocks.time.size(); ++row) {
    csv.Number(blocks.time[row]);
    for (const double torque : tau.row(static_cast<Eigen::Index>(row))) {
      csv.Number(torque);
    }
    csv.EndRow();
  }
  return csv.text();
}

}  // namespace

Json VerdictJson(const CheckedTrajectory& checked) {
  Json json;
  json["trajectory"] = checked.file;
  Json verdict = ToJson(checked.check.verdict);
  CountsAsNumbers(*v1::TrajectoryVerdict::descriptor(), verdict);
  json.update(verdict);
  json["inputs"] = checked.inputs;
  json["seconds"] = checked.seconds;
  return json;
}

std::string VerdictCsv(const CheckedTrajectory& checked) {
  static const CsvColumns kColumns = {
      {"joint", "/joint"},
      {"unit", "/effort_unit"},
      {"tau", "/torque/value"},
      {"torque_limit", "/torque_limit"},
      {"torque_use", "/torque_use/value"},
      {"rms_torque_use", "/rms_torque_use"},
      {"sample", "/torque/sample"},
      {"time", "/torque/time"},
      {"velocity", "/velocity/value"},
      {"velocity_use", "/velocity_use/value"},
      {"energy_given", "/energy_given"},
      {"energy_taken", "/energy_taken"},
      {"torque_use_sample", "/torque_use/sample"},
      {"torque_use_time", "/torque_use/time"},
      {"velocity_remarks", "/velocity_remarks"},
      {"acceleration_remarks", "/acceleration_remarks"},
      {"remark", "/remark"}};
  Json verdict = VerdictJson(checked);
  for (Json& joint : verdict["joints"]) {
    for (const Json& remark : verdict["remarks"]) {
      // The gravest comes first.
      if (remark["joint"] != joint["joint"]) continue;
      joint["remark"] = remark["message"];
      break;
    }
  }
  return CsvOf(kColumns, verdict["joints"]);
}

void PrintVerdict(const CheckedTrajectory& checked, std::ostream& out) {
  const v1::TrajectoryVerdict& verdict = checked.check.verdict;
  const v1::Echo& echo = verdict.echo();
  const auto line = [&out](const char* title, const std::string& sentence) {
    if (!sentence.empty()) out << title << sentence << "\n";
  };
  out << ModelText(echo.model(), echo.revision()) << "  ";
  line("", verdict.judged() + ", over " + ReadableText(verdict.duration()) +
               " s, checked in " + DurationText(checked.seconds));
  line("", verdict.coarse_step().message());
  out << "\n";
  PrintJoints(verdict, out);
  out << "\n";
  if (verdict.joints_size() > 0) {
    line("Energy: ", verdict.energy_message());
    line("Payload: ", verdict.payload().message());
    line("Pace: ", verdict.slow_down().message());
  }
  line("Task: ", verdict.path_inertia().message());
  out << "\n"
      << (verdict.passes() ? "PASS: " : "FAIL: ") << verdict.message() << "\n";
  PrintFirst(verdict.violations(), verdict.violation_count(), out);
  if (verdict.remark_count() == 0) return;
  out << "Samples that contradict each other:\n";
  PrintFirst(verdict.remarks(), verdict.remark_count(), out);
}

std::string SentenceOf(const Json& result) {
  std::string limits = LimitsOf(result);
  const auto count = result.value("remarks", std::uint64_t{0});
  if (count == 0) return limits;
  const std::string remarks =
      std::to_string(count) + (count == 1 ? " remark" : " remarks") +
      " on the samples, the gravest: " + result.value("remark", "");
  // A file that fails for its samples alone says so first.
  return !Passes(result) && result["violations"] == 0 ? remarks + " " + limits
                                                      : limits + " " + remarks;
}

std::string TotalsOf(const Json& check) {
  std::string text = check["passed"].dump() + " pass, " +
                     check["failed"].dump() + " fail, " +
                     check["errors"].dump() + " have no verdict";
  if (check["resumed"] > 0) {
    text += "; " + check["resumed"].dump() + " were checked before";
  }
  return text + "; checked in " + DurationText(check["seconds"].get<double>());
}

void PrintDirectory(const Json& check, std::ostream& out) {
  const Json& results = check["results"];
  const auto errors = check["errors"].get<std::size_t>();
  out << ModelText(check["model"], check["revision"]) << "  " << results.size()
      << " files\n"
      << TotalsOf(check) << "\n";
  // Those come last.
  const std::size_t judged = results.size() - errors;
  if (judged > 0) out << "\nThe worst:\n";
  Table table({{"", Align::kRight},
               {"file", Align::kLeft},
               {"verdict", Align::kLeft},
               {"of limit", Align::kRight},
               {"", Align::kLeft}});
  for (std::size_t k = 0; k < std::min(kShown, judged); ++k) {
    const Json& result = results[k];
    table.Add(
        {std::to_string(k + 1),
         PlainText(result["file"].get<std::string>(), 200), VerdictOf(result),
         IsUnlimited(result)
             ? "-"
             : UtilizationText(RequiredNumberFromJson(result["severity"])),
         SentenceOf(result)});
  }
  if (judged > 0) table.Print(out);
  if (errors > 0) out << "\nWithout a verdict:\n";
  for (std::size_t k = 0; k < std::min(kShown, errors); ++k) {
    out << "  " << SentenceOf(results[judged + k]) << "\n";
  }
  if (errors > kShown) {
    out << "  and " << errors - kShown << " more\n";
  }
}

std::string DirectoryCsv(const Json& check) {
  CsvColumns columns;
  for (const char* const member :
       {"file", "verdict", "severity", "joint", "violations",
        "largest_torque_use", "largest_velocity_use", "largest_payload",
        "slow_down", "samples", "duration", "worst", "remarks", "remark"}) {
    columns.emplace_back(member, std::string("/") + member);
  }
  Json rows = check["results"];
  for (Json& row : rows) {
    row.update({{"verdict", VerdictOf(row)}, {"worst", LimitsOf(row)}});
  }
  return CsvOf(columns, rows);
}

std::string TorquesBytes(const CheckedTrajectory& checked, Container container,
                         const std::string& name) {
  switch (container) {
    case Container::kCsv:
      return TorquesCsv(BlocksOf(checked));
    case Container::kNpy:
      return NpyBytes(checked.check.tau);
    case Container::kNpz:
      return NpzBytes(BlocksOf(checked));
    case Container::kYaml:  // not asked for
    case Container::kJson:
      break;
  }
  return JointTrajectoryJson(BlocksOf(checked), name);
}

}  // namespace torqued::cli
