#include "core/model/assembly.h"

#include <algorithm>

#include "core/model/lump.h"

namespace torqued {
namespace {

JointType TypeOf(const JointDescription& joint) {
  switch (joint.type) {
    case JointDescription::Type::kPrismatic:
      return JointType::kPrismatic;
    case JointDescription::Type::kContinuous:
      return JointType::kContinuous;
    case JointDescription::Type::kRevolute:
    case JointDescription::Type::kFixed:
      break;
  }
  return JointType::kRevolute;
}

// T_{λ(i),i}(0) and joint terms of a new body.
TreeBody NewBody(const JointDescription& joint, int parent, const Pose& pose) {
  TreeBody body{};
  body.parent = parent;
  body.motion = joint.type == JointDescription::Type::kPrismatic
                    ? JointMotion::kPrismatic
                    : JointMotion::kRevolute;
  std::copy(pose.R.begin(), pose.R.end(), body.R);
  std::copy(pose.p.begin(), pose.p.end(), body.p);
  std::copy(joint.axis.begin(), joint.axis.end(), body.axis);
  body.armature = joint.armature;
  body.viscous_friction = joint.damping;
  body.coulomb_friction = joint.friction;
  return body;
}

Joint NewJoint(const JointDescription& joint, int index, int parent) {
  Joint out;
  out.name = joint.name;
  out.type = TypeOf(joint);
  out.parent_link = joint.parent;
  out.child_link = joint.child;
  out.parent = parent;
  out.q_index = out.v_index = index;
  out.axis = joint.axis;
  out.limits = joint.limits;
  out.damping = joint.damping;
  out.friction = joint.friction;
  out.armature = joint.armature;
  return out;
}

// The leaders of the mimics, which may come later in canonical order.
void ConnectMimics(std::span<const JointDescription> joints, Assembly& out) {
  std::unordered_map<std::string_view, int> index;
  for (std::size_t i = 0; i < out.joints.size(); ++i) {
    index.try_emplace(out.joints[i].name, static_cast<int>(i));
  }
  for (std::size_t i = 0; i < out.joints.size(); ++i) {
    const JointDescription& joint = joints[out.joint_source[i]];
    if (!joint.mimic || joint.incomplete) continue;
    const JointDescription::MimicOf& mimic = *joint.mimic;
    const auto it = index.find(mimic.joint);
    if (it == index.end()) continue;
    out.joints[i].mimic = Mimic{.joint = it->second,
                                .multiplier = mimic.multiplier,
                                .offset = mimic.offset};
  }
}

}  // namespace

Assembly Assemble(std::span<const LinkDescription> links,
                  std::span<const JointDescription> joints,
                  const Topology& topology) {
  struct Carrier {
    int body = kBase;
    Pose pose;  // T_{body,link}
  };
  std::vector<Carrier> carriers(links.size());
  Assembly out;
  out.frames.reserve(links.size());
  for (const int link : topology.links) {
    Carrier& carrier = carriers[link];
    if (const int j = topology.parent_joint[link]; j >= 0) {
      const JointDescription& joint = joints[j];
      const Carrier& parent = carriers[topology.joint_parent[j]];
      const Pose pose = parent.pose * joint.origin;
      if (joint.type == JointDescription::Type::kFixed) {
        carrier = {parent.body, pose};
      } else {
        const int body = static_cast<int>(out.bodies.size());
        out.bodies.push_back(NewBody(joint, parent.body, pose));
        out.joints.push_back(NewJoint(joint, body, parent.body));
        out.joint_source.push_back(j);
        carrier = {body, Pose{}};
      }
    }
    if (links[link].inertial) {
      const LinkInertial& inertial = *links[link].inertial;
      if (carrier.body != kBase) {
        Lump(carrier.pose, inertial, out.bodies[carrier.body]);
      } else if (inertial.mass > 0) {
        out.fixed_mass += inertial.mass;
        out.fixed_mass_links.push_back(link);
      }
    }
    Frame frame{.name = links[link].name,
                .placement = {.body = carrier.body, .R = {}, .p = {}},
                .is_leaf = topology.is_leaf[link] != 0};
    std::copy(carrier.pose.R.begin(), carrier.pose.R.end(), frame.placement.R);
    std::copy(carrier.pose.p.begin(), carrier.pose.p.end(), frame.placement.p);
    out.frames.push_back(std::move(frame));
  }
  ConnectMimics(joints, out);
  return out;
}

std::vector<char> IncompleteBodies(const Assembly& assembly,
                                   std::span<const LinkDescription> links,
                                   std::span<const JointDescription> joints,
                                   const Topology& topology) {
  std::vector<char> incomplete(assembly.bodies.size(), 0);
  for (std::size_t i = 0; i < topology.links.size(); ++i) {
    const int link = topology.links[i], joint = topology.parent_joint[link];
    const int body = assembly.frames[i].placement.body;
    if (body == kBase) continue;
    if (links[link].incomplete || (joint >= 0 && joints[joint].incomplete)) {
      incomplete[body] = 1;
    }
  }
  for (std::size_t i = incomplete.size(); i-- > 0;) {
    const int parent = assembly.bodies[i].parent;
    if (incomplete[i] && parent != kBase) incomplete[parent] = 1;
  }
  return incomplete;
}

}  // namespace torqued
