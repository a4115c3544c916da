// From links and joints to a validated Model.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/model/description.h"
#include "core/model/lint.h"
#include "core/model/model.h"

namespace torqued {

struct BuildOptions {
  /// Link used as tip where a call names none; empty: the only leaf link.
  std::string default_tip = {};
  /// Whether mass properties that no body has are errors.
  Validation validation = Validation::kDefault;
  /// Called by the loading thread before each of these states, if given; true
  /// cancels the loading.
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

/// Collects a description; Build validates the whole of it and reports every
/// finding, not only the first. Links and joints may come in any order. Any
/// values may be given: what is wrong with them is a finding, never undefined
/// behaviour.
class ModelBuilder {
 public:
  /// `line`: where the robot itself stands in its source, 1-based; 0: nowhere.
  explicit ModelBuilder(std::string robot_name, int line = 0)
      : name_(std::move(robot_name)), line_(line) {}

  void AddLink(LinkDescription link) { links_.push_back(std::move(link)); }
  void AddJoint(JointDescription joint) { joints_.push_back(std::move(joint)); }
  /// For the findings of the reader of the source; part of the final report.
  LintReport& report() { return report_; }
  /// Of the random states at which the model is checked.
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
