// Requests of the services that every gRPC server has.
#pragma once

#include <grpcpp/support/byte_buffer.h>

#include <cstddef>
#include <optional>
#include <string>

#include "server/errors/error.h"
#include "server/wire/measure_message.h"
#include "server/wire/message_bytes.h"

namespace torqued::server {

/// Such a request has at most so many bytes: the names in it are short.
inline constexpr std::size_t kMaxStandardRequest = 4096;

/// Parses what is not larger; uses the bytes up.
template <class Message>
std::optional<Error> ParseStandard(grpc::ByteBuffer* bytes, Message* message) {
  if (bytes->Length() > kMaxStandardRequest) {
    const std::string limit = std::to_string(kMaxStandardRequest);
    Error error;
    error.reason = v1::REQUEST_TOO_LARGE;
    error.message = "The request has " + std::to_string(bytes->Length()) +
                    " bytes, at most " + limit + " are accepted.";
    error.metadata = {{"limit", limit}};
    return error;
  }
  const bool parsed = ParseMessage(bytes, message);
  bytes->Clear();
  if (parsed) return std::nullopt;
  return NoRequest(Message::descriptor()->name());
}

}  // namespace torqued::server
