// Links and joints as a source states them, and the model that follows.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "torqued/core/model/lint.h"
#include "torqued/core/model/model.h"

namespace torqued {

/// Mass properties as URDF states them: about the centre of mass, in the axes
/// of `origin`, which is the pose of the inertial frame in the link frame.
struct LinkInertial {
  Pose origin;
  double mass = 0;                  // kg
  std::array<double, 6> inertia{};  // xx xy xz yy yz zz, kg m²
  int line = 0;
};

struct LinkDescription {
  std::string name;
  std::optional<LinkInertial> inertial;  // absent: massless
  int line = 0;
  /// An error in this link has been reported already: checks that would build
  /// on its values are left out, so that one mistake is not reported twice.
  bool incomplete = false;
};

struct JointDescription : JointProperties {
  /// Those of JointType in their order, and kFixed.
  enum class Type : std::uint8_t { kRevolute, kContinuous, kPrismatic, kFixed };
  struct MimicOf {
    std::string joint;
    double multiplier = 1;
    double offset = 0;  // rad or m
    int line = 0;
  };

  std::string name;
  Type type = Type::kFixed;
  std::string parent;  // link names
  std::string child;
  Pose origin;  // of the joint frame (= child link frame) in the parent link
  std::optional<MimicOf> mimic = {};
  int line = 0;
  int axis_line = 0, limit_line = 0, dynamics_line = 0;  // 0: that of the joint
  /// As in LinkDescription; where it is set, an empty name, parent or child
  /// is one that the source did not give.
  bool incomplete = false;
};

/// A whole robot. Links and joints may come in any order. Any values may be
/// given: what is wrong with them is a finding, never undefined behaviour.
struct RobotDescription {
  std::string name;
  int line = 0;  // of the robot itself in its source, 1-based; 0: nowhere
  std::vector<LinkDescription> links = {};
  std::vector<JointDescription> joints = {};
  /// Findings of the reader of the source, part of the final report.
  LintReport report = {};
  /// Seed of the random states at which kLenient checks the model.
  std::uint64_t seed = 0;
};

struct BuildOptions {
  /// Link used as tip where a call names none; empty: the only leaf link.
  std::string default_tip = {};
  /// Whether mass properties that no body has are errors.
  Validation validation = Validation::kDefault;
  /// Called by the loading thread before each of the states at which kLenient
  /// checks the mass matrix, if given; true cancels the loading.
  std::function<bool()> cancelled = {};
  /// Limit of degrees of freedom: algorithms take memory that grows with their
  /// square.
  int max_dof = 1024;
};

struct LoadResult {
  /// Null exactly when the report has errors, or the loading was cancelled.
  std::shared_ptr<const Model> model;
  LintReport report;
  bool cancelled = false;
};

/// Validates the whole of a description and reports every finding, not only the
/// first.
LoadResult BuildModel(RobotDescription robot, const BuildOptions& options = {});

}  // namespace torqued
