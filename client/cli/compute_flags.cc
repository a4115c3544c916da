#include "client/cli/compute_flags.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "client/cli/errors.h"
#include "client/cli/formats/number_text.h"
#include "client/cli/number_lists.h"
#include "server/flags/near_names.h"
#include "server/flags/options.h"

namespace torqued::cli {
namespace {

constexpr std::string_view kCanonical = "canonical";

constexpr std::array<const char*, 3> kReferenceFrames = {
    "local", "local_world_aligned", "world"};

void AddFrame(CLI::App* command, const std::string& flag, std::string* name,
              const std::string& help) {
  flags::OneOf(command->add_option(flag, *name, help),
               {kReferenceFrames.begin(), kReferenceFrames.end()});
}

std::vector<v1::TaskAxis> ParseAxes(const std::string& text) {
  constexpr std::array<std::pair<std::string_view, v1::TaskAxis>, 6> kAxes = {
      {{"ax", v1::TASK_AXIS_ANGULAR_X},
       {"ay", v1::TASK_AXIS_ANGULAR_Y},
       {"az", v1::TASK_AXIS_ANGULAR_Z},
       {"lx", v1::TASK_AXIS_LINEAR_X},
       {"ly", v1::TASK_AXIS_LINEAR_Y},
       {"lz", v1::TASK_AXIS_LINEAR_Z}}};
  std::vector<v1::TaskAxis> axes;
  for (const std::string& name : SplitList(text, ',')) {
    const auto* found =
        std::find_if(kAxes.begin(), kAxes.end(),
                     [&name](const auto& axis) { return axis.first == name; });
    if (found == kAxes.end()) {
      throw UsageError("--axes",
                       "'" + name + "' is none of ax, ay, az, lx, ly, lz");
    }
    if (std::find(axes.begin(), axes.end(), found->second) != axes.end()) {
      throw UsageError("--axes", "'" + name + "' is named twice");
    }
    axes.push_back(found->second);
  }
  return axes;
}

}  // namespace

bool IsReferenceFrame(const std::string& name) {
  return std::find(kReferenceFrames.begin(), kReferenceFrames.end(), name) !=
         kReferenceFrames.end();
}

std::vector<std::string> NearReferenceFrames(const std::string& name) {
  const std::vector<std::string> known(kReferenceFrames.begin(),
                                       kReferenceFrames.end());
  return flags::NearNames(name, known);
}

v1::ReferenceFrame ParseFrame(const std::string& name) {
  if (name == "world") return v1::REFERENCE_FRAME_WORLD;
  if (name == "local_world_aligned") {
    return v1::REFERENCE_FRAME_LOCAL_WORLD_ALIGNED;
  }
  return v1::REFERENCE_FRAME_LOCAL;
}

void AddModelFlags(CLI::App* command, ModelFlags* flags) {
  command
      ->add_option("--model,-m", flags->model,
                   "Model reference: NAME, NAME@REVISION, NAME@LABEL, "
                   "@REVISION; with a local server also a URDF file")
      ->required();
  command->add_option("--joints", flags->joints,
                      "Joint order of plain columns and of the output: "
                      "a,b,c or `canonical`");
}

std::vector<std::string> JointOrder(const ModelFlags& flags) {
  if (flags.joints == kCanonical) return {};
  return SplitList(flags.joints, ',');
}

namespace {

void ApplyPayload(const TermFlags& flags, client::ComputeOptions* options) {
  if (flags.payload.empty()) {
    if (flags.payload_frame.empty()) return;
    throw UsageError("--payload-frame", "needs --payload");
  }
  const std::vector<double> numbers = ParseNumbers("--payload", flags.payload);
  if (numbers.size() != 1 && numbers.size() != 4 && numbers.size() != 10) {
    throw UsageError("--payload", "takes 1, 4 or 10 numbers");
  }
  v1::Payload& payload = *options->options.mutable_payload();
  payload.set_frame(flags.payload_frame);
  payload.set_mass(numbers[0]);
  if (numbers.size() >= 4) {
    payload.mutable_center_of_mass()->Add(&numbers[1], &numbers[1] + 3);
  }
  if (numbers.size() == 10) {
    payload.mutable_inertia()->Add(&numbers[4], &numbers[4] + 6);
  }
}

}  // namespace

void AddTermFlags(CLI::App* command, TermFlags* flags) {
  command->add_option("--gravity", flags->gravity,
                      "Gravitational acceleration x,y,z in base axes, m/s^2 "
                      "(default: the model's)");
  command->add_flag("--viscous", flags->viscous,
                    "Add the model's viscous friction");
  command->add_flag("--coulomb", flags->coulomb,
                    "Add the model's Coulomb friction");
  command->add_option("--coulomb-smoothing", flags->coulomb_smoothing,
                      "With --coulomb: F tanh(v/e) with this velocity e, rad/s "
                      "or m/s, instead of F sgn(v)");
  command->add_option("--payload", flags->payload,
                      "Carried body: mass[,x,y,z[,ixx,ixy,ixz,iyy,iyz,izz]] in "
                      "kg, m, kg m^2; inertia about the centre of mass x,y,z");
  command->add_option("--payload-frame", flags->payload_frame,
                      "Frame that carries it (link name; default: the tip)");
}

void Apply(const TermFlags& flags, client::ComputeOptions* options) {
  v1::Terms& terms = *options->options.mutable_terms();
  terms.set_viscous_friction(flags.viscous);
  terms.set_coulomb_friction(flags.coulomb);
  terms.set_coulomb_smoothing(flags.coulomb_smoothing);
  ApplyPayload(flags, options);
  if (flags.gravity.empty()) return;
  const std::vector<double> gravity = ParseNumbers("--gravity", flags.gravity);
  if (gravity.size() != 3) {
    throw UsageError("--gravity", "takes 3 numbers x,y,z");
  }
  terms.mutable_gravity()->Add(gravity.begin(), gravity.end());
}

void AddPrecisionFlags(CLI::App* command, PrecisionFlags* flags) {
  flags::OneOf(
      command->add_option("--precision", flags->precision,
                          "Compute in double or in single precision (default: "
                          "double)"),
      {"double", "single"});
}

void Apply(const PrecisionFlags& flags, client::ComputeOptions* options) {
  options->options.set_precision(flags.precision == "single"
                                     ? v1::PRECISION_SINGLE
                                     : v1::PRECISION_DOUBLE);
}

void AddTipFlags(CLI::App* command, TipFlags* flags) {
  command->add_option("--tip", flags->tip,
                      "Tip frame (link name; default: the model's)");
}

void Apply(const TipFlags& flags, client::ComputeOptions* options) {
  options->options.set_tip_frame(flags.tip);
}

void AddWrenchFlags(CLI::App* command, WrenchFlags* flags) {
  command
      ->add_option("--wrench", flags->wrench,
                   "Wrench that the tip exerts on the environment: moment, "
                   "then force, 6 numbers; one row or one per state, like --q")
      ->allow_extra_args(false);
  AddFrame(command, "--wrench-frame", &flags->wrench_frame,
           "Reference frame of --wrench (default: local)");
}

void Apply(const WrenchFlags& flags, client::States* states,
           client::ComputeOptions* options) {
  if (flags.wrench.empty()) return;
  states->tip_wrench_on_environment = ParseBatch("--wrench", flags.wrench);
  options->tip_wrench_reference_frame = ParseFrame(flags.wrench_frame);
}

void AddTaskFlags(CLI::App* command, TaskFlags* flags) {
  AddFrame(command, "--frame", &flags->frame,
           "Reference frame of what refers to the tip (default: local)");
  command->add_option("--axes", flags->axes,
                      "Task axes in this order, of ax,ay,az,lx,ly,lz "
                      "(default: all)");
  command->add_option("--damped", flags->damping,
                      "Singular rows: (W + mu^2 1)^-1 with this mu instead of "
                      "the range-restricted inertia");
  command->add_option("--rank-tolerance", flags->rank_tolerance,
                      "Least singular value beside the norm of the frame's "
                      "Jacobian (default: the server's, 1e-6)");
  command->add_option("--length", flags->length,
                      "Length that makes linear and angular rows comparable, "
                      "m, from 1e-30 to 1e30 (default: the server's, 1)");
}

void Apply(const TaskFlags& flags, client::ComputeOptions* options) {
  options->options.set_reference_frame(ParseFrame(flags.frame));
  v1::OperationalSpaceOptions& task = options->operational_space;
  for (const v1::TaskAxis axis : ParseAxes(flags.axes)) task.add_axes(axis);
  // The server's word for it is that of its own field.
  if (flags.damping && !(std::isfinite(*flags.damping) && *flags.damping > 0)) {
    throw UsageError("--damped", "needs a finite number above 0, not " +
                                     ShortestText(*flags.damping));
  }
  if (flags.damping) {
    task.set_singularity(v1::SINGULARITY_RULE_DAMPED);
    task.set_damping(*flags.damping);
  }
  if (flags.rank_tolerance) task.set_rank_tolerance(*flags.rank_tolerance);
  if (flags.length) task.set_characteristic_length(*flags.length);
  task.set_sigma_min(true);  // every form of output shows it
}

}  // namespace torqued::cli
