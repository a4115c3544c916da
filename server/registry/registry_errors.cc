#include "server/registry/registry_errors.h"

#include <utility>

#include "core/model/text.h"

namespace torqued::server {
namespace {

using Code = RegistryError::Code;

}  // namespace

RegistryError MakeError(RegistryError::Code code, std::string message,
                        std::string field) {
  return {.code = code,
          .message = std::move(message),
          .field = std::move(field),
          .candidates = {},
          .report = {},
          .setting = {}};
}

RegistryError FromStore(const StoreError& error) {
  return MakeError(Code::kStoreUnavailable,
                   "the model store failed: " + error.message);
}

RegistryError Conflict(std::string_view name, const std::string& expected,
                       const std::string& current) {
  std::string message = "model " + Quoted(name);
  if (current.empty()) {
    message += " does not exist, expected_current is " + Quoted(expected);
  } else if (expected.empty()) {
    message += " exists already, at revision " + current;
  } else {
    message += " is at revision " + current + ", expected_current is " +
               Quoted(expected);
  }
  RegistryError error =
      MakeError(Code::kConflict, std::move(message), "expected_current");
  if (!current.empty()) error.candidates.push_back(current);
  return error;
}

RegistryError Full(const QuotaReached& quota) {
  const bool models = quota.of == QuotaReached::Of::kModels;
  RegistryError error = MakeError(
      Code::kQuota, Cat("the model store is full: it takes at most ",
                        std::to_string(quota.limit),
                        models ? " models (max-models)" : " labels of a model",
                        "; delete models that are not needed"));
  error.limit = quota.limit;
  if (models) error.setting = "max-models";
  return error;
}

RegistryError NotFound(const ModelReference& reference) {
  using Kind = ModelReference::Kind;
  if (reference.kind == Kind::kPrefix) {
    return MakeError(
        Code::kNotFound,
        "no model has a revision that starts with " + reference.prefix);
  }
  return MakeError(
      Code::kNotFound,
      "model " + Quoted(reference.name) +
          (reference.kind == Kind::kNameLabel
               ? " has no label " + Quoted(reference.label)
               : " has had no revision that starts with " + reference.prefix));
}

RegistryError Ambiguous(std::string_view prefix,
                        std::vector<std::string> candidates) {
  const bool more = candidates.size() > kMostCandidates;
  if (more) candidates.resize(kMostCandidates);
  std::string message = "revision prefix " + std::string(prefix) + " fits " +
                        (more ? "more than " : "") +
                        std::to_string(candidates.size()) + " revisions:";
  for (const std::string& candidate : candidates) message += ' ' + candidate;
  RegistryError error = MakeError(Code::kAmbiguous, std::move(message));
  error.candidates = std::move(candidates);
  return error;
}

RegistryError NotAdmitted() {
  return MakeError(Code::kNotAdmitted,
                   "there is no room to load the model now");
}

}  // namespace torqued::server
