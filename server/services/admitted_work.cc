#include "server/services/admitted_work.h"

#include <utility>

namespace torqued::server {

std::optional<Error> SubmitAdmitted(ServiceContext& context, std::int64_t bytes,
                                    Admission::Ticket* ticket,
                                    std::function<void()> work) {
  auto admitted = context.admission.Admit({0, bytes});
  if (auto* error = std::get_if<Error>(&admitted)) return std::move(*error);
  *ticket = std::get<Admission::Ticket>(std::move(admitted));
  context.engine.scheduler().Submit(std::move(work));
  return std::nullopt;
}

}  // namespace torqued::server
