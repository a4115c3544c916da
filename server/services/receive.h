// A message of a client on its way from bytes to fields.
#pragma once

#include <grpcpp/support/byte_buffer.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "server/errors/error.h"
#include "server/services/admission.h"
#include "server/wire/message_bytes.h"

namespace torqued::server {

/// What a call of one request takes beside its messages and gRPC's own part:
/// its record, its first block of memory, its places in lists.
inline constexpr std::int64_t kBytesOfCall = 4096;

/// What a message is admitted as before it is parsed: parsed, the tables of
/// numbers of a usual one take once or twice what they take as bytes.
inline std::int64_t BytesOnceParsed(const grpc::ByteBuffer& bytes) {
  return 3 * static_cast<std::int64_t>(bytes.Length());
}

/// Uses the bytes up.
template <class Message>
std::optional<Error> Parse(grpc::ByteBuffer* bytes, Message* message) {
  if (!ParseMessage(bytes, message)) {
    Error error;
    error.reason = v1::INVALID_FIELD;
    error.message = "The bytes are no " + Message::descriptor()->name() + ".";
    return error;
  }
  bytes->Clear();
  return std::nullopt;
}

/// Admits a message, and only then parses it. `room`: of the message, to be
/// held as long as it, and of `beside` more bytes. Until then its bytes count
/// as arriving.
template <class Message>
std::optional<Error> Receive(grpc::ByteBuffer* bytes, PeerAdmission admission,
                             Message* message, Admission::Reservation* room,
                             std::int64_t beside = 0) {
  auto admitted = admission.Admit({.bytes = BytesOnceParsed(*bytes) + beside});
  if (auto* error = std::get_if<Error>(&admitted)) return std::move(*error);
  *room = std::get<Admission::Reservation>(std::move(admitted));
  return Parse(bytes, message);
}

}  // namespace torqued::server
