#include "core/model/assembly.h"

#include <algorithm>

#include "core/spatial/inertia.h"

namespace torqued {
namespace {

JointType TypeOf(const JointDescription& joint) {
  using Type = JointDescription::Type;
  if (joint.type == Type::kPrismatic) return JointType::kPrismatic;
  return joint.type == Type::kContinuous ? JointType::kContinuous
                                         : JointType::kRevolute;
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
    if (const auto it = index.find(mimic.joint); it != index.end()) {
      out.joints[i].mimic = {it->second, mimic.multiplier, mimic.offset};
    }
  }
}

}  // namespace

void Lump(const Pose& body_link, const LinkInertial& inertial, TreeBody& body) {
  const Pose pose = body_link * inertial.origin;  // T_{body,inertial frame}
  const Transform<double> T{Mat3<double>::Constant(pose.R.data()),
                            Vec3<double>::Constant(pose.p.data())};
  const SpatialInertia<double> G =
      ToParent(T, {inertial.mass, Vec3<double>::Zero(),
                   Sym3<double>::Constant(inertial.inertia.data())});
  body.mass += G.mass;
  const double h[3] = {G.h.x, G.h.y, G.h.z};
  for (int k = 0; k < 3; ++k) body.h[k] += h[k];
  const double I[6] = {G.I.xx, G.I.xy, G.I.xz, G.I.yy, G.I.yz, G.I.zz};
  for (int k = 0; k < 6; ++k) body.I[k] += I[k];
}

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

}  // namespace torqued
