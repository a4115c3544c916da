#include "server/wire/decode_request.h"

#include <cmath>
#include <string>
#include <utility>

#include "server/wire/decode_task.h"
#include "server/wire/enums.h"

namespace torqued::server {
namespace {

std::optional<Error> DecodeQuantities(std::span<const int> quantities,
                                      QuantitySet* set) {
  if (quantities.empty()) {
    return FieldError(v1::INVALID_FIELD, "quantities",
                      "at least one must be asked for");
  }
  for (std::size_t i = 0; i < quantities.size(); ++i) {
    const std::string field = "quantities[" + std::to_string(i) + "]";
    const std::optional<Quantity> quantity = ToQuantity(quantities[i]);
    if (!quantity) {
      return FieldError(v1::INVALID_FIELD, field,
                        std::to_string(quantities[i]) + " is no quantity");
    }
    if (set->Has(*quantity)) {
      return FieldError(
          v1::INVALID_FIELD, field,
          v1::Quantity_Name(quantities[i]) + " was asked for before");
    }
    set->Add(*quantity);
  }
  return std::nullopt;
}

std::optional<Error> DecodeArray(const v1::Array* array, std::string_view field,
                                 InputArray* input) {
  if (array == nullptr) return std::nullopt;
  OrError<InputArray> read = ReadArray(*array, field);
  if (auto* error = std::get_if<Error>(&read)) return std::move(*error);
  *input = std::get<InputArray>(read);
  return std::nullopt;
}

std::optional<Error> DecodeFrame(int number, v1::Reason reason,
                                 std::string_view field,
                                 ReferenceFrame* frame) {
  const std::optional<ReferenceFrame> known = ToReferenceFrame(number);
  if (!known) {
    return FieldError(reason, std::string(field),
                      std::to_string(number) + " is no reference frame");
  }
  *frame = *known;
  return std::nullopt;
}

std::optional<Error> DecodeTerms(const v1::Terms& terms, Terms* decoded) {
  if (!terms.gravity().empty()) {
    if (terms.gravity_size() != 3) {
      return FieldError(
          v1::INVALID_OPTION, "options.terms.gravity",
          "needs 3 numbers, has " + std::to_string(terms.gravity_size()));
    }
    std::array<double, 3> gravity{};
    for (int i = 0; i < 3; ++i) {
      if (!std::isfinite(terms.gravity(i))) {
        return FieldError(v1::INVALID_OPTION,
                          "options.terms.gravity[" + std::to_string(i) + "]",
                          "is not finite");
      }
      gravity[static_cast<std::size_t>(i)] = terms.gravity(i);
    }
    decoded->gravity = gravity;
  }
  decoded->viscous_friction = terms.viscous_friction();
  decoded->coulomb_friction = terms.coulomb_friction();
  return std::nullopt;
}

std::optional<Error> DecodeOptions(const v1::Options& options,
                                   DecodedRequest* decoded) {
  decoded->options.joint_names.assign(options.joint_names().begin(),
                                      options.joint_names().end());
  decoded->options.tip_frame = options.tip_frame();
  decoded->fail_fast = options.fail_fast();
  if (auto error = DecodeTerms(options.terms(), &decoded->options.terms)) {
    return error;
  }
  if (auto error = DecodeFrame(options.reference_frame(), v1::INVALID_OPTION,
                               "options.reference_frame",
                               &decoded->options.reference_frame)) {
    return error;
  }
  const std::optional<Payload> encoding =
      ToPayload(options.encoding(), decoded->encoding);
  if (!encoding) {
    return FieldError(v1::INVALID_OPTION, "options.encoding",
                      std::to_string(options.encoding()) + " is no encoding");
  }
  decoded->encoding = *encoding;
  return std::nullopt;
}

std::optional<Error> DecodeInputs(const ComputeView& view,
                                  DecodedRequest* decoded) {
  EvaluationInputs& inputs = decoded->inputs;
  const std::pair<const v1::Array*, InputArray*> arrays[] = {
      {view.q, &inputs.q},
      {view.v, &inputs.v},
      {view.a, &inputs.a},
      {view.tau, &inputs.tau}};
  const Input names[] = {Input::kQ, Input::kV, Input::kA, Input::kTau};
  for (std::size_t i = 0; i < std::size(arrays); ++i) {
    if (auto error = DecodeArray(arrays[i].first, ToString(names[i]),
                                 arrays[i].second)) {
      return error;
    }
  }
  if (view.tip_wrench == nullptr) return std::nullopt;
  if (auto error =
          DecodeArray(&view.tip_wrench->wrench(),
                      "tip_wrench_on_environment.wrench", &inputs.tip_wrench)) {
    return error;
  }
  return DecodeFrame(view.tip_wrench->reference_frame(), v1::INVALID_FIELD,
                     "tip_wrench_on_environment.reference_frame",
                     &decoded->options.wrench_frame);
}

}  // namespace

OrError<DecodedRequest> DecodeRequest(const ComputeView& view) {
  DecodedRequest decoded;
  if (view.q != nullptr) decoded.encoding = PayloadOf(*view.q);
  std::optional<Error> error =
      DecodeQuantities(view.quantities, &decoded.options.quantities);
  if (!error) error = DecodeInputs(view, &decoded);
  if (!error && view.options != nullptr) {
    error = DecodeOptions(*view.options, &decoded);
  }
  if (!error && view.task != nullptr) {
    error = DecodeTask(*view.task, &decoded.options.task);
  }
  if (error) return std::move(*error);
  return decoded;
}

}  // namespace torqued::server
