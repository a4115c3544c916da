// What the core decides about every task of up to three axes of every link of a
// robot, for survey.py.
//
// Usage: rank_answers URDF < STATES
//
// STATES has the names of the joints in its first line and the positions of a
// state in every other. Prints, of each link in each reference frame,
//   J LINK FRAME STATE NUMBER...           the Jacobian
//   T LINK FRAME TARGET PRECISION AXES ANSWER...
// with one ANSWER a state: CODE/RANK/VALUE, CODE that of the row or OK. Exits
// with 2, and says why, where the robot is refused.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/batch/evaluate_rows.h"
#include "core/formats/urdf.h"
#include "core/lanes/targets.h"

namespace torqued {
namespace {

constexpr std::pair<ReferenceFrame, const char*> kFrames[] = {
    {ReferenceFrame::kLocal, "local"},
    {ReferenceFrame::kLocalWorldAligned, "local_world_aligned"},
    {ReferenceFrame::kWorld, "world"}};

struct States {
  std::vector<std::string> joints;
  std::vector<double> q;
  std::int64_t rows = 0;
};

States ReadStates(std::istream& in) {
  States states;
  std::string line, word;
  std::getline(in, line);
  for (std::istringstream words(line); words >> word;) {
    states.joints.push_back(word);
  }
  while (std::getline(in, line)) {
    for (std::istringstream words(line); words >> word;) {
      states.q.push_back(std::strtod(word.c_str(), nullptr));
    }
    ++states.rows;
  }
  return states;
}

const char* NameOf(RowCode code) {
  switch (code) {
    case RowCode::kInvalidInput:
      return "INVALID_INPUT";
    case RowCode::kSingularMassMatrix:
      return "SINGULAR_MASS_MATRIX";
    case RowCode::kNotFiniteResult:
      return "NOT_FINITE_RESULT";
    case RowCode::kSingularTaskSpace:
      return "SINGULAR_TASK_SPACE";
  }
  return "?";
}

class Survey {
 public:
  Survey(std::shared_ptr<const Model> model, const States& states)
      : model_(std::move(model)), states_(states) {}

  void OfLink(const std::string& link) {
    for (const auto& [reference, name] : kFrames) {
      options_ = {};
      options_.joint_names = states_.joints;
      options_.tip_frame = link;
      options_.reference_frame = reference;
      where_ = link + " " + name;
      PrintJacobians();
      for (int axes = 1; axes < 1 << 6; ++axes) {
        if (__builtin_popcount(static_cast<unsigned>(axes)) <= 3) OfTask(axes);
      }
    }
  }

 private:
  EvaluationPlan Plan() const {
    EvaluationInputs inputs;
    inputs.q = {states_.q.data(), NumberType::kF64, states_.rows,
                static_cast<int>(states_.joints.size())};
    auto plan = EvaluationPlan::Create(model_, options_, inputs);
    if (const auto* error = std::get_if<ArgumentError>(&plan)) {
      std::cerr << error->field << ": " << error->message << "\n";
      std::exit(1);
    }
    return std::get<EvaluationPlan>(std::move(plan));
  }

  void PrintJacobians() {
    options_.quantities = {Quantity::kJacobian};
    const EvaluationPlan plan = Plan();
    const auto columns =
        static_cast<std::size_t>(plan.columns(Output::kJacobian));
    std::vector<double> J(static_cast<std::size_t>(states_.rows) * columns);
    EvaluationOutputs outputs;
    outputs[Output::kJacobian] = {J.data(), NumberType::kF64};
    std::vector<RowIssue> issues;
    EvaluateRows(plan, outputs, BestTarget(), 0, plan.rows(), workspace_,
                 issues);
    for (std::size_t k = 0; k < J.size(); ++k) {
      if (k % columns == 0)
        std::printf("J %s %zu", where_.c_str(), k / columns);
      std::printf(" %.17g", J[k]);
      if ((k + 1) % columns == 0) std::printf("\n");
    }
  }

  void OfTask(int axes) {
    options_.quantities = {Quantity::kOperationalSpace};
    options_.task.axis_count = 0;
    std::string letters;
    for (int axis = 0; axis < 6; ++axis) {
      if ((axes >> axis & 1) == 0) continue;
      letters += static_cast<char>('0' + axis);
      options_.task.axes[static_cast<std::size_t>(options_.task.axis_count++)] =
          static_cast<std::uint8_t>(axis);
    }
    for (const Precision precision : {Precision::kDouble, Precision::kSingle}) {
      options_.precision = precision;
      const EvaluationPlan plan = Plan();
      for (const LaneKernels* target : Targets()) {
        std::printf("T %s %s %s %s", where_.c_str(), target->target,
                    precision == Precision::kDouble ? "double" : "single",
                    letters.c_str());
        Print(plan, *target);
        std::printf("\n");
      }
    }
  }

  void Print(const EvaluationPlan& plan, const LaneKernels& target) {
    const auto rows = static_cast<std::size_t>(plan.rows());
    const auto m = static_cast<std::size_t>(plan.columns(Output::kEta));
    std::vector<double> lambda(rows * m * m), eta(rows * m);
    std::vector<std::uint32_t> rank(rows);
    EvaluationOutputs outputs;
    outputs[Output::kLambda] = {lambda.data(), NumberType::kF64};
    outputs[Output::kEta] = {eta.data(), NumberType::kF64};
    outputs.rank = rank.data();
    std::vector<RowIssue> issues;
    EvaluateRows(plan, outputs, target, 0, plan.rows(), workspace_, issues);
    auto issue = issues.begin();
    for (std::size_t row = 0; row < rows; ++row) {
      const bool ok =
          issue == issues.end() || issue->row != static_cast<std::int64_t>(row);
      std::printf(" %s/%u/%.17g", ok ? "OK" : NameOf(issue->code), rank[row],
                  ok ? 0 : issue->value);
      if (!ok) ++issue;
    }
  }

  const std::shared_ptr<const Model> model_;
  const States& states_;
  EvaluationOptions options_;
  std::string where_;
  RowWorkspace workspace_;
};

int Main(const char* path) {
  std::ifstream file(path);
  const std::string urdf(std::istreambuf_iterator<char>(file), {});
  const LoadResult loaded = LoadUrdf(urdf);
  if (loaded.model == nullptr) {
    for (const Finding& finding : loaded.report.findings()) {
      if (finding.severity != Severity::kError) continue;
      std::cerr << finding.line << ": " << finding.message << "\n";
    }
    return 2;
  }
  const States states = ReadStates(std::cin);
  Survey survey(loaded.model, states);
  for (const Frame& frame : loaded.model->frames()) survey.OfLink(frame.name);
  return 0;
}

}  // namespace
}  // namespace torqued

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: rank_answers URDF < STATES\n";
    return 64;
  }
  return torqued::Main(arguments[1]);
}
