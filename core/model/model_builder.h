// From links and joints to a validated Model.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/model/description.h"
#include "core/model/lint.h"
#include "core/model/model.h"

namespace torqued {

struct BuildOptions {
  /// Link used as tip where a call names none; empty: the only leaf link.
  std::string default_tip = {};
  /// Physical doubts (triangle inequality) refuse the model.
  bool strict = false;
  /// Most degrees of freedom: what works on a model takes memory that grows
  /// with their square.
  int max_dof = 1024;
};

struct LoadResult {
  /// Null exactly when the report has errors.
  std::shared_ptr<const Model> model;
  LintReport report;
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

  /// May be called once.
  LoadResult Build(const BuildOptions& options = {});

 private:
  std::string name_;
  int line_;
  std::vector<LinkDescription> links_;
  std::vector<JointDescription> joints_;
  LintReport report_;
};

}  // namespace torqued
