#include "server/registry/revision.h"

#include <absl/strings/escaping.h>
#include <openssl/evp.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/base/text.h"
#include "core/formats/urdf.h"

namespace torqued::server {
namespace {

// "the first error (line 7) and 3 more errors"
std::string FirstError(const LintReport& report) {
  const auto findings = report.findings();
  const auto first =
      std::ranges::find(findings, Severity::kError, &Finding::severity);
  if (first == findings.end()) return "it does not load";
  std::string text = first->message;
  if (first->line > 0) text += " (line " + std::to_string(first->line) + ")";
  if (const int more = report.errors() - 1; more > 0) {
    text += " and " + std::to_string(more) +
            (more == 1 ? " more error" : " more errors");
  }
  return text;
}

// Fills in model, report and problem. `before`: of the problem's sentence.
void Parse(LoadedRevision& revision, const std::string& before,
           const std::function<bool()>& cancelled) {
  if (revision.format != "urdf") {
    revision.problem = Cat(before, "unknown format ", Quoted(revision.format),
                           "; this version reads 'urdf'");
    return;
  }
  BuildOptions options;
  options.default_tip = revision.options->default_tip;
  options.validation = revision.options->validation;
  options.cancelled = cancelled;
  LoadResult result = LoadUrdf(revision.source, options);
  revision.model = std::move(result.model);
  revision.report = std::move(result.report);
  if (revision.model != nullptr) return;
  revision.problem = before + (result.cancelled ? "loading it was cancelled"
                                                : FirstError(revision.report));
}

}  // namespace

std::string RegistrationOptions::Canonical() const {
  // The tip is last, because a link name may hold any character.
  return Cat("base=fixed;mimic=independent;validation=", ToString(validation),
             ";tip=", default_tip);
}

std::optional<RegistrationOptions> RegistrationOptions::FromCanonical(
    std::string_view canonical) {
  for (const Validation validation :
       {Validation::kDefault, Validation::kStrict, Validation::kLenient}) {
    RegistrationOptions options{.validation = validation};
    const std::string start = options.Canonical();
    if (!canonical.starts_with(start)) continue;
    options.default_tip = canonical.substr(start.size());
    return options;
  }
  return std::nullopt;
}

std::string ComputeRevision(std::string_view format, std::string_view source,
                            std::string_view canonical_options) {
  std::string text;
  for (const std::string_view part :
       {kRevisionLayout, format, source, canonical_options}) {
    for (std::size_t i = 0; i < 8; ++i) {
      text += static_cast<char>(std::uint64_t{part.size()} >> 8 * i);
    }
    text += part;
  }
  return Sha256Hex(text);
}

std::string ComputeRevision(std::string_view format, std::string_view source,
                            const RegistrationOptions& options) {
  return ComputeRevision(format, source, options.Canonical());
}

std::string Sha256Hex(std::string_view bytes) {
  std::string digest(32, '\0');
  // OpenSSL fails here only without memory or without SHA-256. Any digest that
  // we could return then would name content that it does not identify.
  if (EVP_Digest(bytes.data(), bytes.size(),
                 reinterpret_cast<unsigned char*>(digest.data()), nullptr,
                 EVP_sha256(), nullptr) != 1) {
    std::abort();
  }
  return absl::BytesToHexString(digest);
}

RevisionSummary LoadedRevision::Summary() const {
  return {.format = format,
          .nq = model == nullptr ? 0 : model->nq(),
          .nv = model == nullptr ? 0 : model->nv(),
          .problem = problem};
}

LoadedPointer LoadRevision(std::string_view format, std::string source,
                           const RegistrationOptions& options,
                           const std::function<bool()>& cancelled) {
  LoadedRevision loaded{.revision = ComputeRevision(format, source, options),
                        .format = std::string(format),
                        .source = std::move(source),
                        .options = options};
  Parse(loaded, "", cancelled);
  return std::make_shared<LoadedRevision>(std::move(loaded));
}

LoadedPointer LoadFromStore(StoredRevision stored) {
  LoadedRevision loaded{.revision = std::move(stored.revision)};
  if (ComputeRevision(stored.format, stored.source, stored.options) !=
      loaded.revision) {
    loaded.problem =
        "the content does not match its revision: the model store is damaged";
  } else {
    loaded.format = std::move(stored.format);
    loaded.source = std::move(stored.source);
    loaded.options = RegistrationOptions::FromCanonical(stored.options);
    // Not cancellable: it is for all who ask for the revision.
    if (loaded.options) {
      Parse(loaded, "it does not load in this version: ", {});
    } else {
      loaded.problem =
          "registered with options that this version does not know: " +
          Quoted(stored.options);
    }
  }
  return std::make_shared<LoadedRevision>(std::move(loaded));
}

}  // namespace torqued::server
