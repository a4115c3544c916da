#include "server/services/parsing_room.h"

#include <algorithm>
#include <utility>

#include "server/errors/mapping.h"

namespace torqued::server {
namespace {

// Upper bounds, measured; see tests/fuzz/hostile_size_test.cc.
constexpr std::int64_t kLeast = 64 << 10;
constexpr std::int64_t kBytesOfByte = 4;
constexpr std::int64_t kBytesOfTag = 210;
constexpr std::int64_t kBytesOfAttribute = 115;
// Beginnings and ends of the elements that are accepted; a source that has more
// is not parsed.
constexpr std::int64_t kMostTags = 1'000'000;

}  // namespace

std::int64_t BytesToParse(std::string_view source) {
  const auto tags = std::min<std::int64_t>(
      kMostTags, std::count(source.begin(), source.end(), '<'));
  const auto attributes = std::count(source.begin(), source.end(), '=');
  return kLeast + kBytesOfByte * static_cast<std::int64_t>(source.size()) +
         kBytesOfTag * tags + kBytesOfAttribute * attributes;
}

std::optional<Error> ParsingRoom::Admit(std::string_view source) {
  return Hold(BytesToParse(source));
}

std::optional<Error> ParsingRoom::Hold(std::int64_t bytes) {
  room_ = {};
  auto admitted =
      admission_.Admit({.bytes = bytes}, Admission::Reach::kLimit, beside_);
  if (auto* error = std::get_if<Error>(&admitted)) return std::move(*error);
  room_ = std::get<Admission::Ticket>(std::move(admitted));
  return std::nullopt;
}

AdmitSource ParsingRoom::Asked() {
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
  ParsingRoom room(admission);
  auto resolved = registry.Resolve(reference, room.Asked());
  if (const auto* error = std::get_if<RegistryError>(&resolved)) {
    return room.refusal() ? *room.refusal() : ToError(*error);
  }
  return std::get<ModelEntry>(std::move(resolved));
}

}  // namespace torqued::server
