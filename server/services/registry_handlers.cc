#include "server/services/registry_handlers.h"

#include <algorithm>
#include <string>
#include <utility>

#include "server/errors/mapping.h"
#include "server/services/parsing_room.h"
#include "server/wire/enums.h"
#include "server/wire/model_messages.h"

namespace torqued::server {
namespace {

const std::string kNoModel;

/// A reply exists beside its serialized form.
constexpr std::int64_t kForms = 2;

/// Of the reply to a registration or a dry run. Of a source, which has each of
/// the names that are told; findings and joints come from some bytes each.
std::int64_t RoomForSource(const std::string& source) {
  constexpr std::int64_t kReply = 4096;
  constexpr std::int64_t kBytesOfFinding = 1024;
  constexpr std::int64_t kMostFindings = 1000;
  constexpr std::int64_t kBytesOfJoint = 320;
  constexpr std::int64_t kMostJoints = 10'000;
  const std::int64_t bytes = BytesOfSource(source);
  const std::int64_t findings = std::min(kMostFindings, bytes / 16);
  const std::int64_t joints = std::min(kMostJoints, bytes / 64);
  // With the registry's own copy.
  return bytes + kForms * (kReply + bytes + kBytesOfJoint * joints +
                           kBytesOfFinding * findings);
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
std::optional<Error> Decode(const Request& request, std::string* format,
                            RegistrationOptions* options) {
  if (auto error = DecodeFormat(request.format(), format)) return error;
  return DecodeOptions(request.options(), options);
}

}  // namespace

std::optional<Error> Handle(Registry& registry,
                            const v1::RegisterModelRequest& request,
                            v1::RegisterModelReply* reply,
                            const std::function<bool()>& cancelled) {
  RegisterRequest registration;
  registration.cancelled = cancelled;
  if (auto error =
          Decode(request, &registration.format, &registration.options)) {
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
  return std::nullopt;
}

std::optional<Error> Handle(Registry& /*registry*/,
                            const v1::ValidateModelRequest& request,
                            v1::ValidateModelReply* reply,
                            const std::function<bool()>& cancelled) {
  std::string format;
  RegistrationOptions options;
  if (auto error = Decode(request, &format, &options)) return error;
  ModelEntry entry;
  entry.loaded = LoadRevision(format, request.source(), options, cancelled);
  reply->set_valid(entry.loaded->model != nullptr);
  FillReport(entry.loaded->report, reply->mutable_report());
  if (reply->valid()) FillModelInfo(entry, reply->mutable_model());
  return std::nullopt;
}

std::optional<Error> Handle(Registry& registry,
                            const v1::GetModelRequest& request,
                            v1::GetModelReply* reply,
                            std::shared_ptr<const std::string>* source,
                            const AdmitBytes& admit,
                            const AdmitSource& admit_source) {
  auto resolved = registry.Resolve(request.model(), admit_source);
  if (const auto* error = std::get_if<RegistryError>(&resolved)) {
    return ToError(*error);
  }
  const auto& entry = std::get<ModelEntry>(resolved);
  const std::string& text = entry.loaded->source;
  const auto shared =
      request.include_source() ? static_cast<std::int64_t>(text.size()) : 0;
  if (auto error = admit(shared + kForms * MostBytesOfInfo(entry))) {
    return error;
  }
  FillModelInfo(entry, reply->mutable_model());
  if (request.include_source()) *source = {entry.loaded, &text};
  return std::nullopt;
}

std::optional<Error> Handle(Registry& registry,
                            const v1::ListModelsRequest& request,
                            v1::ListModelsReply* reply,
                            const std::function<bool()>& cancelled,
                            const AdmitSource& admit_source) {
  auto listed = registry.List(request.page_size(), request.page_token(),
                              cancelled, admit_source);
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

std::optional<Error> Handle(Registry& registry,
                            const v1::DeleteModelRequest& request,
                            v1::DeleteModelReply* /*reply*/) {
  std::optional<std::string> expected;
  if (request.has_expected_current()) expected = request.expected_current();
  if (const auto error = registry.Delete(request.name(), expected)) {
    return ToError(*error);
  }
  return std::nullopt;
}

std::int64_t RoomFor(const v1::RegisterModelRequest& request) {
  return RoomForSource(request.source());
}
std::int64_t RoomFor(const v1::ValidateModelRequest& request) {
  return RoomForSource(request.source());
}
std::int64_t RoomFor(const v1::GetModelRequest& /*request*/) { return 0; }
std::int64_t RoomFor(const v1::ListModelsRequest& request) {
  constexpr std::int64_t kBytesOfModel = 512;
  // As Registry::List.
  constexpr std::uint32_t kModelsUnlessSaid = 100;
  constexpr std::uint32_t kMostModels = 1000;
  const std::uint32_t size = request.page_size();
  return kForms * kBytesOfModel *
         std::int64_t{size == 0 ? kModelsUnlessSaid
                                : std::min(size, kMostModels)};
}
std::int64_t RoomFor(const v1::DeleteModelRequest& /*request*/) { return 0; }

const std::string& ModelOf(const v1::RegisterModelRequest& request) {
  return request.name();
}
const std::string& ModelOf(const v1::ValidateModelRequest& /*request*/) {
  return kNoModel;
}
const std::string& ModelOf(const v1::GetModelRequest& request) {
  return request.model();
}
const std::string& ModelOf(const v1::ListModelsRequest& /*request*/) {
  return kNoModel;
}
const std::string& ModelOf(const v1::DeleteModelRequest& request) {
  return request.name();
}

std::string ChangeOf(const v1::RegisterModelRequest& request,
                     const v1::RegisterModelReply& reply) {
  std::string change =
      reply.changed() ? "registered at revision " : "already at revision ";
  change += reply.model().revision();
  if (!request.label().empty()) change += ", label " + request.label();
  return change;
}

std::string ChangeOf(const v1::DeleteModelRequest& /*request*/,
                     const v1::DeleteModelReply& /*reply*/) {
  return "deleted";
}

}  // namespace torqued::server
