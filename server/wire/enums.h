// Enums of the contract and of the core. A value of the core has the number of
// its wire value less one, since 0 is UNSPECIFIED. A wire enum may hold any
// number: unknown ones map to nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/engine/evaluation.h"
#include "core/model/lint.h"
#include "core/model/model.h"
#include "server/wire/array_codec.h"
#include "torqued/v1/dynamics.pb.h"
#include "torqued/v1/model_registry.pb.h"

namespace torqued::server {

template <class Core>
constexpr std::optional<Core> FromWire(int number, int last) {
  if (number < 1 || number > last) return std::nullopt;
  return static_cast<Core>(number - 1);
}

/// UNSPECIFIED is the first value.
template <class Core>
constexpr std::optional<Core> FromWireOrDefault(int number, int last) {
  return number == 0 ? std::optional(Core{}) : FromWire<Core>(number, last);
}

inline std::optional<Quantity> ToQuantity(int number) {
  return FromWire<Quantity>(number, kQuantityCount);
}
/// Nothing for UNSPECIFIED: it depends on the request.
inline std::optional<Payload> ToPayload(int number) {
  return FromWire<Payload>(number, v1::Encoding_MAX);
}
/// 0..5 as in TaskOptions.
inline std::optional<std::uint8_t> ToAxis(int number) {
  return FromWire<std::uint8_t>(number, v1::TaskAxis_MAX);
}
inline std::optional<ReferenceFrame> ToReferenceFrame(int number) {
  return FromWireOrDefault<ReferenceFrame>(number, v1::ReferenceFrame_MAX);
}
inline std::optional<SingularityRule> ToSingularityRule(int number) {
  return FromWireOrDefault<SingularityRule>(number, v1::SingularityRule_MAX);
}
inline std::optional<Precision> ToPrecision(int number) {
  return FromWireOrDefault<Precision>(number, v1::Precision_MAX);
}
inline std::optional<Validation> ToValidation(int number) {
  return FromWireOrDefault<Validation>(number, v1::Validation_MAX);
}

template <class Wire, class Core>
constexpr Wire AsWire(Core value) {
  return static_cast<Wire>(static_cast<int>(value) + 1);
}

constexpr auto ToWire(ReferenceFrame is) {
  return AsWire<v1::ReferenceFrame>(is);
}
constexpr auto ToWireAxis(std::uint8_t is) { return AsWire<v1::TaskAxis>(is); }
constexpr auto ToWire(SingularityRule is) {
  return AsWire<v1::SingularityRule>(is);
}
constexpr auto ToWire(Precision is) { return AsWire<v1::Precision>(is); }
constexpr auto ToWire(TaskRule is) { return AsWire<v1::TaskRule>(is); }
constexpr auto ToWire(JointType is) { return AsWire<v1::JointType>(is); }
constexpr auto ToWire(Severity is) { return AsWire<v1::Severity>(is); }
constexpr auto ToWire(Validation is) { return AsWire<v1::Validation>(is); }
/// The one enum in another order.
constexpr v1::RowCode ToWire(RowCode code) {
  constexpr std::array kCodes{
      v1::ROW_CODE_INVALID_INPUT, v1::ROW_CODE_SINGULAR_MASS_MATRIX,
      v1::ROW_CODE_NOT_FINITE_RESULT, v1::ROW_CODE_SINGULAR_TASK_SPACE};
  return kCodes.at(static_cast<std::size_t>(code));
}

static_assert(ToWire(ReferenceFrame::kWorld) == v1::REFERENCE_FRAME_WORLD &&
              ToWire(SingularityRule::kDamped) == v1::SINGULARITY_RULE_DAMPED &&
              ToWire(Precision::kSingle) == v1::PRECISION_SINGLE &&
              ToWire(TaskRule::kUndefined) == v1::TASK_RULE_UNDEFINED &&
              ToWire(JointType::kPrismatic) == v1::JOINT_TYPE_PRISMATIC &&
              ToWire(Severity::kError) == v1::SEVERITY_ERROR &&
              ToWire(Validation::kLenient) == v1::VALIDATION_LENIENT &&
              ToWire(RowCode::kSingularTaskSpace) ==
                  v1::ROW_CODE_SINGULAR_TASK_SPACE);

}  // namespace torqued::server
