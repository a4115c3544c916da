// Options that computing commands have in common.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/cpp/states.h"

namespace CLI {
class App;
}  // namespace CLI

namespace torqued::cli {

/// Names of reference frames on the command line.
bool IsReferenceFrame(const std::string& name);
/// The names of reference frames that are spelt much like `name`.
std::vector<std::string> NearReferenceFrames(const std::string& name);
/// The reference frame that IsReferenceFrame knows by `name`.
v1::ReferenceFrame ParseFrame(const std::string& name);

struct ModelFlags {
  std::string model;
  std::string joints;  // "a,b,c", "canonical", or empty
};
void AddModelFlags(CLI::App* command, ModelFlags* flags);

/// The names of --joints; empty for canonical order, asked for or not.
std::vector<std::string> JointOrder(const ModelFlags& flags);

struct TermFlags {
  std::string gravity;
  bool viscous = false;
  bool coulomb = false;
  double coulomb_smoothing = 0;
  std::string payload;
  std::string payload_frame;
};
void AddTermFlags(CLI::App* command, TermFlags* flags);
void Apply(const TermFlags& flags, client::ComputeOptions* options);

struct PrecisionFlags {
  std::string precision = "double";
};
void AddPrecisionFlags(CLI::App* command, PrecisionFlags* flags);
void Apply(const PrecisionFlags& flags, client::ComputeOptions* options);

struct TipFlags {
  std::string tip;
};
void AddTipFlags(CLI::App* command, TipFlags* flags);
void Apply(const TipFlags& flags, client::ComputeOptions* options);

/// Of the tip's wrench.
struct WrenchFlags {
  std::vector<std::string> wrench;
  std::string wrench_frame = "local";
};
void AddWrenchFlags(CLI::App* command, WrenchFlags* flags);
void Apply(const WrenchFlags& flags, client::States* states,
           client::ComputeOptions* options);

/// Of a task at the tip.
struct TaskFlags {
  std::string frame = "local";
  std::string axes;
  std::optional<double> damping;
  std::optional<double> rank_tolerance;
  std::optional<double> length;
};
void AddTaskFlags(CLI::App* command, TaskFlags* flags);
void Apply(const TaskFlags& flags, client::ComputeOptions* options);

}  // namespace torqued::cli
