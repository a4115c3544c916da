// What of the options of a request can be checked against a model alone.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/batch/evaluation.h"
#include "core/model/model.h"

namespace torqued {

/// "The model has several leaf links and no default tip: name WHAT, a link:
/// finger_left or finger_right, say."
ArgumentError TipFrameRequired(const Model& model, std::string field,
                               std::string_view what);

/// The frame of this name; of none, the model's tip, if it has one.
std::variant<std::optional<int>, ArgumentError> FindFrameOrTip(
    const Model& model, const std::string& name, const std::string& field);

/// Joint at each place of the caller's order, whose names must be those of all
/// movable joints; empty: canonical.
std::variant<std::vector<int>, ArgumentError> ResolveJointOrder(
    const Model& model, const std::vector<std::string>& names);

/// The model with the payload of the options, whose frame is named afterwards.
std::variant<std::shared_ptr<const Model>, ArgumentError> TakeUpPayload(
    const std::shared_ptr<const Model>& model, EvaluationOptions& options);

/// Where the external wrenches act, whose frames are named afterwards.
std::variant<std::vector<WrenchPlace>, ArgumentError> FindWrenchPlaces(
    const Model& model, EvaluationOptions& options);

/// Gravity must have been settled.
std::optional<ArgumentError> CheckTerms(const Terms& terms);

std::optional<ArgumentError> CheckTask(const TaskOptions& task);

/// Some quantities of models of many degrees of freedom are too large.
std::optional<ArgumentError> CheckSizes(const QuantitySet& quantities, int nv);

}  // namespace torqued
