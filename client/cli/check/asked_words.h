// What was asked of a check, in words.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "client/cli/message_json.h"
#include "torqued/v1/trajectory.pb.h"

namespace torqued::cli {

enum class AskedKind : std::uint8_t {
  kEssential,  // whoever reads a verdict wants to know it, whatever it is
  kLimits,     // of a joint; without it those of the model
  kOther,
};

struct AskedItem {
  std::string what;   // "payload"
  std::string words;  // "3 kg at flange"
  AskedKind kind = AskedKind::kOther;
  bool is_default = false;
};

/// "N m" or "N" by joint; where a joint is missing, units are left out.
using JointUnits = std::map<std::string, std::string>;

/// Everything that changes a verdict, in a fixed order; numbers with all their
/// digits, without those of wrenches of several rows. `inputs` are
/// Checker::OtherInputs, or an empty object.
std::vector<AskedItem> AskedItems(const v1::CheckTrajectoryStart& asked,
                                  const Json& inputs,
                                  const JointUnits& units = {});

/// The form that a summary or a journal has of it; members that this version
/// does not know are left out, and what cannot be read is empty.
v1::CheckTrajectoryStart StartFromJson(const Json& json);

}  // namespace torqued::cli
