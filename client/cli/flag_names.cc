#include "client/cli/flag_names.h"

#include <CLI/CLI.hpp>

#include <array>
#include <functional>
#include <vector>

namespace torqued::cli {
namespace {

struct Naming {
  std::string_view field;
  std::string_view flag;
};

/// The longest field that fits counts, and of its flags the first that the
/// command has.
constexpr auto kNamings = std::to_array<Naming>({
    {"q", "--q"},
    {"v", "--v"},
    {"a", "--a"},
    {"tau", "--tau"},
    {"base_twist", "--base-twist"},
    {"base_acceleration", "--base-acceleration"},
    {"gravity", "--gravity"},
    {"external_wrenches_on_robot", "--external-wrench"},
    {"task_acceleration", "--task-acceleration"},
    {"null_space_torque", "--null-space-torque"},
    {"tip_wrench_on_environment.reference_frame", "--wrench-frame"},
    {"tip_wrench_on_environment", "--wrench"},
    {"tip_wrench_on_environment.wrench", "--wrench"},
    {"tip_wrench_reference_frame", "--wrench-frame"},
    {"options.default_tip", "--tip"},
    {"options.external_wrenches", "--external-wrench"},
    {"options.joint_names", "--joints"},
    {"options.payload.frame", "--payload-frame"},
    {"options.payload", "--payload"},
    {"options.precision", "--precision"},
    {"options.reference_frame", "--frame"},
    {"options.terms.coulomb_smoothing", "--coulomb-smoothing"},
    {"options.terms.gravity", "--gravity"},
    {"options.tip_frame", "--tip"},
    {"operational_space.axes", "--axes"},
    {"operational_space.characteristic_length", "--length"},
    {"operational_space.damping", "--damped"},
    {"operational_space.rank_tolerance", "--rank-tolerance"},
    {"quantities", "QUANTITY"},
    {"position_limits", "--limits"},
    {"drives", "--limits"},
    {"derating", "--derate"},
    {"derive", "--derive"},
    {"merge_gap", "--gap"},
    {"model", "--model"},
    {"model", "REF"},
    {"expected_current", "--expect"},
    {"tls_ca", "--tls-ca"},
    {"tls_cert", "--tls-cert"},
    {"tls_key", "--tls-key"},
    {"token_file", "--token-file"},
    {"label", "--label"},
    {"name", "--name"},
    {"name", "NAME"},
    {"source", "FILE"},
});

/// Whether the path is the field or leads on from it.
bool LeadsFrom(std::string_view field, std::string_view path) {
  if (!path.starts_with(field)) return false;
  path.remove_prefix(field.size());
  return path.empty() || path.front() == '.' || path.front() == '[' ||
         path.front() == ':';
}

/// States may stand in a file.
bool IsState(std::string_view flag) {
  return flag == "--q" || flag == "--v" || flag == "--a" || flag == "--tau";
}

}  // namespace

FlagNames::FlagNames(const CLI::App& app) {
  const CLI::App* command = &app;
  for (auto below = command->get_subcommands(); !below.empty();
       below = command->get_subcommands()) {
    command = below.front();
  }
  std::vector<const CLI::Option*> options = command->get_options();
  // The global flags.
  const std::vector<const CLI::Option*> global = app.get_options();
  options.insert(options.end(), global.begin(), global.end());
  for (const CLI::Option* option : options) {
    const bool is_file =
        option->get_name() == "--states" || option->get_name() == "FILE";
    flags_.emplace(option->get_name(), is_file && option->count() > 0
                                           ? option->results().front()
                                           : "");
  }
}

std::string FlagNames::Of(std::string_view field) const {
  std::string_view path = field;
  for (const std::string_view message : {"start.", "chunk.", "samples."}) {
    if (path.starts_with(message)) path.remove_prefix(message.size());
  }
  const Naming* found = nullptr;
  for (const Naming& naming : kNamings) {
    if (!LeadsFrom(naming.field, path)) continue;
    if (IsState(naming.flag)) {
      for (const char* const file : {"--states", "FILE"}) {
        const auto given = flags_.find(file);
        if (given != flags_.end() && !given->second.empty()) {
          return given->second + ": " + std::string(path);
        }
      }
    }
    const bool known = flags_.contains(naming.flag);
    if (known &&
        (found == nullptr || naming.field.size() > found->field.size())) {
      found = &naming;
    }
  }
  if (found == nullptr) return std::string(field);
  std::string_view rest = path.substr(found->field.size());
  const auto given = flags_.find(found->flag);
  const bool is_file = given != flags_.end() && !given->second.empty();
  std::string name = is_file ? given->second : std::string(found->flag);
  if (rest.starts_with('.')) {
    name += ' ';
    rest.remove_prefix(1);
  }
  return name.append(rest);
}

}  // namespace torqued::cli
