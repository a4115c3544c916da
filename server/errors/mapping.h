// What core and registry refuse, in the words of the public contract.
#pragma once

#include "core/batch/evaluation.h"
#include "server/errors/error.h"
#include "server/registry/registry.h"

namespace torqued::server {

v1::Reason ReasonOf(ArgumentError::Code code);
v1::Reason ReasonOf(RegistryError::Code code);

Error ToError(const ArgumentError& argument);
/// The findings of a refused model become violations of "source:<line>".
Error ToError(const RegistryError& registry);

}  // namespace torqued::server
