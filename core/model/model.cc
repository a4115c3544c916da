#include "core/model/model.h"

namespace torqued {

std::optional<int> Model::FindJoint(std::string_view name) const {
  const auto it = joint_index_.find(name);
  if (it == joint_index_.end()) return std::nullopt;
  return it->second;
}

std::optional<int> Model::FindFrame(std::string_view name) const {
  const auto it = frame_index_.find(name);
  if (it == frame_index_.end()) return std::nullopt;
  return it->second;
}

}  // namespace torqued
