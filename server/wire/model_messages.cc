#include "server/wire/model_messages.h"

#include <google/protobuf/util/time_util.h>

#include <limits>
#include <string>

#include "server/errors/error.h"
#include "server/wire/enums.h"

namespace torqued::server {
namespace {

constexpr int kMaxFindings = 1000;

/// Text out of a model's source, which may hold any bytes.
std::string Text(std::string_view text) {
  return CleanText(text, std::numeric_limits<int>::max());
}

google::protobuf::Timestamp AsTimestamp(
    std::chrono::system_clock::time_point time) {
  const std::chrono::nanoseconds since = time.time_since_epoch();
  return google::protobuf::util::TimeUtil::NanosecondsToTimestamp(
      since.count());
}

void FillJoint(const Joint& joint, v1::JointInfo* message) {
  message->set_name(Text(joint.name));
  message->set_type(ToWire(joint.type));
  message->set_q_index(static_cast<std::uint32_t>(joint.q_index));
  message->set_nq(static_cast<std::uint32_t>(joint.nq));
  message->set_v_index(static_cast<std::uint32_t>(joint.v_index));
  message->set_nv(static_cast<std::uint32_t>(joint.nv));
  message->set_parent_link(Text(joint.parent_link));
  message->set_child_link(Text(joint.child_link));
  for (const double component : joint.axis) message->add_axis(component);
  const JointLimits& limits = joint.limits;
  if (limits.lower) message->set_lower(*limits.lower);
  if (limits.upper) message->set_upper(*limits.upper);
  if (limits.velocity) message->set_velocity(*limits.velocity);
  if (limits.effort) message->set_effort(*limits.effort);
  message->set_damping(joint.damping);
  message->set_friction(joint.friction);
  message->set_armature(joint.armature);
  message->set_position_unit(UnitsOf(joint).position);
  message->set_effort_unit(UnitsOf(joint).effort);
}

void FillModel(const Model& model, v1::ModelInfo* message) {
  message->set_robot_name(Text(model.name()));
  message->set_nq(static_cast<std::uint32_t>(model.nq()));
  message->set_nv(static_cast<std::uint32_t>(model.nv()));
  for (const Joint& joint : model.joints()) {
    FillJoint(joint, message->add_joints());
  }
  for (const Frame& frame : model.frames()) {
    message->add_frames(Text(frame.name));
  }
  if (model.tip_frame()) {
    const auto tip = static_cast<std::size_t>(*model.tip_frame());
    message->set_tip_frame(Text(model.frames()[tip].name));
  }
  message->set_moving_mass(model.moving_mass());
  for (const double g : model.gravity()) message->add_gravity(g);
}

// Unspecified where this version does not know it, or the store is damaged.
v1::ModelFormat FormatOf(std::string_view stored) {
  return stored == "urdf" ? v1::MODEL_FORMAT_URDF
                          : v1::MODEL_FORMAT_UNSPECIFIED;
}

void FillOptions(const RegistrationOptions& options,
                 v1::RegistrationOptions* message) {
  message->set_base(v1::BASE_KIND_FIXED);
  message->set_mimic(v1::MIMIC_MODE_INDEPENDENT);
  message->set_default_tip(options.default_tip);
  message->set_validation(ToWire(options.validation));
}

}  // namespace

JointUnits UnitsOf(const Joint& joint) {
  return joint.type == JointType::kPrismatic ? JointUnits{"m", "N"}
                                             : JointUnits{"rad", "N m"};
}

void FillReport(const LintReport& report, v1::LintReport* message) {
  for (const Finding& finding : report.findings()) {
    if (message->findings_size() == kMaxFindings) break;
    v1::Finding* listed = message->add_findings();
    listed->set_severity(ToWire(finding.severity));
    listed->set_code(std::string(ToString(finding.code)));
    listed->set_joint(Text(finding.joint));
    listed->set_link(Text(finding.link));
    listed->set_line(static_cast<std::uint32_t>(finding.line));
    listed->set_message(Text(finding.message));
    listed->set_count(static_cast<std::uint32_t>(finding.count));
    for (const FoundPlace& place : finding.more_places) {
      v1::FindingPlace* more = listed->add_more_places();
      more->set_joint(Text(place.joint));
      more->set_link(Text(place.link));
      more->set_line(static_cast<std::uint32_t>(place.line));
    }
  }
  message->set_errors(static_cast<std::uint32_t>(report.errors()));
  message->set_warnings(static_cast<std::uint32_t>(report.warnings()));
  message->set_infos(static_cast<std::uint32_t>(report.infos()));
}

void FillSummary(const ListedModel& model, v1::ModelSummary* message) {
  message->set_name(Text(model.name));
  message->set_revision(Text(model.revision));
  if (model.summary.problem.empty()) {
    message->set_state(v1::MODEL_STATE_READY);
    message->set_nq(static_cast<std::uint32_t>(model.summary.nq));
    message->set_nv(static_cast<std::uint32_t>(model.summary.nv));
  } else {
    message->set_state(v1::MODEL_STATE_BROKEN);
    message->set_problem(Text(model.summary.problem));
  }
  if (model.registered_at.time_since_epoch().count() != 0) {
    *message->mutable_registered_at() = AsTimestamp(model.registered_at);
  }
  message->set_format(FormatOf(model.summary.format));
}

void FillModelInfo(const ModelEntry& entry, v1::ModelInfo* message) {
  const LoadedRevision& loaded = *entry.loaded;
  message->set_name(Text(entry.name));
  message->set_revision(Text(loaded.revision));
  message->set_format(FormatOf(loaded.format));
  if (loaded.options) FillOptions(*loaded.options, message->mutable_options());
  if (loaded.model != nullptr) {
    message->set_state(v1::MODEL_STATE_READY);
    FillModel(*loaded.model, message);
  } else {
    message->set_state(v1::MODEL_STATE_BROKEN);
    message->set_problem(Text(loaded.problem));
  }
  FillReport(loaded.report, message->mutable_report());
  if (entry.registered_at.time_since_epoch().count() != 0) {
    *message->mutable_registered_at() = AsTimestamp(entry.registered_at);
  }
  for (const std::string& label : entry.labels) {
    message->add_labels(Text(label));
  }
}

}  // namespace torqued::server
