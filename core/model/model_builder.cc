#include "core/model/model_builder.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/model/assembly.h"
#include "core/model/checks.h"

namespace torqued {
namespace {

// The link that is the tip by option, or the only leaf; -1: none.
int FindTip(std::span<const LinkDescription> links, const Topology& topology,
            const BuildOptions& options, LintReport& report) {
  if (!options.default_tip.empty()) {
    for (std::size_t i = 0; i < links.size(); ++i) {
      if (links[i].name == options.default_tip) return static_cast<int>(i);
    }
    std::vector<std::string_view> leaves;
    for (const int link : topology.links) {
      if (topology.is_leaf[link] != 0) leaves.push_back(links[link].name);
    }
    report.Add(LintCode::kUnknownTip, {.link = options.default_tip},
               "The default tip ", Quoted(options.default_tip),
               " is no link of this robot; name one of its links, such as ",
               QuotedList(leaves), ".");
    return -1;
  }
  const auto& leaf = topology.is_leaf;
  if (std::count(leaf.begin(), leaf.end(), 1) != 1) return -1;
  return static_cast<int>(std::find(leaf.begin(), leaf.end(), 1) -
                          leaf.begin());
}

// After the name of the first of them.
std::string AndMoreHave(std::size_t count) {
  if (count == 1) return " has ";
  return Cat(" and ", count - 1, " more have ");
}

void ReportFixedMass(const Assembly& assembly,
                     std::span<const LinkDescription> links,
                     LintReport& report) {
  const auto& heavy = assembly.fixed_mass_links;
  if (heavy.empty()) return;
  const LinkDescription& first = links[heavy[0]];
  report.Add(LintCode::kFixedMass, {.link = first.name, .line = first.line},
             "Link ", Quoted(first.name), AndMoreHave(heavy.size()),
             RoundedText(assembly.fixed_mass),
             " kg that no joint moves; this mass enters no quantity.");
}

void ReportMimics(const Assembly& assembly,
                  std::span<const JointDescription> joints,
                  LintReport& report) {
  for (std::size_t i = 0; i < assembly.joints.size(); ++i) {
    const Joint& joint = assembly.joints[i];
    if (!joint.mimic) continue;
    const JointDescription& source = joints[assembly.joint_source[i]];
    const int line = source.mimic->line;
    report.AddKind(
        LintCode::kMimicIndependent,
        {.joint = joint.name, .line = line > 0 ? line : source.line}, {}, [&] {
          return Cat("Joint ", Quoted(joint.name), " mimics ",
                     Quoted(assembly.joints[joint.mimic->joint].name),
                     " but is treated as independent: it has its own q, v and "
                     "tau, so the caller keeps the two in step.");
        });
  }
}

void ReportFriction(const Assembly& assembly,
                    std::span<const JointDescription> joints,
                    LintReport& report) {
  int count = 0;
  const JointDescription* first = nullptr;
  for (const int source : assembly.joint_source) {
    const JointDescription& joint = joints[source];
    if (joint.incomplete) continue;
    if (joint.damping == 0 && joint.friction == 0) continue;
    if (count++ == 0) first = &joint;
  }
  if (count == 0) return;
  report.Add(
      LintCode::kFrictionOffByDefault,
      {.joint = first->name, .line = first->line}, "Joint ",
      Quoted(first->name), AndMoreHave(count),
      "damping or friction, which calls leave out unless they switch it on.");
}

bool IsFinite(const Frame& frame) {
  return std::all_of(std::begin(frame.placement.p), std::end(frame.placement.p),
                     [](double x) { return std::isfinite(x); });
}

// Placements are sums of finite numbers that may overflow.
void CheckFrames(std::span<const Frame> frames, const Topology& topology,
                 std::span<const LinkDescription> links, LintReport& report) {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (IsFinite(frames[i])) continue;
    report.Add(LintCode::kInvalidNumber,
               {.link = frames[i].name, .line = links[topology.links[i]].line},
               "The position of link ", Quoted(frames[i].name),
               " is beyond the range of double precision; check the origins of "
               "the joints before it.");
  }
}

// Of each link whether a joint may move it. Joints with an error count as such
// that move, though the description has them as fixed.
std::vector<char> FindMoving(const Assembly& assembly,
                             std::span<const LinkDescription> links,
                             std::span<const JointDescription> joints,
                             const Topology& topology) {
  std::vector<char> moves(links.size(), topology.valid ? 0 : 1);
  for (std::size_t i = 0; i < assembly.frames.size(); ++i) {
    const int link = topology.links[i], joint = topology.parent_joint[link];
    moves[link] = assembly.frames[i].placement.body != kBase ||
                  (joint >= 0 && (joints[joint].incomplete ||
                                  moves[topology.joint_parent[joint]] != 0));
  }
  return moves;
}

// Of each body whether it, its joint, or anything that hangs on it comes from
// an incomplete description.
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

/// Whether there are no more degrees of freedom than are accepted.
bool CheckDof(const Assembly& assembly, int max_dof, const Place& place,
              LintReport& report) {
  const std::size_t dof = assembly.bodies.size();
  if (dof <= static_cast<std::size_t>(std::max(max_dof, 0))) return true;
  report.Add(LintCode::kTooManyJoints, place, "The robot has ", dof,
             " movable joints, but at most ", max_dof,
             " are accepted; fix those that never move.");
  return false;
}

}  // namespace

LoadResult ModelBuilder::Build(const BuildOptions& options) {
  // "Incomplete" means that an error has been reported.
  if (report_.ok()) {
    for (LinkDescription& link : links_) link.incomplete = false;
    for (JointDescription& joint : joints_) joint.incomplete = false;
  }
  CheckName("robot", name_, {.line = line_}, report_);
  CheckLinks(links_, report_);
  CheckJoints(joints_, report_);
  if (links_.empty() && report_.ok()) {
    report_.Add(LintCode::kMissingElement, {.line = line_},
                "The robot has no link; a robot has at least its root link.");
  }
  const Topology topology = FindTopology(links_, joints_, report_);
  const int tip = FindTip(links_, topology, options, report_);
  Assembly assembly;
  if (topology.valid) assembly = Assemble(links_, joints_, topology);
  const bool let_pass = CheckMassProperties(
      links_, FindMoving(assembly, links_, joints_, topology),
      options.validation,
      "; or use validation lenient, which takes it while the mass matrix is "
      "regular",
      report_);
  bool cancelled = false;
  if (topology.valid) {
    CheckFrames(assembly.frames, topology, links_, report_);
    if (CheckDof(assembly, options.max_dof, {.line = line_}, report_)) {
      TreeToCheck check{
          .tree = {static_cast<int>(assembly.bodies.size()),
                   assembly.bodies.data()},
          .joints = assembly.joints,
          .lines = {},
          .incomplete = IncompleteBodies(assembly, links_, joints_, topology),
          .seed = seed_,
          .let_pass = let_pass};
      for (const int source : assembly.joint_source) {
        check.lines.push_back(joints_[source].line);
      }
      cancelled = CheckTree(check, options, report_);
    }
    ReportFixedMass(assembly, links_, report_);
    ReportMimics(assembly, joints_, report_);
    ReportFriction(assembly, joints_, report_);
  }
  report_.Sort();
  if (!topology.valid || !report_.ok() || cancelled) {
    return {nullptr, std::move(report_), cancelled};
  }

  const std::shared_ptr<Model> model(new Model);
  model->name_ = std::move(name_);
  model->joints_ = std::move(assembly.joints);
  model->frames_ = std::move(assembly.frames);
  model->bodies_ = std::move(assembly.bodies);
  const auto index = [](const auto& named, Model::NameIndex& names) {
    for (int i = 0; const auto& one : named) names.emplace(one.name, i++);
  };
  index(model->joints_, model->joint_index_);
  index(model->frames_, model->frame_index_);
  if (tip >= 0) model->tip_frame_ = model->FindFrame(links_[tip].name);
  for (const TreeBody& body : model->bodies_) model->moving_mass_ += body.mass;
  model->lowered_ = LoweredModel(model->tree());
  return {model, std::move(report_)};
}

}  // namespace torqued
