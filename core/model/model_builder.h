// From links and joints to a validated Model.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/model/description.h"
#include "core/model/lint.h"
#include "core/model/model.h"
#include "core/model/precision_choice.h"
#include "core/model/regularity.h"
#include "core/model/validation.h"

namespace torqued {

struct BuildOptions {
  /// Link used as tip where a call names none; empty: the only leaf link.
  std::string default_tip = {};
  /// Whether mass properties that no body has refuse the model.
  Validation validation = Validation::kDefault;
  /// By what rule kLenient knows a regular mass matrix: SingularJoint of
  /// core/dynamics/singular_joint.h. Without one, kLenient is as kDefault.
  SingularJointRule singular_joint = nullptr;
  /// By what rule a model is known that is computed in double precision where
  /// single is asked for: DoubtfulInSingle of core/lanes/doubtful_in_single.h.
  /// Without one, no model is.
  PrecisionDoubt doubtful_in_single = nullptr;
  /// Asked by the same thread now and then, if given; true ends the loading.
  std::function<bool()> cancelled = {};
  /// Most degrees of freedom: what works on a model takes memory that grows
  /// with their square.
  int max_dof = 1024;
};

struct LoadResult {
  /// Null exactly when the report has errors, or the loading was cancelled.
  std::shared_ptr<const Model> model;
  LintReport report;
  bool cancelled = false;
};

/// Collects a description; Build validates the whole of it and reports every
/// finding, not only the first. Links and joints may come in any order. Any
/// values may be given: what is wrong with them is a finding, never undefined
/// behaviour.
class ModelBuilder {
 public:
  /// `line`: where the robot itself stands in its source, 1-based; 0: nowhere.
  explicit ModelBuilder(std::string robot_name, int line = 0);

  void AddLink(LinkDescription link);
  void AddJoint(JointDescription joint);
  /// For the findings of whoever reads the source; part of the final report.
  LintReport& report() { return report_; }
  void AddFinding(Finding finding);
  /// Of the random states at which the mass matrix is looked at.
  void SetSeed(std::uint64_t seed) { seed_ = seed; }

  /// May be called once.
  LoadResult Build(const BuildOptions& options = {});

 private:
  std::string name_;
  int line_;
  std::vector<LinkDescription> links_;
  std::vector<JointDescription> joints_;
  LintReport report_;
  std::uint64_t seed_ = 0;
};

}  // namespace torqued
