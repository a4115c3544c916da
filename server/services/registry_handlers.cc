#include "server/services/registry_handlers.h"

#include <algorithm>
#include <string>
#include <utility>

#include "server/errors/error.h"
#include "server/services/resolve_model.h"
#include "server/wire/enums.h"
#include "server/wire/model_messages.h"

namespace torqued::server {
namespace {

/// A reply exists beside its serialized form.
constexpr std::int64_t kForms = 2;

std::optional<Error> Admit(const Handling& handling, std::int64_t bytes) {
  return handling.admit ? handling.admit(bytes) : std::nullopt;
}

/// For the registry, which asks before it loads a stored model. `refusal` says
/// more than the registry's error.
AdmitSource Asking(const Handling& handling, std::optional<Error>* refusal) {
  return [&handling, refusal](std::int64_t bytes) {
    *refusal = Admit(handling, BytesToLoad(bytes));
    return !*refusal;
  };
}

/// Of what a reply says of a model: it has the names of the source, and some
/// bytes for each joint, which comes from some bytes, and each finding.
std::int64_t BytesOfInfo(std::int64_t source_bytes, std::int64_t findings) {
  constexpr std::int64_t kReply = 4096;
  constexpr std::int64_t kBytesOfFinding = 1024;
  constexpr std::int64_t kMostFindings = 1000;
  constexpr std::int64_t kBytesOfJoint = 320;
  constexpr std::int64_t kMostJoints = 10'000;
  return kForms * (kReply + source_bytes +
                   kBytesOfJoint * std::min(kMostJoints, source_bytes / 64) +
                   kBytesOfFinding * std::min(kMostFindings, findings));
}

/// Of a registration or a dry run: the parsing, the registry's copy, and the
/// reply.
std::int64_t BytesFor(const std::string& source) {
  const auto bytes = static_cast<std::int64_t>(source.size());
  return BytesToLoad(bytes) + bytes + BytesOfInfo(bytes, bytes / 16);
}

std::optional<Error> DecodeFormat(int format, std::string* decoded) {
  if (format != v1::MODEL_FORMAT_UNSPECIFIED &&
      format != v1::MODEL_FORMAT_URDF) {
    return FieldError(v1::INVALID_FIELD, "format",
                      std::to_string(format) + " is no model format");
  }
  *decoded = "urdf";
  return std::nullopt;
}

std::optional<Error> DecodeOptions(const v1::RegistrationOptions& options,
                                   RegistrationOptions* decoded) {
  if (options.base() != v1::BASE_KIND_UNSPECIFIED &&
      options.base() != v1::BASE_KIND_FIXED) {
    return FieldError(v1::INVALID_OPTION, "options.base",
                      std::to_string(options.base()) + " is no base kind");
  }
  if (options.mimic() != v1::MIMIC_MODE_UNSPECIFIED &&
      options.mimic() != v1::MIMIC_MODE_INDEPENDENT) {
    return FieldError(v1::INVALID_OPTION, "options.mimic",
                      std::to_string(options.mimic()) + " is no mimic mode");
  }
  decoded->default_tip = options.default_tip();
  const auto validation = ToValidation(options.validation());
  if (!validation) {
    return FieldError(
        v1::INVALID_OPTION, "options.validation",
        std::to_string(options.validation()) + " is no validation");
  }
  decoded->validation = *validation;
  return std::nullopt;
}

/// Format and options of a registration or of its dry run.
template <class Request>
std::optional<Error> Decode(const Request& request, const Handling& handling,
                            std::string* format, RegistrationOptions* options) {
  if (auto error = Admit(handling, BytesFor(request.source()))) return error;
  if (auto error = DecodeFormat(request.format(), format)) return error;
  return DecodeOptions(request.options(), options);
}

}  // namespace

std::optional<Error> Handle(Registry& registry,
                            const v1::RegisterModelRequest& request,
                            v1::RegisterModelReply* reply, Handling* handling) {
  RegisterRequest registration;
  registration.cancelled = handling->cancelled;
  if (auto error = Decode(request, *handling, &registration.format,
                          &registration.options)) {
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
  const std::string& revision = reply->model().revision();
  handling->change = !result.changed() ? "already at revision " + revision
                     : result.before.empty()
                         ? "registered at revision " + revision
                         : "registered at revision " + revision +
                               ", before at " + result.before;
  if (!request.label().empty())
    handling->change += ", label " + request.label();
  return std::nullopt;
}

std::optional<Error> Handle(Registry& /*registry*/,
                            const v1::ValidateModelRequest& request,
                            v1::ValidateModelReply* reply, Handling* handling) {
  std::string format;
  RegistrationOptions options;
  if (auto error = Decode(request, *handling, &format, &options)) return error;
  ModelEntry entry;
  entry.loaded =
      LoadRevision(format, request.source(), options, handling->cancelled);
  reply->set_valid(entry.loaded->model != nullptr);
  FillReport(entry.loaded->report, reply->mutable_report());
  if (reply->valid()) FillModelInfo(entry, reply->mutable_model());
  return std::nullopt;
}

std::optional<Error> Handle(Registry& registry,
                            const v1::GetModelRequest& request,
                            v1::GetModelReply* reply, Handling* handling) {
  std::optional<Error> refusal;
  auto resolved =
      registry.Resolve(request.model(), Asking(*handling, &refusal));
  if (refusal) return refusal;
  if (const auto* error = std::get_if<RegistryError>(&resolved)) {
    return ToError(*error);
  }
  const auto& entry = std::get<ModelEntry>(resolved);
  const std::string& text = entry.loaded->source;
  const auto bytes = static_cast<std::int64_t>(text.size());
  const auto findings =
      static_cast<std::int64_t>(entry.loaded->report.findings().size());
  if (auto error = Admit(*handling, (request.include_source() ? bytes : 0) +
                                        BytesOfInfo(bytes, findings))) {
    return error;
  }
  FillModelInfo(entry, reply->mutable_model());
  if (request.include_source()) handling->source = {entry.loaded, &text};
  return std::nullopt;
}

std::optional<Error> Handle(Registry& registry,
                            const v1::ListModelsRequest& request,
                            v1::ListModelsReply* reply, Handling* handling) {
  constexpr std::int64_t kBytesOfModel = 512;
  // As Registry::List.
  constexpr std::uint32_t kModelsUnlessSaid = 100;
  constexpr std::uint32_t kMostModels = 1000;
  const std::uint32_t size = request.page_size();
  if (auto error =
          Admit(*handling,
                kForms * kBytesOfModel *
                    std::int64_t{size == 0 ? kModelsUnlessSaid
                                           : std::min(size, kMostModels)})) {
    return error;
  }
  std::optional<Error> refusal;
  auto listed = registry.List(size, request.page_token(), handling->cancelled,
                              Asking(*handling, &refusal));
  if (refusal) return refusal;
  if (const auto* error = std::get_if<RegistryError>(&listed)) {
    return ToError(*error);
  }
  auto& page = std::get<ModelPage>(listed);
  for (const ListedModel& model : page.models) {
    if (handling->may_list && !handling->may_list(model.name)) continue;
    FillSummary(model, reply->add_models());
  }
  reply->set_next_page_token(std::move(page.next_page_token));
  return std::nullopt;
}

std::optional<Error> Handle(Registry& registry,
                            const v1::DeleteModelRequest& request,
                            v1::DeleteModelReply* /*reply*/,
                            Handling* handling) {
  std::optional<std::string> expected;
  if (request.has_expected_current()) expected = request.expected_current();
  std::string before;
  if (const auto error = registry.Delete(request.name(), expected, &before)) {
    return ToError(*error);
  }
  handling->change = "deleted, before at revision " + before;
  return std::nullopt;
}

}  // namespace torqued::server
