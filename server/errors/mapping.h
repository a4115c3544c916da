// What core and registry refuse, in the words of the public contract.
#pragma once

#include <string_view>

#include "core/batch/evaluation.h"
#include "server/errors/error.h"
#include "server/registry/registry.h"

namespace torqued::server {

v1::Reason ReasonOf(ArgumentError::Code code);
v1::Reason ReasonOf(RegistryError::Code code);

/// A name that the model does not have comes with the nearest that it has.
/// `tip_wrench_array` is the path of the wrench's array in the request.
Error ToError(ArgumentError argument, std::string_view tip_wrench_array =
                                          "tip_wrench_on_environment.wrench");
/// The findings of a refused model become violations of "source:<line>".
Error ToError(const RegistryError& registry);

/// Of an entry whose stored model does not load.
Error BrokenModel(const ModelEntry& entry);

}  // namespace torqued::server
