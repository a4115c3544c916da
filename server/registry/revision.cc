#include "server/registry/revision.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <initializer_list>
#include <utility>

#include "core/dynamics/singular_joint.h"
#include "core/formats/urdf.h"
#include "core/lanes/doubtful_in_single.h"
#include "core/model/text.h"

namespace torqued::server {
namespace {

constexpr std::string_view kFixedPart =
    "base=fixed;mimic=independent;validation=";
constexpr std::string_view kTipPart = ";tip=";

std::string Sha256OfAll(std::initializer_list<std::string_view> pieces) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(
      EVP_MD_CTX_new(), EVP_MD_CTX_free);
  bool good = context != nullptr &&
              EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
  for (const std::string_view piece : pieces) {
    good = good &&
           EVP_DigestUpdate(context.get(), piece.data(), piece.size()) == 1;
  }
  std::array<unsigned char, 32> digest;
  // OpenSSL fails here only without memory or without SHA-256. Any digest that
  // we could return then would name content that it does not identify.
  if (!good || EVP_DigestFinal_ex(context.get(), digest.data(), nullptr) != 1) {
    std::abort();
  }
  std::string hex;
  for (const unsigned char byte : digest) {
    for (const int digit : {byte >> 4, byte & 15}) {
      hex += "0123456789abcdef"[digit];
    }
  }
  return hex;
}

std::string LengthOf(std::string_view part) {
  std::string length;
  for (std::size_t i = 0; i < 8; ++i) {
    length += static_cast<char>(std::uint64_t{part.size()} >> 8 * i);
  }
  return length;
}

// "the first error (line 7) and 3 more errors"
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
void Parse(LoadedRevision& revision, const std::function<bool()>& cancelled) {
  if (revision.format != "urdf") {
    revision.problem = "unknown format " + Quoted(revision.format) +
                       "; this version reads 'urdf'";
    return;
  }
  BuildOptions options;
  options.default_tip = revision.options->default_tip;
  options.validation = revision.options->validation;
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

std::string RegistrationOptions::Canonical() const {
  return Cat(kFixedPart, ToString(validation), kTipPart, default_tip);
}

std::optional<RegistrationOptions> RegistrationOptions::FromCanonical(
    std::string_view canonical) {
  if (!canonical.starts_with(kFixedPart)) return std::nullopt;
  canonical.remove_prefix(kFixedPart.size());
  const std::size_t end = canonical.find(kTipPart);
  if (end == std::string_view::npos) return std::nullopt;
  const auto validation = FindValidation(canonical.substr(0, end));
  if (!validation) return std::nullopt;
  // Last, because a link name may hold any character.
  canonical.remove_prefix(end + kTipPart.size());
  return RegistrationOptions{.default_tip = std::string(canonical),
                             .validation = *validation};
}

std::string ComputeRevision(std::string_view format, std::string_view source,
                            std::string_view canonical_options) {
  return Sha256OfAll({LengthOf(kRevisionLayout), kRevisionLayout,
                      LengthOf(format), format, LengthOf(source), source,
                      LengthOf(canonical_options), canonical_options});
}

std::string ComputeRevision(std::string_view format, std::string_view source,
                            const RegistrationOptions& options) {
  return ComputeRevision(format, source, options.Canonical());
}

std::string Sha256Hex(std::string_view bytes) { return Sha256OfAll({bytes}); }

RevisionSummary LoadedRevision::Summary() const {
  return {.format = format,
          .nq = model == nullptr ? 0 : model->nq(),
          .nv = model == nullptr ? 0 : model->nv(),
          .problem = problem};
}

LoadedPointer LoadRevision(std::string_view format, std::string source,
                           const RegistrationOptions& options,
                           const std::function<bool()>& cancelled) {
  auto loaded = std::make_shared<LoadedRevision>();
  loaded->revision = ComputeRevision(format, source, options);
  loaded->format = format;
  loaded->source = std::move(source);
  loaded->options = options;
  Parse(*loaded, cancelled);
  return loaded;
}

LoadedPointer LoadFromStore(StoredRevision stored) {
  auto loaded = std::make_shared<LoadedRevision>();
  const bool whole = ComputeRevision(stored.format, stored.source,
                                     stored.options) == stored.revision;
  loaded->revision = std::move(stored.revision);
  if (!whole) {
    loaded->problem =
        "the content does not match its revision: the model store is damaged";
    return loaded;
  }
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
  Parse(*loaded, {});
  if (loaded->model == nullptr) {
    loaded->problem = "it does not load in this version: " + loaded->problem;
  }
  return loaded;
}

}  // namespace torqued::server
