// The calls of torqued.v1.ModelRegistry without their transport.
#pragma once

#include <stdexcept>

#include "server/services/registry_handlers.h"

namespace torqued::server {

/// With a source in the reply, as clients get it. Holds every reply to what
/// was admitted for it: once as a message, once serialized, and the source.
template <class Request, class Reply>
std::optional<Error> Handle(Registry& registry, const Request& request,
                            Reply* reply) {
  std::int64_t admitted = 0;
  Handling handling;
  handling.admit = [&](std::int64_t bytes) -> std::optional<Error> {
    admitted += bytes;
    return std::nullopt;
  };
  reply->Clear();
  auto error = Handle(registry, request, reply, &handling);
  if (error) return error;
  std::size_t held = 2 * reply->ByteSizeLong();
  if constexpr (requires { reply->set_source(""); }) {
    if (handling.source != nullptr) {
      held += handling.source->size();
      reply->set_source(*handling.source);
    }
  }
  if (static_cast<std::int64_t>(held) > admitted) {
    throw std::logic_error("a reply takes more than was admitted");
  }
  return std::nullopt;
}

}  // namespace torqued::server
