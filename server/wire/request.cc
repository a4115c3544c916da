#include "server/wire/request.h"

#include <google/protobuf/descriptor.h>

#include <cmath>
#include <concepts>
#include <utility>

#include "server/wire/enums.h"

namespace torqued::server {
namespace {

/// The field of each input in a kind of message; null: it has none.
using StateFields =
    std::array<const google::protobuf::FieldDescriptor*, kInputCount>;

StateFields FindStates(const google::protobuf::Descriptor* message) {
  StateFields fields{};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto name = ToString(static_cast<Input>(i));
    fields[i] = message->FindFieldByName(std::string(name));
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

QuantitySet DecodeQuantities(std::span<const int> quantities) {
  QuantitySet set;
  if (quantities.empty()) {
    throw FieldError(v1::INVALID_FIELD, "quantities",
                     "at least one must be asked for");
  }
  for (std::size_t i = 0; i < quantities.size(); ++i) {
    const std::string field = At("quantities", i);
    const Quantity quantity = Known(ToQuantity(quantities[i]), quantities[i],
                                    v1::INVALID_FIELD, field, "quantity");
    if (set.Has(quantity)) {
      throw FieldError(
          v1::INVALID_FIELD, field,
          v1::Quantity_Name(quantities[i]) + " was asked for before");
    }
    set.Add(quantity);
  }
  return set;
}

ReferenceFrame DecodeFrame(int number, v1::Reason reason, std::string field) {
  return Known(ToReferenceFrame(number), number, reason, std::move(field),
               "reference frame");
}

/// A list of so many finite numbers, or none.
template <std::size_t kCount>
void DecodeNumbers(const google::protobuf::RepeatedField<double>& numbers,
                   const std::string& field,
                   std::array<double, kCount>* decoded) {
  if (numbers.empty()) return;
  if (numbers.size() != static_cast<int>(kCount)) {
    throw FieldError(v1::INVALID_OPTION, field,
                     "needs " + std::to_string(kCount) + " numbers, has " +
                         std::to_string(numbers.size()));
  }
  for (std::size_t k = 0; k < kCount; ++k) {
    (*decoded)[k] = numbers[static_cast<int>(k)];
    if (!std::isfinite((*decoded)[k])) {
      throw FieldError(v1::INVALID_OPTION, At(field, k), "must be finite");
    }
  }
}

void DecodeOptions(const v1::Options& wire, DecodedQuery* decoded) {
  EvaluationOptions& options = decoded->options;
  options.joint_names.assign(wire.joint_names().begin(),
                             wire.joint_names().end());
  options.tip_frame = wire.tip_frame();
  decoded->fail_fast = wire.fail_fast();
  const v1::Terms& terms = wire.terms();
  if (!terms.gravity().empty()) {
    DecodeNumbers(terms.gravity(), "options.terms.gravity",
                  &options.terms.gravity.emplace());
  }
  options.terms.viscous_friction = terms.viscous_friction();
  options.terms.coulomb_friction = terms.coulomb_friction();
  options.terms.coulomb_smoothing = terms.coulomb_smoothing();
  options.reference_frame = DecodeFrame(
      wire.reference_frame(), v1::INVALID_OPTION, "options.reference_frame");
  options.precision =
      Known(ToPrecision(wire.precision()), wire.precision(), v1::INVALID_OPTION,
            "options.precision", "precision");
  if (wire.has_payload()) {
    PayloadOptions& payload = options.payload.emplace();
    payload.frame = wire.payload().frame();
    payload.inertial.mass = wire.payload().mass();
    DecodeNumbers(wire.payload().center_of_mass(),
                  "options.payload.center_of_mass", &payload.inertial.origin.p);
    DecodeNumbers(wire.payload().inertia(), "options.payload.inertia",
                  &payload.inertial.inertia);
  }
  for (int i = 0; i < wire.external_wrenches_size(); ++i) {
    const v1::WrenchPlace& place = wire.external_wrenches(i);
    options.external_wrenches.push_back(
        {.frame = place.frame(),
         .reference_frame = DecodeFrame(
             place.reference_frame(), v1::INVALID_OPTION,
             At("options.external_wrenches", i, "reference_frame"))});
  }
  if (wire.encoding() != v1::ENCODING_UNSPECIFIED) {
    decoded->encoding =
        Known(ToPayload(wire.encoding()), wire.encoding(), v1::INVALID_OPTION,
              "options.encoding", "encoding");
  }
}

/// Of a member of the task's options that is not `right`.
void Require(bool right, const std::string& member, std::string message) {
  if (right) return;
  throw FieldError(v1::INVALID_OPTION, "operational_space." + member,
                   std::move(message));
}

}  // namespace

std::string At(std::string_view list, std::size_t k, std::string_view member) {
  return std::string(list) + "[" + std::to_string(k) +
         (member.empty() ? "]" : "].") + std::string(member);
}

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
      view.tip_wrench_field = ToString(Input::kTipWrench);
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

TaskOptions DecodeTask(const v1::OperationalSpaceOptions& options) {
  TaskOptions task;
  if (!options.axes().empty()) task.axis_count = 0;
  unsigned seen = 0;
  for (int i = 0; i < options.axes_size(); ++i) {
    const std::string field = At("axes", i);
    const std::uint8_t axis =
        Known(ToAxis(options.axes(i)), options.axes(i), v1::INVALID_OPTION,
              "operational_space." + field, "task axis");
    // Six different axes fill the array; a seventh is a repetition.
    Require((seen >> axis & 1u) == 0, field,
            v1::TaskAxis_Name(options.axes(i)) + " was named before");
    seen |= 1u << axis;
    task.axes[static_cast<std::size_t>(task.axis_count++)] = axis;
  }
  task.singularity = Known(ToSingularityRule(options.singularity()),
                           options.singularity(), v1::INVALID_OPTION,
                           "operational_space.singularity", "singularity rule");
  task.damping = options.damping();
  if (task.singularity == SingularityRule::kDamped) {
    Require(std::isfinite(task.damping) && task.damping > 0, "damping",
            "must be finite and > 0 under DAMPED");
  } else {
    Require(task.damping == 0, "damping", "must be absent or 0 under REPORT");
  }
  if (options.has_rank_tolerance()) {
    task.rank_tolerance = options.rank_tolerance();
    Require(task.rank_tolerance >= 0 && task.rank_tolerance < 1,
            "rank_tolerance", "must be >= 0 and < 1");
  }
  if (options.has_characteristic_length()) {
    task.characteristic_length = options.characteristic_length();
    Require(task.characteristic_length >= kLeastLength &&
                task.characteristic_length <= kLargestLength,
            "characteristic_length", "must be from 1e-30 to 1e30");
  }
  return task;
}

OrError<DecodedQuery> DecodeQuery(const ComputeFields& view) {
  return OrRefusal([&] {
    DecodedQuery decoded;
    decoded.options.quantities = DecodeQuantities(view.quantities);
    if (view.options != nullptr) DecodeOptions(*view.options, &decoded);
    decoded.options.wrench_frame =
        DecodeFrame(view.wrench_frame, v1::INVALID_FIELD,
                    std::string(view.wrench_frame_field));
    if (view.operational_space != nullptr) {
      decoded.options.task = DecodeTask(*view.operational_space);
      decoded.sigma_min = view.operational_space->sigma_min();
    }
    return decoded;
  });
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
