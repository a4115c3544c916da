// Memory for parsing models, among the bytes under way.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "server/errors/error.h"
#include "server/registry/registry.h"
#include "server/services/admission.h"

namespace torqued::server {

/// Of a source that is parsed: a longer one than is accepted is not.
std::int64_t BytesOfSource(std::string_view source);

/// What parsing an ordinary source takes, with what is made of it and thrown
/// away again.
std::int64_t BytesToParse(std::string_view source);

/// Of one call, for as long as it lives.
class ParseReservation {
 public:
  /// `beside`: what the call holds beside what `admission` knows of.
  explicit ParseReservation(PeerAdmission admission,
                            const Admission::Reservation* beside = nullptr)
      : admission_(admission), beside_(beside) {}
  ParseReservation(const ParseReservation&) = delete;
  ParseReservation& operator=(const ParseReservation&) = delete;

  std::optional<Error> Admit(std::string_view source);

  /// For a registry, which asks before it reads and parses what it has stored,
  /// one after the other. Not to be called once this is gone.
  AdmitSource Asked();
  /// What it holds.
  Admission::Load load() const { return reservation_.load(); }
  /// Why the registry was told no; says more than its own error.
  const std::optional<Error>& refusal() const { return refusal_; }

 private:
  /// In place of what it holds.
  std::optional<Error> Hold(std::int64_t bytes);

  PeerAdmission admission_;
  const Admission::Reservation* beside_;
  Admission::Reservation reservation_;
  std::optional<Error> refusal_;
};

/// The model that a reference leads to, which may take parsing.
OrError<ModelEntry> ResolveModel(Registry& registry, std::string_view reference,
                                 PeerAdmission admission);

}  // namespace torqued::server
