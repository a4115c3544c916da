// What a check was asked, in the same words whoever asked it.
#pragma once

#include <nlohmann/json.hpp>

namespace torqued::cli {

/// `asked` of a verdict, a CheckTrajectoryStart as JSON: what was left out is
/// said as it counts ("derating": 1, frames LOCAL, a payload's centre of mass
/// at the origin). Without the model, whose revision stands elsewhere, and
/// without the tables and the order of the file's columns, which change no
/// number. What is no such message stays as it is.
nlohmann::ordered_json SpeltOut(const nlohmann::ordered_json& asked);

}  // namespace torqued::cli
