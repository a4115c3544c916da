#include "core/model/payload.h"

#include <algorithm>

#include "core/model/lump.h"

namespace torqued {

std::shared_ptr<const Model> WithPayload(
    const std::shared_ptr<const Model>& model, int frame,
    const LinkInertial& payload) {
  const BodyFrame& at =
      model->frames()[static_cast<std::size_t>(frame)].placement;
  if (at.body == kBase) return model;
  Pose pose;
  std::copy(std::begin(at.R), std::end(at.R), pose.R.begin());
  std::copy(std::begin(at.p), std::end(at.p), pose.p.begin());
  const std::shared_ptr<Model> loaded(new Model(*model));
  Lump(pose, payload, loaded->bodies_[static_cast<std::size_t>(at.body)]);
  loaded->moving_mass_ += payload.mass;
  loaded->lowered_ = LoweredModel(loaded->tree());
  return loaded;
}

}  // namespace torqued
