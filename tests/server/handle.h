// The calls of torqued.v1.ModelRegistry without their transport.
#pragma once

#include <stdexcept>

#include "server/services/registry_calls.h"

namespace torqued::server {

/// Holds every reply to what was admitted for it, in two forms.
template <class Request, class Reply>
std::optional<Error> Handle(Registry& registry, const Request& request,
                            Reply* reply) {
  Admission admission({std::int64_t{1} << 40});
  Reservation room(admission);
  Handling handling{.room = &room};
  reply->Clear();
  auto error = Handle(registry, request, reply, &handling);
  if (error) return error;
  if (static_cast<std::int64_t>(2 * reply->ByteSizeLong()) > room.bytes()) {
    throw std::logic_error("a reply takes more than was admitted");
  }
  return std::nullopt;
}

}  // namespace torqued::server
