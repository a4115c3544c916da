// Every finding, provoked in a robot that has none by itself.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/text.h"
#include "core/formats/urdf.h"
#include "tests/core/formats/small_arm.h"

namespace torqued {
namespace {

using enum LintCode;

/// What a finding is about. `at` is text on its line; empty: it is that of the
/// first edit.
struct Spot {
  std::string_view joint, link, at;
};

Spot Robot(std::string_view at = {}) { return {"", "", at}; }
Spot InJoint(std::string_view joint, std::string_view at = {}) {
  return {joint, "", at};
}
Spot InLink(std::string_view link, std::string_view at = {}) {
  return {"", link, at};
}

struct LintCase {
  LintCode code;
  std::string_view message;  // part of it
  Spot spot;
  Edits edits;
  int others;  // further findings that come with the defect
  Edits twin;  // a near miss, which has no such finding
};

LintCase Case(LintCode code, std::string_view message, const Spot& spot,
              const Edits& edits, int others = 0, const Edits& twin = {}) {
  return {code, message, spot, edits, others, twin};
}

// Texts of the small arm and what may take their place.
constexpr char kShoulder[] = "<joint name='shoulder' type='revolute'>";
constexpr char kElbow[] = "<joint name='elbow' type='prismatic'>";
constexpr char kFlange[] = "<joint name='flange' type='fixed'>";
constexpr char kAxis[] = "<axis xyz='0 1 0'/>";
constexpr char kRange[] = "lower='-2' upper='2.5' ";
constexpr char kLimit[] =
    "<limit lower='-2' upper='2.5' effort='30' velocity='3'/>";
constexpr char kUpperInertial[] =
    "<inertial><origin xyz='0 0 0.2' rpy='0 0 0'/>";
constexpr char kInertia[] =
    "ixx='0.01' ixy='0' ixz='0' iyy='0.01' iyz='0' izz='0.002'";
constexpr char kNoInertia[] = "ixx='0' ixy='0' ixz='0' iyy='0' iyz='0' izz='0'";
constexpr char kLowerMass[] = "<mass value='1.25'/>";
constexpr char kMassless[] = "<mass value='0'/>";
constexpr char kEnd[] = "</robot>";
constexpr std::pair<const char*, const char*> kElbowTurns = {"type='prismatic'",
                                                             "type='revolute'"},
                                              kShoulderHasNoEnd = {
                                                  "type='revolute'",
                                                  "type='continuous'"};

// The text: XML, names, attributes and numbers.
std::vector<LintCase> SourceCases() {
  return {
      Case(kMalformedXml, "cut off", Robot("<robot"), {{kEnd, ""}}),
      Case(kMalformedXml, "not closed", Robot(),
           {{"<link name='base'/>", "<link name='base'>"}}),
      Case(kMalformedXml, "given twice", Robot(),
           {{"mass value='2'", "mass value='2' value='3'"}}),
      Case(kMalformedXml, "one <robot> must hold", Robot(),
           {{kEnd, "</robot><robot name='again'/>"}}),
      Case(kMalformedXml, "'&two;'", Robot(), {{"value='2'", "value='&two;'"}}),
      Case(kMalformedXml, "never read", Robot(),
           {{"<robot name",
             "<!DOCTYPE robot [ <!ENTITY two '2'> ]>\n<robot name"}}),
      Case(kNotARobot, "<sdf>", Robot(),
           {{"<robot name='small_arm'", "<sdf version='1.6'"},
            {kEnd, "</sdf>"}}),
      Case(kXacroNotExpanded, "xacro", Robot(),
           {{"<link name='tool'/>",
             "<xacro:include filename='a'/><link name='tool'/>"}}),
      Case(kXacroNotExpanded, "expand", InLink("upper"),
           {{"<mass value='2'/>", "<xacro:mass/>"}}, 1),
      Case(kMissingAttribute, "'name'", Robot(),
           {{"<robot name='small_arm'>", "<robot >"}}),
      Case(kMissingAttribute, "'name'", Robot(),
           {{"<link name='tool'/>", "<link /><link name='tool'/>"}}),
      Case(kMissingAttribute, "'name'", Robot(),
           {{kFlange, "<joint type='fixed'>"}}),
      Case(kMissingAttribute, "'type'", InJoint("elbow"),
           {{kElbow, "<joint name='elbow'>"}}),
      Case(kMissingAttribute, "'value'", InLink("upper"),
           {{"<mass value='2'/>", "<mass/>"}}),
      Case(kMissingAttribute, "'iyz'", InLink("upper"),
           {{"iyz='0' izz='0.01'", "izz='0.01'"}}),
      Case(kMissingAttribute, "'xyz'", InJoint("shoulder"),
           {{kAxis, "<axis/>"}}),
      Case(kMissingAttribute, "'joint'", InJoint("elbow"),
           {{"velocity='4'/>", "velocity='4'/><mimic/>"}}),
      Case(kMissingElement, "<mass>", InLink("upper", kUpperInertial),
           {{"<mass value='2'/>", ""}}),
      Case(kMissingElement, "<inertia>", InLink("upper", kUpperInertial),
           {{"<inertia ixx='0.03' ixy='0' ixz='0' iyy='0.03' iyz='0' "
             "izz='0.01'/>",
             ""}}),
      Case(kMissingElement, "<parent>", InJoint("elbow", kElbow),
           {{"<parent link='upper'/>", ""}}),
      Case(kMissingElement, "<child>", InJoint("flange", kFlange),
           {{"<child link='tool'/>", ""}}, 1),
      Case(kUnsupportedAttribute, "quat_xyzw", InJoint("shoulder"),
           {{"<origin xyz='0 0 0.1' rpy='0 0 0'",
             "<origin xyz='0 0 0.1' quat_xyzw='0 0 0 1'"}}),
      Case(kInvalidName, "empty", Robot(),
           {{"<link name='tool'/>", "<link name=''/>"},
            {"<child link='tool'/>", "<child link=''/>"}}),
      Case(kInvalidName, "U+202E at byte 2", Robot(),
           {{"small_arm", "sm\u202Eall_arm"}}),
      Case(kInvalidName, "U+202E at byte 2", InLink("to\\u202eol"),
           {{"<link name='tool'", "<link name='to\u202Eol'"},
            {"child link='tool'", "child link='to\u202Eol'"}}),
      Case(kInvalidName, "U+0007 at byte 3", InJoint("fla\\x07nge"),
           {{"'flange'", "'fla&#7;nge'"}}, 0, {{"'flange'", "'fla nge'"}}),
      Case(kDuplicateName, "'tool'", InLink("tool", "<link  name"),
           {{"<link name='tool'/>",
             "<link name='tool'/>\n<link  name='tool'/>"}}),
      Case(kDuplicateName, "'elbow'", InJoint("elbow"),
           {{"'flange'", "'elbow'"}}),
      Case(kInvalidNumber, "'1,25' is not a number", InLink("lower"),
           {{"'1.25'", "'1,25'"}}),
      Case(kInvalidNumber, "not finite", InLink("upper"),
           {{"value='2'", "value='nan'"}}),
      Case(kInvalidNumber, "range", InLink("upper"),
           {{"izz='0.01'", "izz='1e999'"}}),
      Case(kInvalidNumber, "2 numbers where 3", InJoint("shoulder"),
           {{kAxis, "<axis xyz='0 1'/>"}}),
      Case(kInvalidNumber, "not finite", InJoint("shoulder"),
           {{"velocity='3'", "velocity='inf'"}}),
      Case(kInvalidNumber, "beyond the range",
           Spot{"shoulder", "upper", kShoulder},
           {{"'0 0 0.2' rpy", "'0 0 1e200' rpy"}}, 0,
           {{"'0 0 0.2' rpy", "'0 0 1e20' rpy"}}),
      Case(kInvalidNumber, "position of link 'tip'",
           InLink("tip", "<link name='tip'"),
           {{"'0 0 0.4' rpy", "'0 0 1e308' rpy"},
            {"'0 0 0.3' rpy", "'0 0 1.5e308' rpy"},
            {kEnd,
             "<link name='tip'/>\n<joint name='flange2' type='fixed'><origin "
             "xyz='0 0 1.5e308'/><parent link='tool'/><child link='tip'/>"
             "</joint></robot>"}},
           1),
  };
}

// The robot: its tree, joints and masses.
std::vector<LintCase> RobotCases() {
  return {
      Case(kUnknownLink, "'uper'", Spot{"elbow", "uper", kElbow},
           {{"<parent link='upper'/>", "<parent link='uper'/>"}}),
      Case(kUnknownLink, "'tol'", Spot{"flange", "tol", kFlange},
           {{"<child link='tool'/>", "<child link='tol'/>"}}, 1),
      Case(kUnknownJointType, "'slider'", InJoint("elbow"),
           {{"'prismatic'", "'slider'"}}),
      Case(kUnsupportedJoint, "'floating'", InJoint("elbow"),
           {{"'prismatic'", "'floating'"}}),
      Case(kUnsupportedJoint, "'planar'", InJoint("elbow"),
           {{"'prismatic'", "'planar'"}}),
      Case(kTwoParents, "'elbow'", Spot{"strut", "lower", "strut"},
           {{kEnd,
             "<joint name='strut' type='fixed'><parent link='base'/>"
             "<child link='lower'/></joint></robot>"}}),
      Case(kSeveralRoots, "'base', 'loose'", InLink("loose"),
           {{kEnd, "<link name='loose'/></robot>"}}),
      Case(kCycle, "'elbow', 'flange'", Spot{"elbow", "lower", kElbow},
           {{"<parent link='upper'/>", "<parent link='tool'/>"}}),
      Case(kUnreachableLink, "'tool' cannot be reached",
           Spot{"flange", "tool", "<link name='tool'/>"},
           {{"<parent link='upper'/>", "<parent link='lower'/>"}}, 1),
      Case(kZeroAxis, "0 0 0", InJoint("shoulder"),
           {{kAxis, "<axis xyz='0 0 0'/>"}}),
      Case(kNonUnitAxis, "length 2", InJoint("shoulder"),
           {{kAxis, "<axis xyz='0 2 0'/>"}}, 0,
           {{kAxis, "<axis xyz='0.7071 0.7071 0'/>"}}),
      Case(kMissingLimit, "no <limit>", InJoint("shoulder", kShoulder),
           {{kLimit, ""}}, 0, {{kLimit, ""}, kShoulderHasNoEnd}),
      Case(kMissingLimit, "neither", InJoint("shoulder"), {{kRange, ""}}, 0,
           {{kRange, ""}, kShoulderHasNoEnd}),
      Case(kMissingLimit, "'upper' but no 'lower'", InJoint("elbow"),
           {{"lower='0' ", ""}}),
      Case(kMissingLimit, "'lower' but no 'upper'", InJoint("shoulder"),
           {{"upper='2.5' ", ""}}),
      Case(kMissingLimit, "no 'effort'", InJoint("shoulder"),
           {{"effort='30'", ""}}),
      Case(kMissingLimit, "no 'velocity'", InJoint("shoulder"),
           {{"velocity='3'", ""}}),
      Case(kInvalidLimit, "lower limit 2.75 above its upper limit 2.5",
           InJoint("shoulder"), {{"lower='-2'", "lower='2.75'"}}, 0,
           {{"lower='-2'", "lower='2.5'"}}),
      Case(kInvalidLimit, "negative effort limit -30", InJoint("shoulder"),
           {{"effort='30'", "effort='-30'"}}, 0,
           {{"effort='30'", "effort='0'"}}),
      Case(kInvalidLimit, "negative velocity limit -3", InJoint("shoulder"),
           {{"velocity='3'", "velocity='-3'"}}),
      Case(kNegativeFriction, "-0.5", InJoint("shoulder", "<dynamics"),
           {{kAxis, "<axis xyz='0 1 0'/>\n<dynamics damping='-0.5'/>"}}),
      Case(kNegativeFriction, "-2", InJoint("shoulder"),
           {{kAxis, "<axis xyz='0 1 0'/><dynamics friction='-2'/>"}}),
      Case(kNegativeMass, "-2 kg", InLink("upper", kUpperInertial),
           {{"mass value='2'", "mass value='-2'"}}),
      Case(kNegativeInertia, "-0.01 kg", InLink("upper", kUpperInertial),
           {{"izz='0.01'", "izz='-0.01'"}}, 0, {{"izz='0.01'", "izz='0'"}}),
      // Indefinite.
      Case(kNegativeInertia, "-0.01 kg", InLink("upper", kUpperInertial),
           {{"ixx='0.03' ixy='0'", "ixx='0.03' ixy='0.04'"}}, 0,
           {{"ixx='0.03' ixy='0'", "ixx='0.03' ixy='0.01'"}}),
      Case(kTriangleInequality, "0.07", InLink("upper", kUpperInertial),
           {{"izz='0.01'", "izz='0.07'"}}, 0, {{"izz='0.01'", "izz='0.06'"}}),
      Case(kMasslessJoint, "moves no mass", Spot{"elbow", "lower", kElbow},
           {{kLowerMass, kMassless}}, 0,
           {{kLowerMass, "<mass value='1e-9'/>"}}),
      // A point mass on the axis.
      Case(kMasslessJoint, "no inertia about its axis",
           Spot{"elbow", "lower", ""}, {kElbowTurns, {kInertia, kNoInertia}}, 0,
           {kElbowTurns,
            {kInertia, kNoInertia},
            {"'0 0 0.15'", "'1e-3 0 0.15'"}}),
      Case(kIllConditionedMass, "condition number", Spot{"elbow", "lower", ""},
           {kElbowTurns,
            {kLowerMass, "<mass value='1e-6'/>"},
            {kInertia, "ixx='0' ixy='0' ixz='0' iyy='0' iyz='0' izz='1e-10'"}},
           1, {kElbowTurns}),
      // Two turning joints on one axis with nothing between.
      Case(kIllConditionedMass, "singular",
           Spot{"shoulder", "upper", kShoulder},
           {{"type='prismatic'", "type='continuous'"},
            {"<limit lower='0' upper='0.3' effort='20' velocity='4'/>", ""},
            {"<axis xyz='0 0 1'/>", "<axis xyz='0 1 0' />"},
            {"<origin xyz='0 0 0.4'", "<origin xyz='0 0 0'"},
            {"<mass value='2'/>", kMassless},
            {"ixx='0.03' ixy='0' ixz='0' iyy='0.03' iyz='0' izz='0.01'",
             kNoInertia}}),
  };
}

// What has no effect, and what is worth knowing.
std::vector<LintCase> RemarkCases() {
  return {
      Case(kIgnoredElement, "<gazebo>", Robot(),
           {{kEnd, "<gazebo><static/></gazebo></robot>"}}),
      Case(kIgnoredElement, "<safety_controller>", InJoint("shoulder"),
           {{kAxis, "<axis xyz='0 1 0'/><safety_controller/>"}}),
      Case(kIgnoredElement, "did you mean 'origin'?", InJoint("elbow"),
           {{"<origin xyz='0 0 0.4'", "<orgin xyz='0 0 0.4'"}}),
      Case(kIgnoredElement, "second <inertial>", InLink("lower"),
           {{"</link>\n  <link name='tool'/>",
             "<inertial/></link>\n  <link name='tool'/>"}}),
      Case(kIgnoredElement, "<visual>", Robot(), {{kEnd, "<visual/></robot>"}}),
      Case(kIgnoredElement, "<axis>", InJoint("flange"),
           {{"<parent link='lower'/>",
             "<parent link='lower'/><axis xyz='0 0 0'/>"}}),
      Case(kIgnoredElement, "'3'", InLink("upper"),
           {{"<mass value='2'/>", "<mass value='2'>3</mass>"}}),
      Case(kIgnoredElement, "DOCTYPE", Robot(),
           {{"<robot name", "<!DOCTYPE robot>\n<robot name"}}),
      Case(kIgnoredAttribute, "current='10'", InJoint("shoulder"),
           {{"velocity='3'", "velocity='3' current='10'"}}),
      Case(kIgnoredAttribute, "armature='0.1'", InJoint("shoulder"),
           {{kAxis, "<axis xyz='0 1 0'/><dynamics armature='0.1'/>"}}),
      Case(kIgnoredAttribute, "upper='2.5'", InJoint("shoulder"),
           {{kRange, "upper='2.5' "}, kShoulderHasNoEnd}),
      Case(kIgnoredAttribute, "'1.2'", Robot(),
           {{"'small_arm'", "'small_arm' version='1.2'"}}, 0,
           {{"'small_arm'",
             "'small_arm' version='1.0' xmlns:xacro='http://a'"}}),
      Case(kUnknownMimicTarget, "'elbw'", InJoint("elbow"),
           {{"velocity='4'/>", "velocity='4'/><mimic joint='elbw'/>"}}),
      Case(kUnknownMimicTarget, "fixed", InJoint("elbow"),
           {{"velocity='4'/>", "velocity='4'/><mimic joint='flange'/>"}}),
      Case(kUnknownMimicTarget, "itself", InJoint("elbow"),
           {{"velocity='4'/>", "velocity='4'/><mimic joint='elbow'/>"}}),
      Case(kMimicIndependent, "independent", InJoint("elbow"),
           {{"velocity='4'/>", "velocity='4'/><mimic joint='shoulder'/>"}}),
      Case(
          kFrictionOffByDefault, "'shoulder' has damping",
          InJoint("shoulder", kShoulder),
          {{kAxis, "<axis xyz='0 1 0'/><dynamics damping='0.5'/>"}}, 0,
          {{kAxis, "<axis xyz='0 1 0'/><dynamics damping='0' friction='0'/>"}}),
      Case(kFixedMass, "has 3 kg", InLink("base"),
           {{"<link name='base'/>",
             "<link name='base'><inertial><mass value='3'/><inertia ixx='0' "
             "ixy='0' ixz='0' iyy='0' iyz='0' izz='0'/></inertial></link>"}},
           0,
           {{"<link name='base'/>",
             "<link name='base'><inertial><mass value='0'/><inertia ixx='0' "
             "ixy='0' ixz='0' iyy='0' iyz='0' izz='0'/></inertial></link>"}}),
      Case(kFixedMass, "'base' and 1 more have 3 kg", InLink("base"),
           {{"<link name='base'/>",
             "<link name='base'><inertial><mass value='1.5'/><inertia ixx='0' "
             "ixy='0' ixz='0' iyy='0' iyz='0' izz='0'/></inertial></link>"
             "<link name='stand'><inertial><mass value='1.5'/><inertia ixx='0' "
             "ixy='0' ixz='0' iyy='0' iyz='0' izz='0'/></inertial></link>"
             "<joint name='foot' type='fixed'><parent link='base'/>"
             "<child link='stand'/></joint>"}}),
      Case(kTransmissionRead, "50", InJoint("elbow"),
           {{kEnd,
             "<transmission name='gear'><type>simple</type><joint name='elbow'"
             "/><actuator name='m'><mechanicalReduction>50"
             "</mechanicalReduction></actuator></transmission></robot>"}}),
  };
}

std::vector<LintCase> Cases() {
  std::vector<LintCase> cases = SourceCases();
  for (const LintCase& c : RobotCases()) cases.push_back(c);
  for (const LintCase& c : RemarkCases()) cases.push_back(c);
  return cases;
}

TEST(UrdfLint, EachDefectIsFoundWithItsPlace) {
  for (const LintCase& c : Cases()) {
    const std::string text = Edited(c.edits);
    const auto& [from, to] = c.edits[0];
    SCOPED_TRACE(Cat(ToString(c.code), " of ", to, " for ", from));
    const LoadResult result = LoadUrdf(text);
    const Finding* found = nullptr;
    std::string all;
    for (const Finding& f : result.report.findings()) {
      all += Cat(ToString(f.code), ": ", f.message, "\n");
      const bool fits = f.code == c.code && f.joint == c.spot.joint &&
                        f.link == c.spot.link &&
                        f.message.find(c.message) != std::string::npos;
      if (fits && found == nullptr) found = &f;
    }
    // One mistake is one finding.
    EXPECT_EQ(result.report.findings().size(), 1u + c.others) << all;
    EXPECT_EQ(result.model == nullptr, !result.report.ok());
    EXPECT_EQ(result.model == nullptr, c.code <= kUnknownTip);
    EXPECT_NE(found, nullptr) << "findings were:\n" << all;
    if (found == nullptr) continue;
    EXPECT_EQ(found->severity, DefaultSeverity(c.code));
    EXPECT_TRUE(found->message.ends_with('.') || found->message.ends_with('?'))
        << found->message;
    EXPECT_EQ(found->line, c.spot.at.empty() ? LineOf(kSmallArm, from)
                                             : LineOf(text, c.spot.at))
        << all;
  }
}

TEST(UrdfLint, TwinsHaveNoSuchFinding) {
  for (const LintCase& c : Cases()) {
    const LoadResult twin = LoadUrdf(Edited(c.twin));
    for (const Finding& f : twin.report.findings()) {
      EXPECT_NE(f.code, c.code) << f.message;
    }
  }
}

TEST(UrdfLint, EveryCodeHasACase) {
  // Limits and the default tip have theirs in urdf_test.cc, poses and
  // inertias that no URDF can state in description_checks_test.cc and
  // screw_axes_test.cc.
  std::set<LintCode> covered = {kSourceTooLarge, kTooManyLinks,
                                kTooManyJoints,  kUnknownTip,
                                kInvalidPose,    kInvalidInertia};
  for (const LintCase& c : Cases()) covered.insert(c.code);
  for (int i = 0; i < kLintCodeCount; ++i) {
    const auto code = static_cast<LintCode>(i);
    EXPECT_TRUE(covered.contains(code)) << ToString(code);
  }
}

}  // namespace
}  // namespace torqued
