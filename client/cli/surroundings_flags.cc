#include "client/cli/surroundings_flags.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <string_view>

#include "client/cli/compute_flags.h"
#include "client/cli/errors.h"
#include "client/cli/number_lists.h"

namespace torqued::cli {
namespace {

constexpr const char* kWrench = "--external-wrench";

// "FRAME" or "FRAME:REFERENCE".
v1::WrenchPlace PlaceOf(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon != std::string_view::npos) {
    const std::string reference(text.substr(colon + 1));
    if (IsReferenceFrame(reference)) {
      v1::WrenchPlace place;
      place.set_frame(std::string(text.substr(0, colon)));
      place.set_reference_frame(ParseFrame(reference));
      return place;
    }
  }
  v1::WrenchPlace place;
  place.set_frame(std::string(text));
  return place;
}

void AddWrench(const std::string& text, client::States* states,
               client::ComputeOptions* options) {
  // Numbers have none; names of links may.
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos) {
    throw UsageError(kWrench, "takes FRAME[:REFERENCE]=NUMBERS");
  }
  const client::Batch wrench = ParseBatch(kWrench, {text.substr(equals + 1)});
  if (wrench.cols() != 6) {
    throw UsageError(kWrench, "takes 6 numbers, moment and force");
  }
  *options->options.add_external_wrenches() =
      PlaceOf(std::string_view(text).substr(0, equals));

  const client::Batch before = std::move(states->external_wrenches_on_robot);
  const Eigen::Index rows = std::max(before.rows(), wrench.rows());
  const auto add = [rows](const client::Batch& batch, auto place) {
    if (batch.rows() != rows && batch.rows() != 1) {
      throw UsageError(kWrench,
                       "is given with " + std::to_string(batch.rows()) +
                           " and with " + std::to_string(rows) + " rows");
    }
    for (Eigen::Index row = 0; row < rows; ++row) {
      place.row(row) = batch.row(batch.rows() == 1 ? 0 : row);
    }
  };
  client::Batch& all = states->external_wrenches_on_robot;
  all.resize(rows, before.cols() + 6);
  if (before.cols() > 0) add(before, all.leftCols(before.cols()));
  add(wrench, all.rightCols(6));
}

/// Says which reference frame was probably meant by a frame that the model
/// lacks. Empty unless what follows the colon is spelt much like a reference
/// frame.
std::string MisspeltReference(const std::string& frame) {
  const std::size_t colon = frame.rfind(':');
  if (colon == std::string::npos) return "";
  const std::string reference = frame.substr(colon + 1);
  const std::vector<std::string> near = NearReferenceFrames(reference);
  if (near.empty()) return "";
  return "the model has no frame '" + frame + "', and '" + reference +
         "' is no reference frame; did you mean " + frame.substr(0, colon + 1) +
         near.front() + "?";
}

}  // namespace

void AddSurroundingsFlags(CLI::App* command, SurroundingsFlags* flags) {
  const auto add = [command](const char* name, std::vector<std::string>* texts,
                             const char* help) {
    command->add_option(name, *texts, help)->allow_extra_args(false);
  };
  add("--base-twist", &flags->base_twist,
      "Twist of a moving base in base axes: angular, then linear, 6 numbers");
  add("--base-acceleration", &flags->base_acceleration,
      "Its rate, without gravity, 6 numbers");
  add("--state-gravity", &flags->gravity,
      "Gravity of each state x,y,z in base axes, m/s^2, instead of --gravity");
  add(kWrench, &flags->external_wrenches,
      "FRAME[:REFERENCE]=NUMBERS: wrench that acts on the robot at a frame, "
      "moment, then force, 6 numbers in the reference frame local (the "
      "default), local_world_aligned or world; may be repeated");
  add("--task-acceleration", &flags->task_acceleration,
      "Wanted acceleration of the task, a number for each of its axes, for "
      "task-torque");
  add("--null-space-torque", &flags->null_space_torque,
      "Joint torques of which task-torque takes what leaves the task alone");
}

void Apply(const SurroundingsFlags& flags, client::States* states,
           client::ComputeOptions* options) {
  states->base_twist = ParseBatch("--base-twist", flags.base_twist);
  states->base_acceleration =
      ParseBatch("--base-acceleration", flags.base_acceleration);
  states->gravity = ParseBatch("--state-gravity", flags.gravity);
  for (const std::string& text : flags.external_wrenches) {
    AddWrench(text, states, options);
  }
  states->task_acceleration =
      ParseBatch("--task-acceleration", flags.task_acceleration);
  states->null_space_torque =
      ParseBatch("--null-space-torque", flags.null_space_torque);
}

void TellReferenceFrame(const client::Error& error,
                        const client::ComputeOptions& options) {
  if (error.reason() != v1::UNKNOWN_FRAME) return;
  for (const client::FieldViolation& violation :
       error.details().field_violations) {
    for (int k = 0; k < options.options.external_wrenches_size(); ++k) {
      if (violation.field !=
          "options.external_wrenches[" + std::to_string(k) + "].frame") {
        continue;
      }
      const std::string problem =
          MisspeltReference(options.options.external_wrenches(k).frame());
      if (!problem.empty()) throw UsageError(kWrench, problem);
    }
  }
}

}  // namespace torqued::cli
