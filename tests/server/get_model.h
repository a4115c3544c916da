// GetModel without its transport.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "server/services/registry_handlers.h"

namespace torqued::server {

/// With the source in the reply, as clients get it. Holds every reply to what
/// was admitted for it: once as a message, once serialized, and the source.
inline std::optional<Error> Handle(Registry& registry,
                                   const v1::GetModelRequest& request,
                                   v1::GetModelReply* reply) {
  std::int64_t admitted = 0;
  std::shared_ptr<const std::string> source;
  reply->Clear();
  auto error = Handle(registry, request, reply, &source,
                      [&](std::int64_t bytes) -> std::optional<Error> {
                        admitted += bytes;
                        return std::nullopt;
                      });
  if (error) return error;
  std::size_t held = 2 * reply->ByteSizeLong();
  if (source != nullptr) {
    held += source->size();
    reply->set_source(*source);
  }
  if (static_cast<std::int64_t>(held) > admitted) {
    throw std::logic_error("a reply takes more than was admitted");
  }
  return std::nullopt;
}

}  // namespace torqued::server
