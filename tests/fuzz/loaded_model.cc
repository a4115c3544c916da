#include "tests/fuzz/loaded_model.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/text.h"
#include "core/engine/evaluate_rows.h"
#include "core/engine/evaluation_plan.h"
#include "tests/fuzz/require.h"

namespace torqued::fuzz {
namespace {

constexpr std::int64_t kStates = 2;

bool IsClean(std::string_view text) {
  return FindInvalidUtf8(text) == std::string_view::npos &&
         std::none_of(text.begin(), text.end(),
                      [](unsigned char c) { return c < 0x20 || c == 0x7F; });
}

/// What concerns the source as a whole, or the options, has no line.
bool MayLackLine(std::string_view source, const Finding& finding) {
  switch (finding.code) {
    case LintCode::kSourceTooLarge:
    case LintCode::kUnknownTip:
      return true;
    case LintCode::kMalformedXml:
    case LintCode::kNotARobot:
      return source.find('<') == std::string_view::npos ||
             finding.message.find("has no element") != std::string::npos ||
             finding.message.find("is empty") != std::string::npos;
    default:
      return false;
  }
}

void CheckFinding(std::string_view source, int lines, const Finding& finding) {
  const std::string& message = finding.message;
  FUZZ_REQUIRE(ToString(finding.code) != "unknown", message);
  FUZZ_REQUIRE(ToString(finding.severity) != "unknown", message);
  FUZZ_REQUIRE(!message.empty(), ToString(finding.code));
  FUZZ_REQUIRE(message.size() <= 2100, message);
  FUZZ_REQUIRE(message.ends_with('.') || message.ends_with('?') ||
                   message.ends_with("..."),
               message);
  FUZZ_REQUIRE(IsClean(message), message);
  FUZZ_REQUIRE(IsClean(finding.joint) && IsClean(finding.link), message);
  FUZZ_REQUIRE(finding.joint.size() <= 300 && finding.link.size() <= 300,
               message);
  FUZZ_REQUIRE(finding.line >= 0 && finding.line <= lines, message);
  FUZZ_REQUIRE(finding.line > 0 || MayLackLine(source, finding), message);
  const auto more = static_cast<int>(finding.more_places.size());
  FUZZ_REQUIRE(more <= std::min(finding.count - 1, LintReport::kMaxMorePlaces),
               message);
  FUZZ_REQUIRE(finding.count == 1 || finding.severity != Severity::kError,
               message);
  for (const FoundPlace& place : finding.more_places) {
    FUZZ_REQUIRE(IsClean(place.joint) && IsClean(place.link), message);
    FUZZ_REQUIRE(place.joint.size() <= 300 && place.link.size() <= 300,
                 message);
    FUZZ_REQUIRE(place.line > 0 && place.line <= lines, message);
  }
}

bool Same(const Finding& a, const Finding& b) {
  return a.severity == b.severity && a.code == b.code && a.joint == b.joint &&
         a.link == b.link && a.line == b.line && a.message == b.message &&
         a.count == b.count && a.more_places == b.more_places;
}

bool AllFinite(const std::vector<double>& numbers, std::size_t first,
               std::size_t count) {
  const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(first);
  return std::all_of(begin, begin + static_cast<std::ptrdiff_t>(count),
                     [](double x) { return std::isfinite(x); });
}

EvaluationPlan PlanFor(const std::shared_ptr<const Model>& model,
                       const std::vector<double>& numbers) {
  const int n = model->nv();
  EvaluationInputs inputs;
  const InputArray states{.data = numbers.data(),
                          .type = NumberType::kF64,
                          .rows = n == 0 ? 0 : kStates,
                          .columns = n};
  inputs.q = inputs.v = inputs.a = inputs.tau = states;
  EvaluationOptions options;
  options.quantities = {
      Quantity::kInverseDynamics, Quantity::kMassMatrix,
      Quantity::kForwardDynamics, Quantity::kBiasForces,
      Quantity::kFramePose,       Quantity::kJacobian,
      Quantity::kJacobianDrift,   Quantity::kOperationalSpace};
  options.terms.viscous_friction = options.terms.coulomb_friction = true;
  options.tip_frame = model->frames().back().name;
  auto plan = EvaluationPlan::Create(model, options, inputs);
  if (const auto* error = std::get_if<ArgumentError>(&plan)) {
    FUZZ_REQUIRE(!"a plan for a loaded model", error->message);
  }
  return std::get<EvaluationPlan>(std::move(plan));
}

}  // namespace

void CheckLoadResult(std::string_view source, const LoadResult& result) {
  const LintReport& report = result.report;
  FUZZ_REQUIRE((result.model == nullptr) == (report.errors() > 0), source);
  const int lines =
      1 + static_cast<int>(std::count(source.begin(), source.end(), '\n'));
  int counts[3] = {0, 0, 0}, listed[3] = {0, 0, 0};
  for (const Finding& finding : report.findings()) {
    CheckFinding(source, lines, finding);
    counts[static_cast<int>(finding.severity)] += finding.count;
    ++listed[static_cast<int>(finding.severity)];
  }
  const int all[3] = {report.infos(), report.warnings(), report.errors()};
  for (int k = 0; k < 3; ++k) {
    FUZZ_REQUIRE(counts[k] == all[k] || (counts[k] < all[k] &&
                                         listed[k] == LintReport::kMaxListed),
                 source);
    FUZZ_REQUIRE(listed[k] <= LintReport::kMaxListed, source);
  }
}

void CheckSame(const LoadResult& a, const LoadResult& b) {
  const auto first = a.report.findings(), second = b.report.findings();
  FUZZ_REQUIRE(std::equal(first.begin(), first.end(), second.begin(),
                          second.end(), Same),
               "one source, two reports");
  FUZZ_REQUIRE((a.model == nullptr) == (b.model == nullptr), "");
  if (a.model == nullptr) return;
  FUZZ_REQUIRE(a.model->nv() == b.model->nv(), "");
  FUZZ_REQUIRE(a.model->frames().size() == b.model->frames().size(), "");
  FUZZ_REQUIRE(a.model->tip_frame() == b.model->tip_frame(), "");
}

void CheckEvaluation(const std::shared_ptr<const Model>& model, Bodies bodies) {
  FUZZ_REQUIRE(std::isfinite(model->moving_mass()), model->name());
  // Home, and a state in no special position.
  std::vector<double> numbers(2 * static_cast<std::size_t>(model->nv()), 0.0);
  for (int k = 0; k < model->nv(); ++k) {
    numbers.end()[k - model->nv()] = 0.3 + 0.17 * k - 0.05 * k * k;
  }
  const EvaluationPlan plan = PlanFor(model, numbers);
  const auto rows = static_cast<std::size_t>(plan.rows());

  EvaluationOutputs outputs;
  std::vector<double> results[kOutputCount];
  for (int k = 0; k < kOutputCount; ++k) {
    const auto output = static_cast<Output>(k);
    // One more, so that an empty result has an address too.
    results[k].resize(rows * static_cast<std::size_t>(plan.columns(output)) +
                      1);
    outputs[output] = {results[k].data(), NumberType::kF64};
  }
  std::vector<std::uint32_t> rank(rows);
  std::vector<double> sigma_min(rows);
  std::vector<TaskRule> rule(rows);
  outputs.rank = rank.data();
  outputs.sigma_min = sigma_min.data();
  outputs.rule = rule.data();

  RowWorkspace workspace;
  std::vector<RowIssue> issues;
  EvaluateRows(plan, outputs, BestTarget(), 0, plan.rows(), workspace, issues);

  std::vector<const RowIssue*> issue_of(rows, nullptr);
  for (const RowIssue& issue : issues) {
    FUZZ_REQUIRE(issue.row >= 0 && issue.row < plan.rows(), "");
    issue_of[static_cast<std::size_t>(issue.row)] = &issue;
    const std::string sentence = Describe(plan, issue);
    FUZZ_REQUIRE(!sentence.empty() && IsClean(sentence), sentence);
    FUZZ_REQUIRE(!FieldOf(issue).empty(), sentence);
  }
  for (std::size_t row = 0; row < rows; ++row) {
    const RowIssue* issue = issue_of[row];
    const bool may_be_nan =
        issue != nullptr && issue->code != RowCode::kSingularTaskSpace;
    FUZZ_REQUIRE(issue == nullptr || issue->code != RowCode::kInvalidInput,
                 "all inputs are finite");
    if (may_be_nan) continue;
    for (int k = 0; k < kOutputCount; ++k) {
      const auto output = static_cast<Output>(k);
      const auto columns = static_cast<std::size_t>(plan.columns(output));
      FUZZ_REQUIRE(AllFinite(results[k], row * columns, columns),
                   ToString(output));
    }
    FUZZ_REQUIRE(std::isfinite(sigma_min[row]), "sigma_min");
    FUZZ_REQUIRE(rule[row] != TaskRule::kUndefined, "rule of a row that is OK");
    FUZZ_REQUIRE((rule[row] == TaskRule::kFullRank) == (issue == nullptr),
                 "rule and row status");
    const auto n = static_cast<std::size_t>(model->nv());
    const double* M =
        results[static_cast<int>(Output::kMassMatrix)].data() + row * n * n;
    for (std::size_t i = 0; i < n; ++i) {
      FUZZ_REQUIRE(M[i * n + i] > 0 || bodies == Bodies::kAny,
                   "a joint that moves no mass");
      for (std::size_t j = 0; j < i; ++j) {
        FUZZ_REQUIRE(M[i * n + j] == M[j * n + i], "M is symmetric");
      }
    }
  }
}

}  // namespace torqued::fuzz
