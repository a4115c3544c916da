#include "server/services/parse_reservation.h"

#include <algorithm>
#include <utility>

#include "core/formats/urdf.h"
#include "server/errors/mapping.h"

namespace torqued::server {
namespace {

constexpr std::int64_t kLeast = 64 << 10;
// Measured of ordinary sources.
constexpr std::int64_t kBytesOfByte = 15;

}  // namespace

std::int64_t BytesOfSource(std::string_view source) {
  return static_cast<std::int64_t>(
      std::min(source.size(), UrdfLimits().source_bytes));
}

std::int64_t BytesToParse(std::string_view source) {
  return kLeast + kBytesOfByte * BytesOfSource(source);
}

std::optional<Error> ParseReservation::Admit(std::string_view source) {
  return Hold(BytesToParse(source));
}

std::optional<Error> ParseReservation::Hold(std::int64_t bytes) {
  reservation_ = {};
  auto admitted =
      admission_.Admit({.bytes = bytes}, beside_ == nullptr ? Admission::Load()
                                                            : beside_->load());
  if (auto* error = std::get_if<Error>(&admitted)) return std::move(*error);
  reservation_ = std::get<Admission::Reservation>(std::move(admitted));
  return std::nullopt;
}

AdmitSource ParseReservation::Asked() {
  // The database has it beside what it hands out.
  constexpr std::int64_t kCopies = 2;
  return {.read =
              [this](std::int64_t bytes) {
                refusal_ = Hold(kCopies * bytes);
                return !refusal_;
              },
          .parse =
              [this](std::string_view source) {
                refusal_ = Admit(source);
                return !refusal_;
              }};
}

OrError<ModelEntry> ResolveModel(Registry& registry, std::string_view reference,
                                 PeerAdmission admission) {
  ParseReservation room(admission);
  auto resolved = registry.Resolve(reference, room.Asked());
  if (const auto* error = std::get_if<RegistryError>(&resolved)) {
    return room.refusal() ? *room.refusal() : ToError(*error);
  }
  return std::get<ModelEntry>(std::move(resolved));
}

}  // namespace torqued::server
