// Enums of the contract and of the core, one table each. A wire enum may hold
// any number: unknown ones map to nothing.
#pragma once

#include <cstdint>
#include <optional>

#include "core/batch/evaluation.h"
#include "core/model/lint.h"
#include "core/model/model.h"
#include "core/model/validation.h"
#include "server/wire/array_codec.h"
#include "torqued/v1/dynamics.pb.h"
#include "torqued/v1/model_registry.pb.h"

namespace torqued::server {

std::optional<Quantity> ToQuantity(int number);
/// Unspecified is kLocal.
std::optional<ReferenceFrame> ToReferenceFrame(int number);
/// 0..5 as in TaskOptions.
std::optional<std::uint8_t> ToAxis(int number);
/// Unspecified is kReport.
std::optional<SingularityRule> ToSingularityRule(int number);
/// Unspecified is kDouble.
std::optional<Precision> ToPrecision(int number);
/// Unspecified is kDefault.
std::optional<Validation> ToValidation(int number);
/// Nothing for the unspecified one, too: it depends on the request.
std::optional<Payload> ToPayload(int number);

v1::ReferenceFrame ToWire(ReferenceFrame frame);
v1::TaskAxis ToWireAxis(std::uint8_t axis);
v1::SingularityRule ToWire(SingularityRule rule);
v1::Precision ToWire(Precision precision);
v1::TaskRule ToWire(TaskRule rule);
v1::RowCode ToWire(RowCode code);
v1::JointType ToWire(JointType type);
v1::Severity ToWire(Severity severity);
v1::Validation ToWire(Validation validation);

}  // namespace torqued::server
