// The environment variables that the programs of this family read.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace torqued::flags {

/// All names that begin with TORQUED_, sorted: what one program reads another
/// one may find.
std::span<const std::string_view> KnownVariables();

/// Which variable of `environment`, NAME=VALUE each with a null pointer behind
/// the last, nobody reads, and which it may have meant; empty where there is
/// none. Only names that begin with TORQUED_ count; an empty value is as good
/// as none. What Kubernetes sets for a service called torqued is accepted with
/// the values that it has there: TORQUED_PORT=tcp://HOST:PORT, and numbers of
/// ports beside the service's TORQUED_SERVICE_HOST.
std::string EnvironmentProblem(const char* const* environment);

}  // namespace torqued::flags
