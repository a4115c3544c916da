#include "server/services/compute_setup.h"

#include <utility>

#include "server/errors/mapping.h"
#include "server/wire/decode_request.h"
#include "server/wire/echo.h"

namespace torqued::server {
OrError<std::shared_ptr<const ComputeSetup>> SetUp(const QueryView& view,
                                                   const ModelEntry& entry,
                                                   std::string_view target) {
  if (entry.loaded->model == nullptr) return BrokenModel(entry);
  auto decoded = DecodeQuery(view);
  if (auto* error = std::get_if<Error>(&decoded)) return std::move(*error);
  auto& query = std::get<DecodedQuery>(decoded);
  auto created =
      EvaluationPlan::Create(entry.loaded->model, std::move(query.options));
  if (auto* error = std::get_if<ArgumentError>(&created)) {
    return ToError(*error);
  }
  auto setup = std::make_shared<ComputeSetup>(
      ComputeSetup{.plan = std::get<EvaluationPlan>(std::move(created)),
                   .encoding = query.encoding,
                   .fail_fast = query.fail_fast,
                   .sigma_min = query.sigma_min,
                   .echo = {},
                   .echo_with_wrench = {}});
  v1::Echo echo;
  FillEcho(setup->plan, setup->sigma_min, entry.name, entry.loaded->revision,
           entry.loaded->options->validation, target, &echo);
  setup->echo = echo.SerializeAsString();
  FillTipFrameOfAnyStates(setup->plan, &echo);
  setup->echo_with_wrench = echo.SerializeAsString();
  return setup;
}

}  // namespace torqued::server
