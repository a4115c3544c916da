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

// After the name of the first of them.
std::string AndMoreHave(int count) {
  if (count == 1) return " has ";
  return Cat(" and ", count - 1, " more have ");
}

// A description, how it hangs together, and what it makes.
struct Described {
  std::span<const LinkDescription> links;
  std::span<const JointDescription> joints;
  LintReport& report;
  Topology topology = FindTopology(links, joints, report);
  Assembly assembly = {};

  // The link that is the tip by option, or the only leaf; -1: none.
  int FindTip(const std::string& name) const {
    if (name.empty()) {
      const auto& leaf = topology.is_leaf;
      if (std::ranges::count(leaf, 1) != 1) return -1;
      return static_cast<int>(std::ranges::find(leaf, 1) - leaf.begin());
    }
    const auto tip = std::ranges::find(links, name, &LinkDescription::name);
    if (tip != links.end()) return static_cast<int>(tip - links.begin());
    std::vector<std::string_view> leaves;
    for (const int link : topology.links) {
      if (topology.is_leaf[link] != 0) leaves.push_back(links[link].name);
    }
    report.Add(LintCode::kUnknownTip, {.link = name}, "The default tip ",
               Quoted(name),
               " is no link of this robot; name one of its links, such as ",
               QuotedList(leaves), ".");
    return -1;
  }

  // Of each link whether a joint may move it. Joints with an error count as
  // such that move, though the description has them as fixed.
  std::vector<char> FindMoving() const {
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
  std::vector<char> IncompleteBodies() const {
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

  // Placements, which are sums of finite numbers that may overflow, and mass
  // that enters nothing.
  void CheckFrames() const {
    const LinkDescription* first = nullptr;
    int count = 0;
    double mass = 0;
    for (std::size_t i = 0; i < assembly.frames.size(); ++i) {
      const LinkDescription& link = links[topology.links[i]];
      const BodyFrame& placement = assembly.frames[i].placement;
      if (!std::ranges::all_of(placement.p,
                               [](double x) { return std::isfinite(x); })) {
        report.Add(LintCode::kInvalidNumber,
                   {.link = link.name, .line = link.line},
                   "The position of link ", Quoted(link.name),
                   " is beyond the range of double precision; check the "
                   "origins of the joints before it.");
      }
      if (placement.body != kBase || !link.inertial) continue;
      if (!(link.inertial->mass > 0)) continue;
      if (count++ == 0) first = &link;
      mass += link.inertial->mass;
    }
    if (count == 0) return;
    report.Add(LintCode::kFixedMass, {.link = first->name, .line = first->line},
               "Link ", Quoted(first->name), AndMoreHave(count),
               RoundedText(mass),
               " kg that no joint moves; this mass enters no quantity.");
  }

  /// Whether there are no more degrees of freedom than are accepted.
  bool CheckDof(int max_dof, int line) const {
    const int dof = assembly.tree().n;
    if (dof <= max_dof) return true;
    report.Add(LintCode::kTooManyJoints, {.line = line}, "The robot has ", dof,
               " movable joints, but at most ", max_dof,
               " are accepted; fix those that never move.");
    return false;
  }

  // What a caller may expect of them in vain.
  void ReportMimicsAndFriction() const {
    const JointDescription* first = nullptr;
    int count = 0;
    for (const Joint& is : assembly.joints) {
      const JointDescription& joint = joints[assembly.joint_source[is.q_index]];
      if (is.mimic) {
        const int line = joint.mimic->line;
        report.AddKind(
            LintCode::kMimicIndependent,
            {.joint = is.name, .line = line > 0 ? line : joint.line}, {},
            "Joint ", Quoted(is.name), " mimics ",
            Quoted(assembly.joints[is.mimic->joint].name),
            " but is treated as independent: it has its own q, v and tau, so "
            "the caller keeps the two in step.");
      }
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
};

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
  Described robot{.links = links_, .joints = joints_, .report = report_};
  const bool is_tree = robot.topology.valid;
  const int tip = robot.FindTip(options.default_tip);
  Assembly& assembly = robot.assembly;
  if (is_tree) assembly = Assemble(links_, joints_, robot.topology);
  const bool let_pass = CheckMassProperties(
      links_, robot.FindMoving(), options.validation,
      "; or use validation lenient, which takes it while the mass matrix is "
      "regular",
      report_);
  bool cancelled = false;
  if (is_tree) {
    robot.CheckFrames();
    if (robot.CheckDof(options.max_dof, line_)) {
      cancelled = CheckTree({.assembly = assembly,
                             .joints = joints_,
                             .incomplete = robot.IncompleteBodies(),
                             .seed = seed_,
                             .let_pass = let_pass},
                            options, report_);
    }
    robot.ReportMimicsAndFriction();
  }
  report_.Sort();
  if (!is_tree || !report_.ok() || cancelled) {
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
  model->compiled_ = CompiledModel(model->tree());
  return {model, std::move(report_)};
}

}  // namespace torqued
