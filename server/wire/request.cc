#include "server/wire/request.h"

#include <google/protobuf/descriptor.h>

#include <cmath>
#include <concepts>
#include <utility>

#include "core/batch/input_traits.h"
#include "server/wire/enums.h"

namespace torqued::server {
namespace {

using MaybeError = std::optional<Error>;

/// The field of each input in a kind of message; null: it has none.
using StateFields =
    std::array<const google::protobuf::FieldDescriptor*, kInputCount>;

StateFields FindStates(const google::protobuf::Descriptor* message) {
  StateFields fields{};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    fields[i] = message->FindFieldByName(std::string(kInputTraits[i].name));
  }
  return fields;
}

/// What a shorthand asks for.
template <class Request>
constexpr int kQuantity = v1::QUANTITY_UNSPECIFIED;
template <>
constexpr int kQuantity<v1::InverseDynamicsRequest> =
    v1::QUANTITY_INVERSE_DYNAMICS;
template <>
constexpr int kQuantity<v1::MassMatrixRequest> = v1::QUANTITY_MASS_MATRIX;
template <>
constexpr int kQuantity<v1::ForwardDynamicsRequest> =
    v1::QUANTITY_FORWARD_DYNAMICS;
template <>
constexpr int kQuantity<v1::OperationalSpaceRequest> =
    v1::QUANTITY_OPERATIONAL_SPACE;

MaybeError DecodeQuantities(std::span<const int> quantities, QuantitySet* set) {
  if (quantities.empty()) {
    return FieldError(v1::INVALID_FIELD, "quantities",
                      "at least one must be asked for");
  }
  for (std::size_t i = 0; i < quantities.size(); ++i) {
    const std::string field = "quantities[" + std::to_string(i) + "]";
    Quantity quantity{};
    if (auto error =
            DecodeEnum(ToQuantity(quantities[i]), quantities[i],
                       v1::INVALID_FIELD, field, "quantity", &quantity)) {
      return error;
    }
    if (set->Has(quantity)) {
      return FieldError(
          v1::INVALID_FIELD, field,
          v1::Quantity_Name(quantities[i]) + " was asked for before");
    }
    set->Add(quantity);
  }
  return std::nullopt;
}

MaybeError DecodeFrame(int number, v1::Reason reason, std::string_view field,
                       ReferenceFrame* frame) {
  return DecodeEnum(ToReferenceFrame(number), number, reason, field,
                    "reference frame", frame);
}

/// A list of so many finite numbers, or none.
template <std::size_t kCount>
MaybeError DecodeNumbers(const google::protobuf::RepeatedField<double>& numbers,
                         const std::string& field,
                         std::array<double, kCount>* decoded) {
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
                        field + "[" + std::to_string(k) + "]", "must be finite");
    }
    (*decoded)[k] = number;
  }
  return std::nullopt;
}

MaybeError DecodeTerms(const v1::Terms& terms, Terms* decoded) {
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

MaybeError DecodePayload(const v1::Payload& payload,
                         EvaluationOptions* options) {
  PayloadOptions decoded;
  decoded.frame = payload.frame();
  decoded.inertial.mass = payload.mass();
  MaybeError error =
      DecodeNumbers(payload.center_of_mass(), "options.payload.center_of_mass",
                    &decoded.inertial.origin.p);
  if (!error) {
    error = DecodeNumbers(payload.inertia(), "options.payload.inertia",
                          &decoded.inertial.inertia);
  }
  options->payload = std::move(decoded);
  return error;
}

MaybeError DecodeExternalWrenches(const v1::Options& options,
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

MaybeError DecodeOptions(const v1::Options& options, DecodedQuery* decoded) {
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
  if (auto error =
          DecodeEnum(ToPrecision(options.precision()), options.precision(),
                     v1::INVALID_OPTION, "options.precision", "precision",
                     &decoded->options.precision)) {
    return error;
  }
  if (options.has_payload()) {
    if (auto error = DecodePayload(options.payload(), &decoded->options)) {
      return error;
    }
  }
  if (auto error = DecodeExternalWrenches(options, &decoded->options)) {
    return error;
  }
  if (options.encoding() == v1::ENCODING_UNSPECIFIED) return std::nullopt;
  return DecodeEnum(ToPayload(options.encoding()), options.encoding(),
                    v1::INVALID_OPTION, "options.encoding", "encoding",
                    &decoded->encoding.emplace());
}

Error InvalidTask(const std::string& name, std::string message) {
  return FieldError(v1::INVALID_OPTION, "operational_space." + name,
                    std::move(message));
}

MaybeError DecodeAxes(const v1::OperationalSpaceOptions& options,
                      TaskOptions* task) {
  if (options.axes().empty()) return std::nullopt;
  task->axis_count = 0;
  unsigned seen = 0;
  for (int i = 0; i < options.axes_size(); ++i) {
    const std::string field = "axes[" + std::to_string(i) + "]";
    std::uint8_t axis = 0;
    if (auto error = DecodeEnum(
            ToAxis(options.axes(i)), options.axes(i), v1::INVALID_OPTION,
            "operational_space." + field, "task axis", &axis)) {
      return error;
    }
    // Six different axes fill the array; a seventh is a repetition.
    if ((seen >> axis & 1u) != 0) {
      return InvalidTask(
          field, v1::TaskAxis_Name(options.axes(i)) + " was named before");
    }
    seen |= 1u << axis;
    task->axes[static_cast<std::size_t>(task->axis_count++)] = axis;
  }
  return std::nullopt;
}

MaybeError DecodeSingularity(const v1::OperationalSpaceOptions& options,
                             TaskOptions* task) {
  if (auto error = DecodeEnum(ToSingularityRule(options.singularity()),
                              options.singularity(), v1::INVALID_OPTION,
                              "operational_space.singularity",
                              "singularity rule", &task->singularity)) {
    return error;
  }
  task->damping = options.damping();
  if (task->singularity == SingularityRule::kDamped) {
    if (!(std::isfinite(task->damping) && task->damping > 0)) {
      return InvalidTask("damping", "must be finite and > 0 under DAMPED");
    }
  } else if (task->damping != 0) {  // also when it is not a number
    return InvalidTask("damping", "must be absent or 0 under REPORT");
  }
  return std::nullopt;
}

}  // namespace

template <class Message>
ComputeFields FieldsOf(const Message& message) {
  ComputeFields view;
  if constexpr (requires { message.model(); }) view.model = &message.model();
  if constexpr (requires { message.quantities(); }) {
    view.quantities = {message.quantities().data(),
                       static_cast<std::size_t>(message.quantities_size())};
  } else if constexpr (kQuantity<Message> != v1::QUANTITY_UNSPECIFIED) {
    view.quantities = {&kQuantity<Message>, 1};
  }
  if constexpr (requires { message.options(); }) {
    if (message.has_options()) view.options = &message.options();
  }
  if constexpr (requires { message.operational_space(); }) {
    if (message.has_operational_space()) {
      view.operational_space = &message.operational_space();
    }
  }
  if constexpr (std::same_as<Message, v1::EvaluateStart>) {
    view.wrench_frame = message.tip_wrench_reference_frame();
    view.wrench_frame_field = "tip_wrench_reference_frame";
  }
  static const StateFields fields = FindStates(Message::descriptor());
  const auto* reflection = message.GetReflection();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i] == nullptr || !reflection->HasField(message, fields[i])) {
      continue;
    }
    const auto* state = &reflection->GetMessage(message, fields[i]);
    if (fields[i]->message_type() == v1::TipWrench::descriptor()) {
      const auto* wrench = static_cast<const v1::TipWrench*>(state);
      view.wrench_frame = wrench->reference_frame();
      state = &wrench->wrench();
    } else if (i == static_cast<std::size_t>(Input::kTipWrench)) {
      view.tip_wrench_field = kInputTraits[i].name;
    }
    view.states[i] = static_cast<const v1::Array*>(state);
  }
  return view;
}

template ComputeFields FieldsOf(const v1::ComputeRequest&);
template ComputeFields FieldsOf(const v1::InverseDynamicsRequest&);
template ComputeFields FieldsOf(const v1::MassMatrixRequest&);
template ComputeFields FieldsOf(const v1::ForwardDynamicsRequest&);
template ComputeFields FieldsOf(const v1::OperationalSpaceRequest&);
template ComputeFields FieldsOf(const v1::EvaluateStart&);
template ComputeFields FieldsOf(const v1::EvaluateChunk&);

MaybeError DecodeTask(const v1::OperationalSpaceOptions& options,
                      TaskOptions* task) {
  if (auto error = DecodeAxes(options, task)) return error;
  if (auto error = DecodeSingularity(options, task)) return error;
  if (options.has_rank_tolerance()) {
    task->rank_tolerance = options.rank_tolerance();
    if (!(task->rank_tolerance >= 0 && task->rank_tolerance < 1)) {
      return InvalidTask("rank_tolerance", "must be >= 0 and < 1");
    }
  }
  if (options.has_characteristic_length()) {
    task->characteristic_length = options.characteristic_length();
    if (!(task->characteristic_length >= kLeastLength &&
          task->characteristic_length <= kLargestLength)) {
      return InvalidTask("characteristic_length", "must be from 1e-30 to 1e30");
    }
  }
  return std::nullopt;
}

OrError<DecodedQuery> DecodeQuery(const ComputeFields& view) {
  DecodedQuery decoded;
  MaybeError error =
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
  for (std::size_t i = 0; i < view.states.size(); ++i) {
    if (view.states[i] == nullptr) continue;
    const auto input = static_cast<Input>(i);
    OrError<InputArray> read = ReadArray(
        *view.states[i],
        input == Input::kTipWrench ? view.tip_wrench_field : ToString(input));
    if (auto* error = std::get_if<Error>(&read)) return std::move(*error);
    inputs[input] = std::get<InputArray>(read);
  }
  return inputs;
}

Payload EncodingOf(const ComputeFields& view) {
  const v1::Array* q = view.states[static_cast<std::size_t>(Input::kQ)];
  return q == nullptr ? Payload::kValues : PayloadOf(*q);
}

}  // namespace torqued::server
