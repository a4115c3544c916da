#include "server/registry/loaded_revision.h"

#include <algorithm>
#include <utility>

#include "core/dynamics/singular_joint.h"
#include "core/formats/urdf.h"
#include "core/lanes/doubtful_in_single.h"
#include "core/model/text.h"

namespace torqued::server {
namespace {

// "the first error (and 3 more errors)"
std::string FirstError(const LintReport& report) {
  const auto findings = report.findings();
  const auto first = std::find_if(
      findings.begin(), findings.end(),
      [](const Finding& f) { return f.severity == Severity::kError; });
  if (first == findings.end()) return "it does not load";
  std::string text = first->message;
  if (first->line > 0) text += " (line " + std::to_string(first->line) + ")";
  if (const int more = report.errors() - 1; more > 0) {
    text += " and " + std::to_string(more) +
            (more == 1 ? " more error" : " more errors");
  }
  return text;
}

// Fills in model, report and problem.
void Parse(LoadedRevision& revision, const RegistrationOptions& registered,
           const std::function<bool()>& cancelled) {
  if (revision.format != "urdf") {
    revision.problem = "unknown format " + Quoted(revision.format) +
                       "; this version reads 'urdf'";
    Finding finding;
    finding.code = LintCode::kNotARobot;
    finding.message = revision.problem;
    revision.report.Add(std::move(finding));
    return;
  }
  BuildOptions options;
  options.default_tip = registered.default_tip;
  options.validation = registered.validation;
  options.singular_joint = SingularJoint;
  options.doubtful_in_single = DoubtfulInSingle;
  options.cancelled = cancelled;
  LoadResult result = LoadUrdf(revision.source, options);
  revision.model = std::move(result.model);
  revision.report = std::move(result.report);
  if (result.cancelled) {
    revision.problem = "loading it was cancelled";
  } else if (revision.model == nullptr) {
    revision.problem = FirstError(revision.report);
  }
}

}  // namespace

std::shared_ptr<const LoadedRevision> LoadRevision(
    std::string_view format, std::string source,
    const RegistrationOptions& options,
    const std::function<bool()>& cancelled) {
  auto loaded = std::make_shared<LoadedRevision>();
  loaded->revision = ComputeRevision(format, source, options);
  loaded->format = format;
  loaded->source = std::move(source);
  loaded->options = options;
  Parse(*loaded, options, cancelled);
  return loaded;
}

LoadedPointer LoadFromStore(StoredRevision stored) {
  if (ComputeRevision(stored.format, stored.source, stored.options) !=
      stored.revision) {
    return Broken(stored.revision,
                  "the content does not match its revision: "
                  "the model store is damaged");
  }
  auto loaded = std::make_shared<LoadedRevision>();
  loaded->revision = std::move(stored.revision);
  loaded->format = std::move(stored.format);
  loaded->source = std::move(stored.source);
  loaded->options = RegistrationOptions::FromCanonical(stored.options);
  if (!loaded->options) {
    loaded->problem =
        "registered with options that this version does not know: " +
        Quoted(stored.options);
    return loaded;
  }
  // Not cancellable: it is for all who ask for the revision.
  Parse(*loaded, *loaded->options, {});
  if (loaded->model == nullptr) {
    loaded->problem = "it does not load in this version: " + loaded->problem;
  }
  return loaded;
}

LoadedPointer Broken(std::string_view revision, std::string problem) {
  auto loaded = std::make_shared<LoadedRevision>();
  loaded->revision = revision;
  loaded->problem = std::move(problem);
  return loaded;
}

RevisionSummary SummaryOf(const LoadedRevision& loaded) {
  RevisionSummary summary{.format = loaded.format, .problem = loaded.problem};
  if (loaded.model != nullptr) {
    summary.nq = loaded.model->nq();
    summary.nv = loaded.model->nv();
  }
  return summary;
}

}  // namespace torqued::server
