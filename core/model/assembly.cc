#include "core/model/assembly.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <ranges>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/base/text.h"
#include "core/math/inertia.h"

namespace torqued {
namespace {

constexpr int kNone = -1;

std::string AtLine(int line) {
  return line > 0 ? Cat(" (line ", line, ")") : std::string();
}

class TreeFinder {
 public:
  TreeFinder(std::span<const LinkDescription> links,
             std::span<const JointDescription> joints, LintReport& report)
      : links_(links), joints_(joints), report_(report) {}

  Assembly Find() {
    const int errors_before = report_.errors();
    link_index_ = IndexNames(links_, "link");
    IndexNames(joints_, "joint");
    ConnectJoints();
    std::vector<int> roots = FindRoots();
    SortChildren();
    std::vector<char> reached(links_.size(), 0);
    if (roots.size() == 1) out_.links.reserve(links_.size());
    for (const int root : roots) Traverse(root, reached);
    ReportUnreached(reached);
    out_.is_tree = report_.errors() == errors_before && roots.size() == 1 &&
                   std::ranges::count(out_.joint_parent, kNone) == 0 &&
                   std::ranges::count(out_.joint_child, kNone) == 0;
    return std::move(out_);
  }

 private:
  using NameIndex = std::unordered_map<std::string_view, int>;

  // The first of each name; reports the others.
  template <class Named>
  NameIndex IndexNames(std::span<const Named> all, std::string_view kind) {
    NameIndex index;
    index.reserve(all.size());
    for (int i = 0; const Named& one : all) {
      const auto [it, is_new] = index.try_emplace(one.name, i++);
      if (is_new || (one.incomplete && one.name.empty())) continue;
      const int line = all[it->second].line;
      About(one, report_)
          .Add(LintCode::kDuplicateName, " is defined twice",
               line > 0 ? ", first" : "", AtLine(line), "; give each ", kind,
               " a name of its own.");
    }
    return index;
  }

  int FindLink(const JointDescription& joint, std::string_view role,
               const std::string& name) {
    if (joint.incomplete && name.empty()) return kNone;
    const auto it = link_index_.find(name);
    if (it != link_index_.end()) return it->second;
    Subject subject = About(joint, report_);
    subject.place.link = name;
    subject.Add(LintCode::kUnknownLink, " names ", Quoted(name), " as its ",
                role,
                " link, but there is no link of that name; correct it, or add "
                "the link.");
    return kNone;
  }

  void ConnectJoints() {
    out_.parent_joint.assign(links_.size(), kNone);
    out_.is_leaf.assign(links_.size(), 1);
    out_.moves.assign(links_.size(), 1);
    out_.joint_parent.assign(joints_.size(), kNone);
    out_.joint_child.assign(joints_.size(), kNone);
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      const JointDescription& joint = joints_[j];
      const int parent = FindLink(joint, "parent", joint.parent);
      const int child = FindLink(joint, "child", joint.child);
      out_.joint_parent[j] = parent;
      if (parent != kNone) out_.is_leaf[parent] = 0;
      if (child == kNone) continue;
      int& carrier = out_.parent_joint[child];
      if (carrier != kNone) {
        const JointDescription& first = joints_[carrier];
        Subject subject = About(links_[child], report_);
        subject.place = {
            .joint = joint.name, .link = joint.child, .line = joint.line};
        subject.Add(LintCode::kTwoParents, " is the child of joint ",
                    Quoted(joint.name), " and already of joint ",
                    Quoted(first.name), AtLine(first.line),
                    "; a link hangs on one joint only, closed loops are not "
                    "supported.");
        continue;
      }
      carrier = static_cast<int>(j);
      out_.joint_child[j] = child;
    }
  }

  // Links that are the child of no joint.
  std::vector<int> FindRoots() {
    std::vector<int> roots;
    for (int i = 0; i < static_cast<int>(links_.size()); ++i) {
      const bool is_first = link_index_[links_[i].name] == i;
      if (out_.parent_joint[i] == kNone && is_first) roots.push_back(i);
    }
    if (roots.size() > 1) {
      std::vector<std::string_view> names;
      names.reserve(roots.size());
      for (const int root : roots) names.push_back(links_[root].name);
      const LinkDescription& second = links_[roots[1]];
      report_.Add(
          LintCode::kSeveralRoots, {.link = second.name, .line = second.line},
          Cat("The links ", QuotedList(names),
              " are not the child of a joint, but a robot has only one root "
              "link; connect the others to it, for example by fixed joints."));
    }
    return roots;
  }

  // Child joints of every link, in order of name.
  void SortChildren() {
    children_.resize(links_.size());
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      const int parent = out_.joint_parent[j];
      if (parent == kNone || out_.joint_child[j] == kNone) continue;
      children_[parent].push_back(static_cast<int>(j));
    }
    for (std::vector<int>& siblings : children_) {
      std::ranges::sort(siblings, {}, [&](int j) {
        return std::pair(std::string_view(joints_[j].name), j);
      });
    }
  }

  void Traverse(int root, std::vector<char>& reached) {
    std::vector<int> pending{root};
    while (!pending.empty()) {
      const int link = pending.back();
      pending.pop_back();
      reached[link] = 1;
      out_.links.push_back(link);
      for (const int j : children_[link] | std::views::reverse) {
        pending.push_back(out_.joint_child[j]);
      }
    }
  }

  // A link that no root reaches hangs on a joint without a parent link, which
  // has been reported, or on a cycle.
  void ReportUnreached(std::vector<char>& reached) {
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const int joint = out_.parent_joint[i];
      if (joint != kNone && out_.joint_parent[joint] == kNone) {
        Traverse(static_cast<int>(i), reached);
      }
    }
    // Of links that no root reaches: the parent.
    std::vector<int> above(links_.size(), kNone);
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const int joint = out_.parent_joint[i];
      if (reached[i] || joint == kNone) continue;
      above[i] = out_.joint_parent[joint];
    }
    std::vector<char> on_cycle(links_.size(), 0);
    for (const int link : FindCycles(above)) {
      std::vector<int> cycle;
      for (int at = link; !on_cycle[at]; at = above[at]) {
        on_cycle[at] = 1;
        cycle.push_back(out_.parent_joint[at]);
      }
      // From parent to child.
      std::reverse(cycle.begin(), cycle.end());
      ReportCycle(std::move(cycle));
    }
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (above[i] == kNone || on_cycle[i]) continue;
      Subject subject = About(links_[i], report_);
      subject.place.joint = joints_[out_.parent_joint[i]].name;
      subject.Add(LintCode::kUnreachableLink,
                  " cannot be reached from a root link: following its "
                  "parents ends in a cycle; open that.");
    }
  }

  void ReportCycle(std::vector<int> cycle) {
    // Begin with the joint that stands first in the source.
    std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()),
                cycle.end());
    const JointDescription& first = joints_[cycle[0]];
    Subject subject = About(first, report_);
    subject.place.link = first.child;
    if (cycle.size() == 1) {
      subject.Add(LintCode::kCycle, " connects link ", Quoted(first.child),
                  " to itself; give it another parent or child link.");
      return;
    }
    std::vector<std::string_view> names;
    names.reserve(cycle.size());
    for (const int j : cycle) names.push_back(joints_[j].name);
    report_.Add(LintCode::kCycle, subject.place,
                Cat("The joints ", QuotedList(names),
                    " form a cycle; a robot is a tree of links, so one of them "
                    "must hang on a link outside."));
  }

  std::span<const LinkDescription> links_;
  std::span<const JointDescription> joints_;
  LintReport& report_;
  Assembly out_;
  NameIndex link_index_;
  std::vector<std::vector<int>> children_;  // joints, by parent link
};

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

// The leaders of the mimics, which may come later in canonical order.
void ConnectMimics(std::span<const JointDescription> joints, Assembly& out) {
  std::unordered_map<std::string_view, int> index;
  for (const Joint& joint : out.joints) {
    index.try_emplace(joint.name, joint.q_index);
  }
  for (Joint& joint : out.joints) {
    const JointDescription& from = joints[out.joint_source[joint.q_index]];
    if (!from.mimic || from.incomplete) continue;
    if (const auto it = index.find(from.mimic->joint); it != index.end()) {
      joint.mimic = {it->second, from.mimic->multiplier, from.mimic->offset};
    }
  }
}

}  // namespace

Pose Pose::FromXyzRpy(const std::array<double, 3>& xyz,
                      const std::array<double, 3>& rpy) {
  const double cr = std::cos(rpy[0]), sr = std::sin(rpy[0]);
  const double cp = std::cos(rpy[1]), sp = std::sin(rpy[1]);
  const double cy = std::cos(rpy[2]), sy = std::sin(rpy[2]);
  Pose pose;
  pose.R = {cy * cp,
            cy * sp * sr - sy * cr,
            cy * sp * cr + sy * sr,
            sy * cp,
            sy * sp * sr + cy * cr,
            sy * sp * cr - cy * sr,
            -sp,
            cp * sr,
            cp * cr};
  for (double& r : pose.R) r += 0.0;  // no negative zeros
  pose.p = xyz;
  return pose;
}

Pose operator*(const Pose& ab, const Pose& bc) {
  Pose ac;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      ac.R[3 * i + j] = ab.R[3 * i] * bc.R[j] + ab.R[3 * i + 1] * bc.R[3 + j] +
                        ab.R[3 * i + 2] * bc.R[6 + j];
    }
    ac.p[i] = ab.R[3 * i] * bc.p[0] + ab.R[3 * i + 1] * bc.p[1] +
              ab.R[3 * i + 2] * bc.p[2] + ab.p[i];
  }
  return ac;
}

std::vector<int> FindCycles(std::span<const int> next) {
  std::vector<int> cycles;
  // The number of the walk that first met a place: one that meets itself has
  // found a cycle.
  std::vector<int> walk(next.size(), kNone);
  for (int start = 0; start < static_cast<int>(next.size()); ++start) {
    int at = start;
    for (; at != kNone && walk[at] == kNone; at = next[at]) walk[at] = start;
    if (at != kNone && walk[at] == start) cycles.push_back(at);
  }
  return cycles;
}

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
                  LintReport& report) {
  Assembly out = TreeFinder(links, joints, report).Find();
  if (!out.is_tree) return out;
  std::vector<int> frame_of(links.size());
  out.moves.assign(links.size(), 0);
  out.frames.reserve(links.size());
  for (const int link : out.links) {
    frame_of[link] = static_cast<int>(out.frames.size());
    Frame frame{links[link].name, kBase, {}, out.is_leaf[link] != 0};
    if (const int j = out.parent_joint[link]; j >= 0) {
      const JointDescription& joint = joints[j];
      const Frame& parent = out.frames[frame_of[out.joint_parent[j]]];
      const Pose pose = parent.pose * joint.origin;
      if (joint.type == JointDescription::Type::kFixed) {
        frame.body = parent.body;
        frame.pose = pose;
        out.moves[link] = joint.incomplete || out.moves[out.joint_parent[j]];
      } else {
        const int body = frame.body = static_cast<int>(out.bodies.size());
        out.bodies.push_back(NewBody(joint, parent.body, pose));
        out.joints.emplace_back(
            joint, joint.name, static_cast<JointType>(joint.type), joint.parent,
            joint.child, parent.body, body, 1, body, 1, std::nullopt);
        out.joint_source.push_back(j);
        out.moves[link] = 1;
      }
    }
    if (links[link].inertial && frame.body != kBase) {
      Lump(frame.pose, *links[link].inertial, out.bodies[frame.body]);
    }
    out.frames.push_back(std::move(frame));
  }
  ConnectMimics(joints, out);
  return out;
}

BodyFrame FrameOnBody(const Frame& frame) {
  BodyFrame out{.body = frame.body, .R = {}, .p = {}};
  std::ranges::copy(frame.pose.R, out.R);
  std::ranges::copy(frame.pose.p, out.p);
  return out;
}

Tree Model::tree() const { return arrays_->tree(); }

const CompiledModel& Model::compiled() const { return arrays_->compiled; }

std::shared_ptr<const Model> Model::WithPayload(
    int frame, const LinkInertial& payload) const {
  const Frame& at = frames_[static_cast<std::size_t>(frame)];
  const std::shared_ptr<Model> loaded(new Model(*this));
  if (at.body == kBase) return loaded;
  std::vector<TreeBody> bodies = arrays_->bodies;
  Lump(at.pose, payload, bodies[static_cast<std::size_t>(at.body)]);
  loaded->moving_mass_ += payload.mass;
  loaded->arrays_ = std::make_shared<Arrays>(std::move(bodies));
  return loaded;
}

std::shared_ptr<const Model> Model::WithDrives(
    std::span<const JointDrive> drives) const {
  const std::shared_ptr<Model> driven(new Model(*this));
  std::vector<TreeBody> bodies = arrays_->bodies;
  for (std::size_t j = 0; j < drives.size(); ++j) {
    const JointDrive& drive = drives[j];
    Joint& joint = driven->joints_[j];
    joint.damping = drive.viscous_friction.value_or(joint.damping);
    joint.friction = drive.coulomb_friction.value_or(joint.friction);
    joint.armature = drive.armature.value_or(joint.armature);
    TreeBody& body = bodies[j];
    body.viscous_friction = joint.damping;
    body.coulomb_friction = joint.friction;
    body.armature = joint.armature;
  }
  driven->arrays_ = std::make_shared<Arrays>(std::move(bodies));
  return driven;
}

}  // namespace torqued
