#include "server/services/registry_calls.h"

#include <algorithm>

#include "server/wire/enums.h"
#include "server/wire/model_messages.h"

namespace torqued::server {
namespace {

/// A reply exists beside its serialized form.
constexpr std::int64_t kForms = 2;

/// Of what a reply says of a model: it has the names of the source, 320 bytes
/// for each joint, which takes 64 of the source, and 1024 for each finding.
std::int64_t BytesOfInfo(std::int64_t source_bytes, std::int64_t findings) {
  return kForms * (4096 + source_bytes +
                   320 * std::min<std::int64_t>(10'000, source_bytes / 64) +
                   1024 * std::min<std::int64_t>(1000, findings));
}

/// To parse, the registry's copy, and the reply.
std::int64_t BytesFor(const std::string& source) {
  const auto bytes = static_cast<std::int64_t>(source.size());
  return BytesToLoad(bytes) + bytes + BytesOfInfo(bytes, bytes / 16);
}

/// What registrations and their dry runs share.
template <class Request>
std::optional<Error> Decode(const Request& request, const Handling& handling,
                            RegistrationOptions* options) {
  if (auto error = handling.room->Grow(BytesFor(request.source()))) {
    return error;
  }
  const v1::RegistrationOptions& sent = request.options();
  const struct {
    std::string field;
    int number, known;
    const char* what;
  } kinds[] = {
      {"format", request.format(), v1::MODEL_FORMAT_URDF, "model format"},
      {"options.base", sent.base(), v1::BASE_KIND_FIXED, "base kind"},
      {"options.mimic", sent.mimic(), v1::MIMIC_MODE_INDEPENDENT, "mimic mode"},
  };
  for (const auto& [field, number, known, what] : kinds) {
    if (number == 0 || number == known) continue;
    return FieldError(
        field == "format" ? v1::INVALID_FIELD : v1::INVALID_OPTION, field,
        std::to_string(number) + " is no " + what);
  }
  const auto validation = ToValidation(sent.validation());
  if (!validation) {
    return FieldError(
        v1::INVALID_OPTION, "options.validation",
        std::to_string(sent.validation()) + " is not a Validation");
  }
  options->default_tip = sent.default_tip();
  options->validation = *validation;
  return std::nullopt;
}

}  // namespace

template <>
std::optional<Error> Handle(Registry& registry,
                            const v1::RegisterModelRequest& request,
                            v1::RegisterModelReply* reply, Handling* handling) {
  RegisterRequest registration;
  registration.cancelled = handling->cancelled;
  if (auto error = Decode(request, *handling, &registration.options)) {
    return error;
  }
  registration.name = request.name();
  registration.source = request.source();
  if (request.has_expected_current()) {
    registration.expected_current = request.expected_current();
  }
  registration.label = request.label();
  auto outcome = registry.Register(std::move(registration));
  if (const auto* error = std::get_if<RegistryError>(&outcome)) {
    return ToError(*error);
  }
  const auto& result = std::get<RegisterResult>(outcome);
  FillModelInfo(result.entry, reply->mutable_model());
  reply->set_changed(result.changed());
  handling->change = result.changed() ? "registered" : "already";
  handling->change += " at revision " + reply->model().revision();
  if (result.changed() && !result.before.empty()) {
    handling->change += ", before at " + result.before;
  }
  if (!request.label().empty()) {
    handling->change += ", label " + request.label();
  }
  return std::nullopt;
}

template <>
std::optional<Error> Handle(Registry& /*registry*/,
                            const v1::ValidateModelRequest& request,
                            v1::ValidateModelReply* reply, Handling* handling) {
  RegistrationOptions options;
  if (auto error = Decode(request, *handling, &options)) return error;
  ModelEntry entry;
  entry.loaded =
      LoadRevision("urdf", request.source(), options, handling->cancelled);
  reply->set_valid(entry.loaded->model != nullptr);
  FillReport(entry.loaded->report, reply->mutable_report());
  if (reply->valid()) FillModelInfo(entry, reply->mutable_model());
  return std::nullopt;
}

template <>
std::optional<Error> Handle(Registry& registry,
                            const v1::GetModelRequest& request,
                            v1::GetModelReply* reply, Handling* handling) {
  auto resolved = ResolveModel(registry, request.model(), handling->room);
  if (auto* error = std::get_if<Error>(&resolved)) return std::move(*error);
  const auto& entry = std::get<ModelEntry>(resolved);
  const std::string& source = entry.loaded->source;
  const auto bytes = static_cast<std::int64_t>(source.size());
  const auto findings =
      static_cast<std::int64_t>(entry.loaded->report.findings().size());
  if (auto error =
          handling->room->Grow((request.include_source() ? kForms * bytes : 0) +
                               BytesOfInfo(bytes, findings))) {
    return error;
  }
  FillModelInfo(entry, reply->mutable_model());
  if (request.include_source()) reply->set_source(source);
  return std::nullopt;
}

template <>
std::optional<Error> Handle(Registry& registry,
                            const v1::ListModelsRequest& request,
                            v1::ListModelsReply* reply, Handling* handling) {
  // A page has at most a thousand models.
  if (auto error = handling->room->Grow(kForms * (512 << 10))) return error;
  std::optional<Error> refusal;
  const auto admit = [&](std::int64_t bytes) {
    refusal = handling->room->Grow(BytesToLoad(bytes));
    return !refusal;
  };
  auto listed = registry.List(request.page_size(), request.page_token(),
                              handling->cancelled, admit, handling->may_list);
  if (refusal) return refusal;
  if (const auto* error = std::get_if<RegistryError>(&listed)) {
    return ToError(*error);
  }
  auto& page = std::get<ModelPage>(listed);
  for (const ListedModel& model : page.models) {
    FillSummary(model, reply->add_models());
  }
  reply->set_next_page_token(std::move(page.next_page_token));
  return std::nullopt;
}

template <>
std::optional<Error> Handle(Registry& registry,
                            const v1::DeleteModelRequest& request,
                            v1::DeleteModelReply* /*reply*/,
                            Handling* handling) {
  std::optional<std::string> expected;
  if (request.has_expected_current()) expected = request.expected_current();
  const auto deleted = registry.Delete(request.name(), expected);
  if (const auto* error = std::get_if<RegistryError>(&deleted)) {
    return ToError(*error);
  }
  handling->change =
      "deleted, before at revision " + std::get<std::string>(deleted);
  return std::nullopt;
}

}  // namespace torqued::server
