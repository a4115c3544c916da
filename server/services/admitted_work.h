// What takes long beside computing: parsing and database work.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "server/services/service_context.h"

namespace torqued::server {

/// Runs `work` on the engine's pool, with `bytes` admitted under `ticket`, or
/// returns why they are not.
std::optional<Error> SubmitAdmitted(ServiceContext& context, std::int64_t bytes,
                                    Admission::Ticket* ticket,
                                    std::function<void()> work);

}  // namespace torqued::server
