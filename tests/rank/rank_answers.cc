// What the core decides about every task of up to three axes of every link of a
// robot, for survey.py.
//
// Usage: rank_answers URDF < STATES
//
// STATES has the names of the joints in its first line and the positions of a
// state in every other. Prints, of each link in each reference frame,
//   J LINK FRAME STATE NUMBER...           the Jacobian
//   T LINK FRAME TARGET PRECISION AXES ANSWER...
// with one ANSWER a state: CODE/RANK, CODE that of the row or OK. Exits with 2,
// and says why, where the robot is refused.
#include <bit>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/engine/evaluation_plan.h"
#include "core/formats/urdf.h"
#include "tests/core/dynamics/robots.h"

namespace torqued::testing_support {
namespace {

const char* CodeOf(const Answers& answers) {
  if (answers.issues.empty()) return "OK";
  switch (answers.issues.front().code) {
    case RowCode::kSingularMassMatrix:
      return "SINGULAR_MASS_MATRIX";
    case RowCode::kSingularTaskSpace:
      return "SINGULAR_TASK_SPACE";
    default:
      return "NOT_EXPECTED";
  }
}

template <class Word>
std::vector<Word> Words(const std::string& line) {
  std::istringstream words(line);
  return {std::istream_iterator<Word>(words), {}};
}

void PrintTask(const std::string& where, std::vector<Setting>& states,
               unsigned axes) {
  TaskOptions task;
  task.axis_count = 0;
  std::string letters;
  for (unsigned axis = 0; axis < 6; ++axis) {
    if ((axes >> axis & 1) == 0) continue;
    letters += static_cast<char>('0' + axis);
    task.axes[task.axis_count++] = static_cast<std::uint8_t>(axis);
  }
  for (const Precision precision : {Precision::kDouble, Precision::kSingle}) {
    for (const SimdKernels* target : Targets()) {
      std::printf("T %s %s %s %s", where.c_str(), target->target,
                  precision == Precision::kDouble ? "double" : "single",
                  letters.c_str());
      for (Setting& state : states) {
        state.options.task = task;
        state.options.precision = precision;
        const Answers answers =
            Ask(state, {Quantity::kOperationalSpace}, *target);
        std::printf(" %s/%d", CodeOf(answers), answers.diagnostics.rank);
      }
      std::printf("\n");
    }
  }
}

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
  std::string line;
  std::getline(std::cin, line);
  EvaluationOptions options;
  options.joint_names = Words<std::string>(line);
  std::vector<Setting> states;
  while (std::getline(std::cin, line)) {
    const auto q = Words<double>(line);
    states.push_back({"", loaded.model, options, {}});
    states.back()[Input::kQ] = Eigen::Map<const Eigen::VectorXd>(
        q.data(), static_cast<Eigen::Index>(q.size()));
  }
  constexpr std::pair<ReferenceFrame, const char*> kFrames[] = {
      {ReferenceFrame::kLocal, "local"},
      {ReferenceFrame::kLocalWorldAligned, "local_world_aligned"},
      {ReferenceFrame::kWorld, "world"}};
  for (const Frame& link : loaded.model->frames()) {
    for (const auto& [frame, name] : kFrames) {
      const std::string where = link.name + " " + name;
      for (std::size_t k = 0; k < states.size(); ++k) {
        states[k].options.tip_frame = link.name;
        states[k].options.reference_frame = frame;
        states[k].options.precision = Precision::kDouble;
        std::printf("J %s %zu", where.c_str(), k);
        const Answers answers =
            Ask(states[k], {Quantity::kJacobian}, BestTarget());
        for (const double x : answers[Output::kJacobian]) {
          std::printf(" %.17g", x);
        }
        std::printf("\n");
      }
      for (unsigned axes = 1; axes < 1 << 6; ++axes) {
        if (std::popcount(axes) <= 3) PrintTask(where, states, axes);
      }
    }
  }
  return 0;
}

}  // namespace
}  // namespace torqued::testing_support

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: rank_answers URDF < STATES\n";
    return 64;
  }
  return torqued::testing_support::Main(arguments[1]);
}
