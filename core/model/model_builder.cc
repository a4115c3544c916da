#include "core/model/model_builder.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>

#include "core/model/assembly.h"
#include "core/model/description_checks.h"
#include "core/model/mass_checks.h"
#include "core/model/text.h"
#include "core/model/topology.h"
#include "core/model/tree_checks.h"

namespace torqued {
namespace {

// The links at which a chain ends, one at least.
std::string LeafNames(std::span<const LinkDescription> links,
                      const Topology& topology) {
  constexpr int kListed = 8;
  std::string names;
  int count = 0;
  for (const int link : topology.links) {
    const auto i = static_cast<std::size_t>(link);
    if (topology.is_leaf[i] == 0 || ++count > kListed) continue;
    names += Cat(count == 1 ? "" : ", ", Quoted(links[i].name));
  }
  if (count > kListed) {
    names += Cat(" and ", std::to_string(count - kListed), " more");
  }
  return names;
}

// The link that is the tip by option, or the only leaf; -1: none.
int FindTip(std::span<const LinkDescription> links, const Topology& topology,
            const BuildOptions& options, LintReport& report) {
  if (!options.default_tip.empty()) {
    for (std::size_t i = 0; i < links.size(); ++i) {
      if (links[i].name == options.default_tip) return static_cast<int>(i);
    }
    report.Add(LintCode::kUnknownTip, {.link = options.default_tip},
               Cat("The default tip ", Quoted(options.default_tip),
                   " is no link of this robot; name one of its links, such as ",
                   LeafNames(links, topology), "."));
    return -1;
  }
  const auto& leaf = topology.is_leaf;
  if (std::count(leaf.begin(), leaf.end(), 1) != 1) return -1;
  return static_cast<int>(std::find(leaf.begin(), leaf.end(), 1) -
                          leaf.begin());
}

void ReportFixedMass(const Assembly& assembly,
                     std::span<const LinkDescription> links,
                     LintReport& report) {
  const auto& heavy = assembly.fixed_mass_links;
  if (heavy.empty()) return;
  const LinkDescription& first = links[heavy[0]];
  const std::string others =
      heavy.size() == 1
          ? std::string()
          : Cat(" and ", std::to_string(heavy.size() - 1), " more");
  report.Add(LintCode::kFixedMass, {.link = first.name, .line = first.line},
             Cat("Link ", Quoted(first.name), others,
                 heavy.size() == 1 ? " has " : " have ",
                 RoundedText(assembly.fixed_mass),
                 " kg that no joint moves; this mass enters no quantity."));
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
        DefaultSeverity(LintCode::kMimicIndependent),
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
  const std::string others =
      count == 1 ? std::string()
                 : Cat(" and ", std::to_string(count - 1), " more");
  report.Add(
      LintCode::kFrictionOffByDefault,
      {.joint = first->name, .line = first->line},
      Cat("Joint ", Quoted(first->name), others, count == 1 ? " has" : " have",
          " damping or friction, which calls leave out unless they "
          "switch it on."));
}

bool IsFinite(const Frame& frame) {
  return std::all_of(std::begin(frame.placement.p), std::end(frame.placement.p),
                     [](double x) { return std::isfinite(x); });
}

Tree TreeOf(const Assembly& assembly) {
  return {static_cast<int>(assembly.bodies.size()), assembly.bodies.data()};
}

// Placements are sums of finite numbers that may overflow.
void CheckFrames(std::span<const Frame> frames, const Topology& topology,
                 std::span<const LinkDescription> links, LintReport& report) {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (IsFinite(frames[i])) continue;
    report.Add(LintCode::kInvalidNumber,
               {.link = frames[i].name, .line = links[topology.links[i]].line},
               Cat("The position of link ", Quoted(frames[i].name),
                   " is beyond the range of double precision; check the "
                   "origins of the joints before it."));
  }
}

// Where the links are no tree, nothing is known of what they enter.
std::vector<Effect> EffectsOf(const Assembly& assembly,
                              std::span<const LinkDescription> links,
                              std::span<const JointDescription> joints,
                              const Topology& topology) {
  std::vector<Effect> effects;
  effects.reserve(links.size());
  for (const LinkDescription& link : links) {
    effects.push_back(EffectOf(link));
    effects.back().place_unknown = !topology.valid;
  }
  if (!topology.valid) return effects;
  const std::vector<double> least = LeastMovedInertias(TreeOf(assembly));
  const std::vector<char> incomplete =
      IncompleteBodies(assembly, links, joints, topology);
  // Joints that cannot be used are written as fixed.
  std::vector<char> unsure(links.size(), 0);
  for (std::size_t i = 0; i < topology.links.size(); ++i) {
    const int link = topology.links[i], joint = topology.parent_joint[link];
    if (joint >= 0) {
      unsure[link] =
          joints[joint].incomplete || unsure[topology.joint_parent[joint]];
    }
    const int body = assembly.frames[i].placement.body;
    if (body == kBase) {
      effects[link].fixed_to_base = unsure[link] == 0;
      effects[link].place_unknown = unsure[link] != 0;
      continue;
    }
    effects[link].size_unknown = unsure[link] != 0 || incomplete[body] != 0;
    if (std::isfinite(least[body])) effects[link].size = least[body];
  }
  return effects;
}

// What the checks of the assembled tree need.
struct TreeToCheck {
  Tree tree;
  std::span<const Joint> joints;
  std::vector<char> incomplete;
  std::vector<int> lines;  // of the joints
  std::uint64_t seed = 0;
  /// kLenient let a link pass that kDefault refuses.
  bool let_pass = false;
};

TreeToCheck ToCheck(const Assembly& assembly,
                    std::span<const LinkDescription> links,
                    std::span<const JointDescription> joints,
                    const Topology& topology) {
  TreeToCheck check{
      .tree = TreeOf(assembly),
      .joints = assembly.joints,
      .incomplete = IncompleteBodies(assembly, links, joints, topology),
      .lines = {}};
  check.lines.reserve(assembly.joint_source.size());
  for (const int source : assembly.joint_source) {
    check.lines.push_back(joints[source].line);
  }
  return check;
}

void ReportSingular(const TreeToCheck& check, const Singularity& found,
                    LintReport& report) {
  const auto at = static_cast<std::size_t>(*found.joint);
  const Joint& joint = check.joints[at];
  report.Add(
      LintCode::kMasslessJoint,
      {.joint = joint.name, .link = joint.child_link, .line = check.lines[at]},
      Cat("The mass matrix is singular or not positive ",
          found.at_home ? "at q = 0" : "at a random state", ", first at joint ",
          Quoted(joint.name),
          ": some torques belong to no acceleration there; correct the "
          "inertia of the links from ",
          Quoted(joint.child_link),
          " on, give the joint an armature, or make it fixed."));
}

// kLenient: what kDefault refuses passes while the mass matrix is regular.
// True when cancelled.
bool CheckRegular(const TreeToCheck& check, std::span<const int> massless,
                  const BuildOptions& options, LintReport& report) {
  // The rule is for finite numbers.
  const bool look = report.ok() && (check.let_pass || !massless.empty());
  const Singularity found =
      look ? FindSingularity(check.tree, check.joints, check.seed,
                             options.singular_joint, options.cancelled)
           : Singularity{};
  const bool regular = look && !found.joint;
  ReportMasslessJoints(check.tree, check.joints, check.lines, massless,
                       regular ? Severity::kWarning : Severity::kError, report);
  const auto is_reported = [&] {
    return std::find(massless.begin(), massless.end(), *found.joint) !=
           massless.end();
  };
  if (found.joint && !is_reported()) ReportSingular(check, found, report);
  return found.cancelled;
}

// True when cancelled.
bool CheckTree(const TreeToCheck& check, const BuildOptions& options,
               LintReport& report) {
  const std::vector<int> massless = FindMasslessJoints(
      check.tree, check.joints, check.lines, check.incomplete, report);
  bool cancelled = false;
  if (options.validation == Validation::kLenient) {
    cancelled = CheckRegular(check, massless, options, report);
  } else {
    ReportMasslessJoints(check.tree, check.joints, check.lines, massless,
                         Severity::kError, report);
  }
  if (report.ok() && !cancelled) {
    CheckMassCondition(check.tree, check.joints, check.lines, report);
  }
  return cancelled;
}

/// Whether there are no more degrees of freedom than are accepted.
bool CheckDof(const Assembly& assembly, int max_dof, const Place& place,
              LintReport& report) {
  const std::size_t dof = assembly.bodies.size();
  if (dof <= static_cast<std::size_t>(std::max(max_dof, 0))) return true;
  report.Add(LintCode::kTooManyJoints, place,
             Cat("The robot has ", std::to_string(dof),
                 " movable joints, but at most ", std::to_string(max_dof),
                 " are accepted; fix those that never move."));
  return false;
}

}  // namespace

ModelBuilder::ModelBuilder(std::string robot_name, int line)
    : name_(std::move(robot_name)), line_(line) {}

void ModelBuilder::AddLink(LinkDescription link) {
  links_.push_back(std::move(link));
}

void ModelBuilder::AddJoint(JointDescription joint) {
  joints_.push_back(std::move(joint));
}

void ModelBuilder::AddFinding(Finding finding) {
  report_.Add(std::move(finding));
}

LoadResult ModelBuilder::Build(const BuildOptions& given) {
  BuildOptions options = given;
  std::string_view way_around =
      "; or use validation lenient, which takes it while the mass matrix is "
      "regular";
  if (options.singular_joint == nullptr) {
    way_around = {};
    if (options.validation == Validation::kLenient) {
      options.validation = Validation::kDefault;
    }
  }
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
      links_, EffectsOf(assembly, links_, joints_, topology),
      options.validation, way_around, report_);
  bool cancelled = false;
  if (topology.valid) {
    CheckFrames(assembly.frames, topology, links_, report_);
    if (CheckDof(assembly, options.max_dof, {.line = line_}, report_)) {
      TreeToCheck check = ToCheck(assembly, links_, joints_, topology);
      check.seed = seed_;
      check.let_pass = let_pass;
      cancelled = CheckTree(check, options, report_);
    }
    ReportFixedMass(assembly, links_, report_);
    ReportMimics(assembly, joints_, report_);
    ReportFriction(assembly, joints_, report_);
  }
  PrecisionChoice precision;
  if (topology.valid && report_.ok() && !cancelled) {
    precision = ChoosePrecision(
        {static_cast<int>(assembly.bodies.size()), assembly.bodies.data()},
        assembly.joints, seed_, options.doubtful_in_single, options.cancelled);
    cancelled = precision.cancelled;
  }
  report_.Sort();
  if (!report_.ok() || cancelled) {
    return {nullptr, std::move(report_), cancelled};
  }

  const std::shared_ptr<Model> model(new Model);
  model->name_ = std::move(name_);
  model->nq_ = model->nv_ = static_cast<int>(assembly.bodies.size());
  model->joints_ = std::move(assembly.joints);
  model->frames_ = std::move(assembly.frames);
  model->bodies_ = std::move(assembly.bodies);
  for (std::size_t i = 0; i < model->joints_.size(); ++i) {
    model->joint_index_.emplace(model->joints_[i].name, static_cast<int>(i));
  }
  for (std::size_t i = 0; i < model->frames_.size(); ++i) {
    model->frame_index_.emplace(model->frames_[i].name, static_cast<int>(i));
  }
  if (tip >= 0) model->tip_frame_ = model->FindFrame(links_[tip].name);
  for (const TreeBody& body : model->bodies_) model->moving_mass_ += body.mass;
  model->needs_double_ = precision.needs_double;
  model->lowered_ = LoweredModel(model->tree());
  return {model, std::move(report_)};
}

}  // namespace torqued
