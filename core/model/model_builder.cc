#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/model/assembly.h"

namespace torqued {
namespace {

// After the name of the first of them.
std::string AndMoreHave(int count) {
  if (count == 1) return " has ";
  return Cat(" and ", count - 1, " more have ");
}

struct Described : AssembledRobot {
  // The tip by option, if any, is a link.
  void CheckTip(const std::string& asked) {
    const auto tip = std::ranges::find(links, asked, &LinkDescription::name);
    if (asked.empty() || tip != links.end()) return;
    std::vector<std::string_view> leaves;
    for (const int link : assembly.links) {
      if (assembly.is_leaf[link] != 0) leaves.push_back(links[link].name);
    }
    report.Add(LintCode::kUnknownTip, {.link = asked},
               Cat("The default tip ", Quoted(asked),
                   " is not a link of this robot; name one, such as ",
                   QuotedList(leaves), "."));
  }

  // Placements, which are sums of finite numbers that may overflow, and mass
  // that enters nothing.
  void CheckFrames() {
    const LinkDescription* first = nullptr;
    int count = 0;
    double mass = 0;
    for (std::size_t i = 0; i < assembly.frames.size(); ++i) {
      const LinkDescription& link = links[assembly.links[i]];
      const Frame& frame = assembly.frames[i];
      if (!std::ranges::all_of(frame.pose.p,
                               [](double x) { return std::isfinite(x); })) {
        report.Add(LintCode::kInvalidNumber, About(link, report).place,
                   Cat("The position of link ", Quoted(link.name),
                       " is beyond the range of double precision; check the "
                       "origins of the joints before it."));
      }
      if (frame.body != kBase || !link.inertial) continue;
      if (!(link.inertial->mass > 0)) continue;
      if (count++ == 0) first = &link;
      mass += link.inertial->mass;
    }
    if (count == 0) return;
    About(*first, report)
        .Add(LintCode::kFixedMass, AndMoreHave(count), RoundedText(mass),
             " kg that no joint moves; this mass enters no quantity.");
  }

  /// Whether there are no more degrees of freedom than are accepted.
  bool CheckDof(int max_dof) {
    const int dof = assembly.tree().n;
    if (dof <= max_dof) return true;
    report.Add(LintCode::kTooManyJoints, {.line = line},
               Cat("The robot has ", dof, " movable joints, but at most ",
                   max_dof, " are accepted; fix those that never move."));
    return false;
  }

  // What a caller may expect of them in vain.
  void ReportMimicsAndFriction() {
    const JointDescription* first = nullptr;
    int count = 0;
    for (const Joint& is : assembly.joints) {
      const JointDescription& joint = joints[assembly.joint_source[is.q_index]];
      if (is.mimic) {
        Subject subject = About(joint, report);
        if (joint.mimic->line > 0) subject.place.line = joint.mimic->line;
        subject.AddKind(
            Severity::kInfo, LintCode::kMimicIndependent, {}, " mimics ",
            Quoted(assembly.joints[is.mimic->joint].name),
            " but is treated as independent: it has its own q, v and tau, so "
            "the caller keeps the two in step.");
      }
      if (joint.incomplete) continue;
      if (joint.damping == 0 && joint.friction == 0) continue;
      if (count++ == 0) first = &joint;
    }
    if (count == 0) return;
    About(*first, report)
        .Add(LintCode::kFrictionOffByDefault, AndMoreHave(count),
             "damping or friction, which calls leave out unless they switch it "
             "on.");
  }
};

}  // namespace

LoadResult BuildModel(RobotDescription description,
                      const BuildOptions& options) {
  auto& [name, line, links, joints, report, seed] = description;
  // "Incomplete" means that an error has been reported.
  if (report.ok()) {
    for (LinkDescription& link : links) link.incomplete = false;
    for (JointDescription& joint : joints) joint.incomplete = false;
  }
  CheckName("robot", name, {.line = line}, report);
  CheckLinks(links, report);
  CheckJoints(joints, report);
  if (links.empty() && report.ok()) {
    report.Add(LintCode::kMissingElement, {.line = line},
               "The robot has no link; a robot has at least its root link.");
  }
  Described robot{{std::move(description)}};
  const bool is_tree = robot.assembly.is_tree;
  robot.CheckTip(options.default_tip);
  Assembly& assembly = robot.assembly;
  robot.let_pass = CheckMassProperties(
      robot.links, assembly.moves, options.validation,
      "; or use validation lenient, which takes it while the mass matrix is "
      "regular",
      robot.report);
  bool cancelled = false;
  if (is_tree) {
    robot.CheckFrames();
    cancelled = robot.CheckDof(options.max_dof) && CheckTree(robot, options);
    robot.ReportMimicsAndFriction();
  }
  robot.report.Sort();
  if (!is_tree || !robot.report.ok() || cancelled) {
    return {nullptr, std::move(robot.report), cancelled};
  }

  const std::shared_ptr<Model> model(new Model);
  model->name_ = std::move(robot.name);
  model->joints_ = std::move(assembly.joints);
  model->frames_ = std::move(assembly.frames);
  const auto index = [](const auto& named, Model::NameIndex& names) {
    for (int i = 0; const auto& one : named) names.emplace(one.name, i++);
  };
  index(model->joints_, model->joint_index_);
  index(model->frames_, model->frame_index_);
  model->tip_frame_ = model->FindFrame(options.default_tip);
  const auto& frames = model->frames_;
  if (options.default_tip.empty() &&
      std::ranges::count(frames, true, &Frame::is_leaf) == 1) {
    const auto leaf = std::ranges::find(frames, true, &Frame::is_leaf);
    model->tip_frame_ = static_cast<int>(leaf - frames.begin());
  }
  for (const TreeBody& body : assembly.bodies) model->moving_mass_ += body.mass;
  model->arrays_ = std::make_shared<Model::Arrays>(std::move(assembly.bodies));
  return {model, std::move(robot.report)};
}

}  // namespace torqued
