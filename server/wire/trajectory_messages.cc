#include "server/wire/trajectory_messages.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/base/text.h"
#include "core/engine/evaluation_plan.h"
#include "server/flags/near_names.h"
#include "server/wire/enums.h"
#include "server/wire/request.h"

namespace torqued::server {
namespace {

/// Of the curve of one joint.
constexpr int kMostSpeeds = 1024;

Error InvalidOption(std::string field, std::string message) {
  return FieldError(v1::INVALID_OPTION, std::move(field), std::move(message));
}

/// Of a member of one that is listed for a joint.
Error InvalidOf(const std::string& joint, std::string field,
                std::string message) {
  Error error = InvalidOption(std::move(field), std::move(message));
  error.metadata.emplace_back("joint", joint);
  return error;
}

std::optional<double> Given(bool has, double number) {
  return has ? std::optional(number) : std::nullopt;
}

/// Calls `take` with the column and the index of each item that is listed for
/// joints, each at most once.
template <class Wire, class Take>
void ForEachJoint(std::string_view list,
                  const google::protobuf::RepeatedPtrField<Wire>& listed,
                  const std::string& (Wire::*name_of)() const,
                  const char* member, const std::vector<std::string>& joints,
                  const Take& take) {
  std::unordered_map<std::string_view, std::size_t> columns;
  for (const std::string& joint : joints) columns[joint] = columns.size();
  std::vector<bool> seen(joints.size());
  for (int k = 0; k < listed.size(); ++k) {
    const std::string& joint = (listed[k].*name_of)();
    const auto column = columns.find(joint);
    if (column == columns.end()) {
      throw InvalidOf(
          joint, At(list, k, member),
          "the model has no movable joint " + Quoted(joint) +
              flags::NameHint(flags::NearNames(joint, joints), joints));
    }
    if (seen[column->second]) {
      throw InvalidOf(joint, At(list, k, member),
                      "joint '" + joint + "' is named twice");
    }
    seen[column->second] = true;
    take(column->second, k);
  }
}

/// The name that the wire has for a member of the core's limits.
std::string WireMember(const std::string& member) {
  if (member == "torque_at_speed") return "torque_speed";
  const bool limit = member == "velocity" || member == "effort";
  return limit ? member + "_limit" : member;
}

/// Fills in the bounds and drives of the options.
void DecodeJoints(const v1::CheckTrajectoryStart& start, const Model& model,
                  const std::vector<std::string>& joints,
                  TrajectoryOptions* options) {
  const auto refuse_if = [](const std::optional<MemberProblem>& problem,
                            const std::string& joint, std::string_view list,
                            int k) {
    if (!problem) return;
    throw InvalidOf(joint, At(list, k, WireMember(problem->member)),
                    problem->message);
  };
  const bool limited =
      !start.drives().empty() || !start.position_limits().empty();
  if (limited) options->bounds.resize(joints.size());
  if (!start.drives().empty()) options->drives.resize(joints.size());
  ForEachJoint(
      "drives", start.drives(), &v1::Drive::dof, "dof", joints,
      [&](std::size_t column, int k) {
        const v1::Drive& wire = start.drives(k);
        JointDrive& drive = options->drives[column];
        drive = {Given(wire.has_viscous_friction(), wire.viscous_friction()),
                 Given(wire.has_coulomb_friction(), wire.coulomb_friction()),
                 Given(wire.has_armature(), wire.armature())};
        refuse_if(Validate(drive), wire.dof(), "drives", k);
        JointBounds& bounds = options->bounds[column];
        bounds.velocity =
            Given(wire.has_velocity_limit(), wire.velocity_limit());
        bounds.effort = Given(wire.has_effort_limit(), wire.effort_limit());
        if (wire.torque_speed_size() > kMostSpeeds) {
          throw InvalidOf(
              wire.dof(), At("drives", k, "torque_speed"),
              "a curve has at most " + std::to_string(kMostSpeeds) + " points");
        }
        for (const v1::TorqueSpeedPoint& point : wire.torque_speed()) {
          bounds.torque_at_speed.push_back({point.speed(), point.torque()});
        }
        refuse_if(Validate(bounds, {}), wire.dof(), "drives", k);
      });
  ForEachJoint("position_limits", start.position_limits(),
               &v1::PositionLimits::coordinate, "coordinate", joints,
               [&](std::size_t column, int k) {
                 const v1::PositionLimits& wire = start.position_limits(k);
                 JointBounds& bounds = options->bounds[column];
                 bounds.lower = Given(wire.has_lower(), wire.lower());
                 bounds.upper = Given(wire.has_upper(), wire.upper());
                 const auto joint = static_cast<std::size_t>(
                     *model.FindJoint(wire.coordinate()));
                 refuse_if(Validate(bounds, model.joints()[joint].limits),
                           wire.coordinate(), "position_limits", k);
               });
}

std::vector<WrenchAtTime> DecodeProfile(const v1::CheckTrajectoryStart& start) {
  constexpr std::string_view kList = "tip_wrench_profile";
  std::vector<WrenchAtTime> profile;
  for (int k = 0; k < start.tip_wrench_profile_size(); ++k) {
    const v1::WrenchPoint& wire = start.tip_wrench_profile(k);
    WrenchAtTime& point = profile.emplace_back();
    if (wire.wrench_size() != std::ssize(point.wrench)) {
      throw InvalidOption(
          At(kList, k, "wrench"),
          "needs 6 numbers, has " + std::to_string(wire.wrench_size()));
    }
    point.time = wire.time();
    std::ranges::copy(wire.wrench(), point.wrench.begin());
    if (!std::isfinite(point.time) ||
        (k > 0 && point.time <= profile[profile.size() - 2].time)) {
      throw InvalidOption(At(kList, k, "time"),
                          "times must be finite and increase");
    }
    if (!std::ranges::all_of(point.wrench,
                             [](double x) { return std::isfinite(x); })) {
      throw InvalidOption(At(kList, k, "wrench"), "must be finite");
    }
  }
  return profile;
}

std::vector<v1::TrajectoryTable> DecodeTables(
    const v1::CheckTrajectoryStart& start) {
  std::vector<v1::TrajectoryTable> tables;
  for (int k = 0; k < start.tables_size(); ++k) {
    const v1::TrajectoryTable table = start.tables(k);
    const auto refuse = [&](const std::string& message) {
      throw FieldError(v1::INVALID_FIELD, At("tables", k), message);
    };
    if (table == v1::TRAJECTORY_TABLE_UNSPECIFIED ||
        !v1::TrajectoryTable_IsValid(table)) {
      refuse(std::to_string(table) + " is not a TrajectoryTable");
    }
    const std::string& name = v1::TrajectoryTable_Name(table);
    if (std::ranges::count(tables, table) > 0) {
      refuse(name + " was asked for before");
    }
    if (ColumnsOf(table, 0) == 1 && !start.has_operational_space()) {
      refuse(name + " needs operational_space");
    }
    tables.push_back(table);
  }
  return tables;
}

std::optional<SplineMethod> DecodeDerive(int number) {
  if (number == v1::DIFFERENTIATION_UNSPECIFIED) return std::nullopt;
  if (number == v1::DIFFERENTIATION_CUBIC_SPLINE) return SplineMethod::kCubic;
  if (number == v1::DIFFERENTIATION_QUINTIC_SPLINE) {
    return SplineMethod::kQuintic;
  }
  throw InvalidOption("derive",
                      std::to_string(number) + " is no way of differentiation");
}

static_assert(static_cast<int>(LimitKind::kPosition) + 1 ==
                  v1::LIMIT_KIND_POSITION &&
              static_cast<int>(RemarkKind::kAcceleration) + 1 ==
                  v1::REMARK_KIND_ACCELERATION);

template <class Counts, class Kind>
std::uint64_t CountOf(const Counts& counts, Kind kind) {
  return static_cast<std::uint64_t>(counts[static_cast<std::size_t>(kind)]);
}

/// Writes places of samples with their times.
class VerdictWriter {
 public:
  VerdictWriter(const DecodedCheck& check, std::span<const double> time)
      : joints_(check.joints), units_(check.units), time_(time) {}

  void Fill(const PeakValue& peak, v1::Peak* wire) const {
    wire->set_sample(Number(peak.row));
    wire->set_time(Time(peak.row) + peak.after);
    wire->set_value(peak.value);
    wire->set_between(peak.after > 0);
  }

  void Fill(const LimitViolation& violation, v1::LimitViolation* wire) const {
    wire->set_kind(AsWire<v1::LimitKind>(violation.kind));
    wire->set_joint(Joint(violation.joint));
    wire->set_first_sample(Number(violation.first_row));
    wire->set_last_sample(Number(violation.last_row));
    wire->set_begin(Time(violation.first_row) + violation.first_after);
    wire->set_end(Time(violation.last_row) + violation.last_after);
    wire->set_samples(Number(violation.samples));
    Fill(violation.worst, wire->mutable_worst());
    wire->set_limit(violation.limit);
    wire->set_severity(violation.severity);
  }

  void Fill(const SampleRemark& remark, v1::Remark* wire) const {
    wire->set_kind(AsWire<v1::RemarkKind>(remark.kind));
    wire->set_joint(Joint(remark.joint));
    wire->set_first_sample(Number(remark.first_row));
    wire->set_last_sample(Number(remark.last_row));
    wire->set_begin(Time(remark.first_row));
    wire->set_end(Time(remark.last_row));
    wire->set_steps(Number(remark.steps));
    Fill(remark.given, wire->mutable_worst());
    wire->set_expected(remark.expected);
    wire->set_tolerance(remark.tolerance);
  }

  void Fill(const CoarseStep& step, v1::CoarseStep* wire) const {
    wire->set_sample(Number(step.row));
    wire->set_time(Time(step.row));
    wire->set_duration(step.duration);
    wire->set_joint(Joint(step.joint));
    wire->set_position_change(step.position_change);
    wire->set_velocity_change(step.velocity_change);
  }

  void Fill(const SamplePlace& place, v1::LimitedBy* wire) const {
    wire->set_sample(Number(place.row));
    wire->set_time(Time(place.row) + place.after);
    wire->set_joint(Joint(place.joint));
    wire->set_between(place.after > 0);
    wire->set_kind(AsWire<v1::LimitKind>(place.kind));
  }

  void Fill(const SlowDown& pace, v1::SlowDown* wire) const {
    wire->set_possible(pace.possible);
    if (pace.possible) wire->set_factor(pace.factor);
    if (pace.limited_by.row >= 0) {
      Fill(pace.limited_by, wire->mutable_limited_by());
    }
    if (!pace.possible || pace.factor > 1) return;
    wire->set_fastest(pace.fastest);
    if (pace.fastest_limited_by.row >= 0) {
      Fill(pace.fastest_limited_by, wire->mutable_fastest_limited_by());
    }
  }

  void Fill(int joint, const JointDemand& demand,
            const JointLimitsInForce& limits, v1::JointDemand* wire) const {
    wire->set_joint(Joint(joint));
    const JointUnits& units = units_[static_cast<std::size_t>(joint)];
    wire->set_position_unit(units.position);
    wire->set_effort_unit(units.effort);
    Fill(demand.torque, wire->mutable_torque());
    Fill(demand.velocity, wire->mutable_velocity());
    if (demand.torque_use.present()) {
      Fill(demand.torque_use, wire->mutable_torque_use());
    }
    if (demand.velocity_use.present()) {
      Fill(demand.velocity_use, wire->mutable_velocity_use());
    }
    Fill(demand.lowest_position, wire->mutable_lowest_position());
    Fill(demand.highest_position, wire->mutable_highest_position());
    Fill(demand.highest_power, wire->mutable_highest_power());
    Fill(demand.lowest_power, wire->mutable_lowest_power());
    wire->set_rms_torque(demand.rms_torque);
    if (demand.rms_torque_use) {
      wire->set_rms_torque_use(*demand.rms_torque_use);
    }
    wire->set_energy_given(demand.energy_given);
    wire->set_energy_taken(demand.energy_taken);
    if (std::isfinite(limits.lower)) wire->set_lower_limit(limits.lower);
    if (std::isfinite(limits.upper)) wire->set_upper_limit(limits.upper);
    if (std::isfinite(limits.velocity)) {
      wire->set_velocity_limit(limits.velocity);
    }
    if (limits.torque.present()) wire->set_torque_limit(limits.torque.At(0));
    const std::vector<TorqueAtSpeed>& corners = limits.torque.points();
    if (corners.size() < 2) return;  // the same at all speeds
    for (const TorqueAtSpeed& corner : corners) {
      wire->add_torque_limit_speeds(corner.speed);
      wire->add_torque_limit_torques(corner.torque);
    }
  }

 private:
  static std::uint64_t Number(std::int64_t row) {
    return static_cast<std::uint64_t>(row);
  }
  double Time(std::int64_t row) const {
    return time_[static_cast<std::size_t>(row)];
  }
  const std::string& Joint(int joint) const {
    return joints_[static_cast<std::size_t>(joint)];
  }

  const std::vector<std::string>& joints_;
  const std::vector<JointUnits>& units_;
  std::span<const double> time_;
};

}  // namespace

OrError<DecodedCheck> DecodeCheck(const v1::CheckTrajectoryStart& start,
                                  const Model& model) {
  const v1::Options& options = start.options();
  if (options.fail_fast()) {
    return InvalidOption("options.fail_fast", "a verdict has no rows to fail");
  }
  if (!options.external_wrenches().empty()) {
    return InvalidOption("options.external_wrenches",
                         "a trajectory has a tip wrench alone");
  }
  DecodedCheck check;
  const int quantity = v1::QUANTITY_INVERSE_DYNAMICS;
  ComputeFields view;
  view.quantities = {&quantity, 1};
  view.options = &options;
  if (start.has_operational_space()) {
    view.operational_space = &start.operational_space();
  }
  view.wrench_frame = start.tip_wrench_reference_frame();
  view.wrench_frame_field = "tip_wrench_reference_frame";
  auto decoded = DecodeQuery(view);
  if (auto* error = std::get_if<Error>(&decoded)) return std::move(*error);
  auto& query = std::get<DecodedQuery>(decoded);
  if (query.encoding) check.encoding = *query.encoding;
  check.options.evaluation = std::move(query.options);
  check.options.path_inertia = start.has_operational_space();

  check.joints = check.options.evaluation.joint_names;
  // Before what names the joints of the columns.
  try {
    ResolveJointOrder(model, check.joints);
  } catch (const ArgumentError& problem) {
    return ToError(problem);
  }
  if (check.joints.empty()) {
    for (const Joint& joint : model.joints())
      check.joints.push_back(joint.name);
  }
  for (const std::string& joint : check.joints) {
    const auto index = static_cast<std::size_t>(*model.FindJoint(joint));
    check.units.push_back(UnitsOf(model.joints()[index]));
  }
  return OrRefusal([&] {
    DecodeJoints(start, model, check.joints, &check.options);
    check.wrench_profile = DecodeProfile(start);
    check.tables = DecodeTables(start);
    check.derive = DecodeDerive(start.derive());
    if (start.has_derating()) check.options.derating = start.derating();
    check.options.merge_gap = start.merge_gap();
    check.options.consistent = start.consistent();
    check.options.allow_inconsistent = start.allow_inconsistent();
    return std::move(check);
  });
}

void FillVerdict(const TrajectoryVerdict& verdict, const DecodedCheck& check,
                 std::span<const double> time, v1::TrajectoryVerdict* wire) {
  const VerdictWriter writer(check, time);
  wire->set_passes(verdict.passes);
  const Violations& violations = verdict.violations;
  for (std::size_t j = 0; j < verdict.joints.size(); ++j) {
    v1::JointDemand* joint = wire->add_joints();
    writer.Fill(static_cast<int>(j), verdict.joints[j], verdict.limits[j],
                joint);
    const auto& broken = violations.counts[j];
    joint->set_torque_violations(CountOf(broken, LimitKind::kTorque));
    joint->set_velocity_violations(CountOf(broken, LimitKind::kVelocity));
    joint->set_position_violations(CountOf(broken, LimitKind::kPosition));
    const auto& remarks = verdict.remarks.counts[j];
    joint->set_velocity_remarks(CountOf(remarks, RemarkKind::kVelocity));
    joint->set_acceleration_remarks(
        CountOf(remarks, RemarkKind::kAcceleration));
  }
  for (const LimitViolation& violation : violations.gravest) {
    writer.Fill(violation, wire->add_violations());
  }
  wire->set_violation_count(static_cast<std::uint64_t>(violations.count));
  if (violations.first) {
    writer.Fill(*violations.first, wire->mutable_first_violation());
  }
  for (const SampleRemark& remark : verdict.remarks.gravest) {
    writer.Fill(remark, wire->add_remarks());
  }
  wire->set_remark_count(static_cast<std::uint64_t>(verdict.remarks.count));
  for (const InconsistentRate& rate : verdict.inconsistent) {
    v1::Inconsistency* found = wire->mutable_inconsistency();
    if (found->joints().empty()) found->set_factor(rate.factor);
    found->add_joints(check.joints[static_cast<std::size_t>(rate.joint)]);
  }
  if (verdict.coarse_step) {
    writer.Fill(*verdict.coarse_step, wire->mutable_coarse_step());
  }
  wire->set_samples(time.size());
  wire->set_duration(verdict.duration);
  writer.Fill(verdict.highest_power, wire->mutable_highest_power());
  writer.Fill(verdict.lowest_power, wire->mutable_lowest_power());
  wire->set_energy_given(verdict.energy_given);
  wire->set_energy_taken(verdict.energy_taken);
  if (verdict.payload_looked_at) {
    v1::PayloadRange* payload = wire->mutable_payload();
    payload->set_possible(verdict.payload.has_value());
    if (verdict.payload) {
      payload->set_least(verdict.payload->least);
      payload->set_most(verdict.payload->most);
      if (verdict.payload->limited_by.row >= 0) {
        writer.Fill(verdict.payload->limited_by, payload->mutable_limited_by());
      }
    }
  }
  writer.Fill(verdict.slow_down, wire->mutable_slow_down());
  if (verdict.path_inertia) {
    writer.Fill(verdict.path_inertia->sigma_min,
                wire->mutable_path_inertia()->mutable_sigma_min());
    writer.Fill(verdict.path_inertia->condition,
                wire->mutable_path_inertia()->mutable_condition());
  }
}

int ColumnsOf(v1::TrajectoryTable table, int joints) {
  const bool one = table == v1::TRAJECTORY_TABLE_SIGMA_MIN ||
                   table == v1::TRAJECTORY_TABLE_CONDITION;
  return one ? 1 : joints;
}

v1::Array* ArrayOf(v1::TrajectoryTable table, v1::TrajectoryRows* rows) {
  // Field 1 is first_sample.
  const auto* field = v1::TrajectoryRows::descriptor()->FindFieldByNumber(
      static_cast<int>(table) + 1);
  return static_cast<v1::Array*>(
      rows->GetReflection()->MutableMessage(rows, field));
}

}  // namespace torqued::server
