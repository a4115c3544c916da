// A message of a client on its way from bytes to fields.
#pragma once

#include <grpcpp/support/byte_buffer.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "server/errors/error.h"
#include "server/services/admission.h"
#include "server/wire/measure_message.h"
#include "server/wire/message_bytes.h"

namespace torqued::server {

/// What a call of one request takes beside its messages and gRPC's own part:
/// its record, its first block of memory, its places in lists.
inline constexpr std::int64_t kBytesOfCall = 4096;

/// For messages that were looked at and admitted.
template <class Message>
std::optional<Error> ParseMeasured(grpc::ByteBuffer* bytes, Message* message) {
  if (!ParseMessage(bytes, message)) {
    return NoRequest(Message::descriptor()->name());
  }
  bytes->Clear();
  return std::nullopt;
}

/// Looks at the bytes, has what they come to admitted, and only then parses
/// them, which uses them up. `room`: of the message, to be kept as long as it,
/// and of `beside` more bytes. Until then its bytes count as arriving.
template <class Message>
std::optional<Error> Receive(grpc::ByteBuffer* bytes, PeerAdmission admission,
                             Message* message, Admission::Ticket* room,
                             std::int64_t beside = 0) {
  auto measured = Measure(*bytes, ShapeOf<Message>());
  if (auto* error = std::get_if<Error>(&measured)) return std::move(*error);
  auto admitted = admission.Admit(
      {.bytes = std::get<MessageMeasure>(measured).decoded_bytes + beside});
  if (auto* error = std::get_if<Error>(&admitted)) return std::move(*error);
  *room = std::get<Admission::Ticket>(std::move(admitted));
  return ParseMeasured(bytes, message);
}

}  // namespace torqued::server
