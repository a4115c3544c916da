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

/// A list of so many finite numbers, or none.
template <std::size_t kCount>
std::optional<Error> DecodeNumbers(
    const google::protobuf::RepeatedField<double>& numbers,
    const std::string& field, std::array<double, kCount>* decoded) {
  if (numbers.empty()) return std::nullopt;
  if (numbers.size() != static_cast<int>(kCount)) {
    return FieldError(v1::INVALID_OPTION, field,
                      "needs " + std::to_string(kCount) + " numbers, has " +
                          std::to_string(numbers.size()));
  }
  for (std::size_t k = 0; k < kCount; ++k) {
    const double number = numbers[static_cast<int>(k)];
    if (!std::isfinite(number)) {
      return FieldError(v1::INVALID_OPTION,
                        field + "[" + std::to_string(k) + "]", "is not finite");
    }
    (*decoded)[k] = number;
  }
  return std::nullopt;
}

std::optional<Error> DecodeTerms(const v1::Terms& terms, Terms* decoded) {
  std::array<double, 3> gravity{};
  if (auto error =
          DecodeNumbers(terms.gravity(), "options.terms.gravity", &gravity)) {
    return error;
  }
  if (!terms.gravity().empty()) decoded->gravity = gravity;
  decoded->viscous_friction = terms.viscous_friction();
  decoded->coulomb_friction = terms.coulomb_friction();
  decoded->coulomb_smoothing = terms.coulomb_smoothing();
  return std::nullopt;
}

std::optional<Error> DecodePayload(const v1::Payload& payload,
                                   EvaluationOptions* options) {
  PayloadOptions decoded;
  decoded.frame = payload.frame();
  decoded.inertial.mass = payload.mass();
  std::optional<Error> error =
      DecodeNumbers(payload.center_of_mass(), "options.payload.center_of_mass",
                    &decoded.inertial.origin.p);
  if (!error) {
    error = DecodeNumbers(payload.inertia(), "options.payload.inertia",
                          &decoded.inertial.inertia);
  }
  options->payload = std::move(decoded);
  return error;
}

std::optional<Error> DecodeExternalWrenches(const v1::Options& options,
                                            EvaluationOptions* decoded) {
  for (int i = 0; i < options.external_wrenches_size(); ++i) {
    const v1::WrenchPlace& place = options.external_wrenches(i);
    ExternalWrenchOptions wrench{.frame = place.frame(), .reference_frame = {}};
    if (auto error = DecodeFrame(place.reference_frame(), v1::INVALID_OPTION,
                                 "options.external_wrenches[" +
                                     std::to_string(i) + "].reference_frame",
                                 &wrench.reference_frame)) {
      return error;
    }
    decoded->external_wrenches.push_back(std::move(wrench));
  }
  return std::nullopt;
}

std::optional<Error> DecodeOptions(const v1::Options& options,
                                   DecodedQuery* decoded) {
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
  const std::optional<Precision> precision = ToPrecision(options.precision());
  if (!precision) {
    return FieldError(v1::INVALID_OPTION, "options.precision",
                      std::to_string(options.precision()) + " is no precision");
  }
  decoded->options.precision = *precision;
  if (options.has_payload()) {
    if (auto error = DecodePayload(options.payload(), &decoded->options)) {
      return error;
    }
  }
  if (auto error = DecodeExternalWrenches(options, &decoded->options)) {
    return error;
  }
  if (options.encoding() == v1::ENCODING_UNSPECIFIED) return std::nullopt;
  decoded->encoding = ToPayload(options.encoding());
  if (!decoded->encoding) {
    return FieldError(v1::INVALID_OPTION, "options.encoding",
                      std::to_string(options.encoding()) + " is no encoding");
  }
  return std::nullopt;
}

}  // namespace

OrError<DecodedQuery> DecodeQuery(const ComputeFields& view) {
  DecodedQuery decoded;
  std::optional<Error> error =
      DecodeQuantities(view.quantities, &decoded.options.quantities);
  if (!error && view.options != nullptr) {
    error = DecodeOptions(*view.options, &decoded);
  }
  if (!error) {
    error = DecodeFrame(view.wrench_frame, v1::INVALID_FIELD,
                        view.wrench_frame_field, &decoded.options.wrench_frame);
  }
  if (!error && view.operational_space != nullptr) {
    error = DecodeTask(*view.operational_space, &decoded.options.task);
    decoded.sigma_min = view.operational_space->sigma_min();
  }
  if (error) return std::move(*error);
  return decoded;
}

OrError<EvaluationInputs> DecodeStates(const ComputeFields& view) {
  EvaluationInputs inputs;
  const struct {
    const v1::Array* array;
    Input input;
  } arrays[] = {{view.q, Input::kQ},
                {view.v, Input::kV},
                {view.a, Input::kA},
                {view.tau, Input::kTau},
                {view.tip_wrench, Input::kTipWrench},
                {view.base_twist, Input::kBaseTwist},
                {view.base_acceleration, Input::kBaseAcceleration},
                {view.external_wrenches, Input::kExternalWrenches},
                {view.task_acceleration, Input::kTaskAcceleration},
                {view.null_space_torque, Input::kNullSpaceTorque},
                {view.gravity, Input::kGravity}};
  for (const auto& item : arrays) {
    if (item.array == nullptr) continue;
    OrError<InputArray> read = ReadArray(
        *item.array, item.input == Input::kTipWrench ? view.tip_wrench_field
                                                     : ToString(item.input));
    if (auto* error = std::get_if<Error>(&read)) return std::move(*error);
    inputs[item.input] = std::get<InputArray>(read);
  }
  return inputs;
}

Payload EncodingOf(const ComputeFields& view) {
  return view.q == nullptr ? Payload::kValues : PayloadOf(*view.q);
}

}  // namespace torqued::server
